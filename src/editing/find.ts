/** Records as operators look for them, and where one is from. */
import type { Database } from '../database/client.ts'
import { isUuid } from '../database/uuid.ts'
import type { RecordKind } from './records.ts'

/** A record in a list. Times are ISO 8601 in UTC (D32). */
export interface FoundRecord {
  id: string
  /** Of a round: its company's, and what kind of round it is. */
  name: string
  /** A company's domain, a person's job title, the name by which a round was announced. */
  about: string | null
  /** When it was last changed; of a round, when it was added. */
  changedAt: string
  /** The sources that have it. */
  sources: string[]
  /** How many of its fields imports leave as they are. */
  pins: number
}

export interface RecordQuery {
  /** Part of a name, of a company's domain; or a whole id, externalId, slug, handle on X, of a merged record too. All where it is ''. */
  text: string
  /** From 1. */
  page: number
  limit: number
}

/** Of each kind: what names a record, what is said of it, when it was changed, and what a text ($1, in lower case) is looked for in. */
const LISTED: Readonly<
  Record<RecordKind, Record<'from' | 'name' | 'about' | 'at' | 'slug' | 'words' | 'exact', string>>
> = {
  company: {
    from: 'companies t',
    name: 't.name',
    about: 't.domain',
    at: 't.updated_at',
    slug: 't.slug',
    words: "concat_ws(' ', t.name, t.domain)",
    exact: '$1 in (lower(t.name), t.domain, lower(t.twitter_handle))',
  },
  person: {
    from: 'people t',
    name: "coalesce(nullif(concat_ws(' ', t.first_name, t.last_name), ''), t.id::text)",
    about: 't.job_title',
    at: 't.updated_at',
    slug: 't.slug',
    words: "concat_ws(' ', t.first_name, t.last_name)",
    exact: "$1 in (lower(concat_ws(' ', t.first_name, t.last_name)), lower(t.twitter_handle))",
  },
  round: {
    from: 'funding_rounds t join companies c on c.id = t.company_id',
    name: "concat_ws(', ', c.name, t.round_type)",
    about: 't.round_event_name',
    at: 't.created_at',
    slug: 'null::text',
    words: "concat_ws(' ', c.name, t.round_event_name)",
    exact: '$1 in (lower(c.name), c.slug, c.domain)',
  },
}

const DEADLINE = { deadlineMs: 30_000 }

/** The records of a kind that fit: those that the text names first, then the one that was changed last. */
export async function findRecordsBy(
  database: Database,
  kind: RecordKind,
  { text, page, limit }: RecordQuery,
): Promise<{ records: FoundRecord[]; hasMore: boolean }> {
  // PostgreSQL's text has no such character, so no record has it either.
  if (text.includes('\0')) return { records: [], hasMore: false }
  const { from, name, about, at, slug, words, exact } = LISTED[kind]
  const isNamed = `($1 <> '' and coalesce(t.id = $3::uuid or t.external_id = $2 or ${slug} = $1 or ${exact} or t.id in (
    select m.to_id from redirects m where m.kind = $4 and (m.id = $3::uuid or m.external_id = $2 or m.slug = $1)), false))`
  const rows = await database.use(
    ({ sql }) =>
      sql.unsafe<FoundRecord[]>(
        `with page as materialized (
           select t.id, ${name} as name, ${about} as about, ${at} as "changedAt", ${isNamed} as is_named
             from ${from} where $1 = '' or ${isNamed} or strpos(lower(${words}), $1) > 0
            order by 5 desc, 4 desc, t.id desc limit $5::integer offset $6::integer)
         select p.id, p.name, p.about, p."changedAt",
                (select coalesce(json_agg(s.source order by s.source), '[]') from record_sources s
                  where s.record_id = p.id and s.source <> '' and s.run >= 0) as sources,
                (select count(*)::integer from pins_of(array[p.id])) as pins
           from page p order by p.is_named desc, p."changedAt" desc, p.id desc`,
        [text.toLowerCase(), text, isUuid(text) ? text : null, kind, limit + 1, (page - 1) * limit],
      ),
    DEADLINE,
  )
  return { records: rows.slice(0, limit), hasMore: rows.length > limit }
}

/** A source that brought a record. Times are ISO 8601 in UTC. */
export interface RecordSource {
  source: string
  /** Null where the run isn't known any more. */
  since: string | null
  last: string | null
}

/** Where a record is from, in the order of names. */
export function sourcesOf(database: Database, id: string): Promise<RecordSource[]> {
  return database.use(
    ({ sql }) => sql<RecordSource[]>`
      select s.source, f.at as since, l.at as last
        from record_sources s
        left join import_runs f on f.run = s.first_run
        left join import_runs l on l.run = s.run
       where s.record_id = ${id}::uuid and s.source <> ''
       order by s.source`,
  )
}
