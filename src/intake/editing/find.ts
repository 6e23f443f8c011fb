/** The operators' search for records, and the sources of a record. */
import type { Database } from '../../database/client.ts'
import { isUuid } from '../../database/uuid.ts'
import type { RecordKind } from './records.ts'

export interface FoundRecord {
  id: string
  /** Name; of a round its company's name and its type. */
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

interface RecordQuery {
  /** Part of a name or domain; or a whole id, externalId, slug or X handle, of a merged record too. '' matches all. */
  text: string
  /** From 1. */
  page: number
  limit: number
}

/**
 * SQL of each kind: its name, description and time of change; `words`, which a text ($3, in lower case) is looked for
 * in; `names`, which it may equal; and `isOther`, a match by something else than names and keys. Words and `isOther` are
 * made of every record, so they are cheap: `concat_ws`, and `lower` of every handle, would make a search of 100,000
 * people take 53 ms instead of 41.
 */
interface Listed extends Record<'table' | 'from' | 'name' | 'about' | 'at' | 'words', string> {
  names: string
  isOther: string
  hasSlug: boolean
}

const HANDLE = '(length(t.twitter_handle) = length($3) and lower(t.twitter_handle) = $3)'

const LISTED: Readonly<Record<RecordKind, Listed>> = {
  company: {
    table: 'companies',
    from: 'companies t',
    name: 't.name',
    about: 't.domain',
    at: 't.updated_at',
    words: "concat_ws(' ', t.name, t.domain)",
    names: 'lower(t.name), t.domain',
    isOther: HANDLE,
    hasSlug: true,
  },
  person: {
    table: 'people',
    from: 'people t',
    name: "coalesce(nullif(concat_ws(' ', t.first_name, t.last_name), ''), t.id::text)",
    about: 't.job_title',
    at: 't.updated_at',
    words: "coalesce(t.first_name || ' ', '') || coalesce(t.last_name, '')",
    names: "lower(concat_ws(' ', t.first_name, t.last_name))",
    isOther: HANDLE,
    hasSlug: true,
  },
  round: {
    table: 'funding_rounds',
    from: 'funding_rounds t join companies c on c.id = t.company_id',
    name: "concat_ws(', ', c.name, t.round_type)",
    about: 't.round_event_name',
    at: 't.created_at',
    words: "concat_ws(' ', c.name, t.round_event_name)",
    names: 'lower(c.name)',
    isOther: '$3 in (c.slug, c.domain)',
    hasSlug: false,
  },
}

const DEADLINE = { deadlineMs: 30_000 }

/** Finds records: exact matches first, then the latest changes. */
export async function findRecordsBy(
  database: Database,
  kind: RecordKind,
  { text, page, limit }: RecordQuery,
): Promise<{ records: FoundRecord[]; hasMore: boolean }> {
  const part = [limit + 1, (page - 1) * limit]
  const asked = [text.toLowerCase(), text, isUuid(text) ? text : null, kind]
  const rows = await database.use(
    ({ sql }) =>
      text === ''
        ? sql.unsafe<FoundRecord[]>(changedLast(LISTED[kind]), part)
        : sql.unsafe<FoundRecord[]>(fitting(LISTED[kind]), [...part, ...asked]),
    DEADLINE,
  )
  return { records: rows.slice(0, limit), hasMore: rows.length > limit }
}

/** Selects from the records in `page`, which are $1 of them after $2. */
const shown = ({ from, name, about }: Listed, order: string) => `
select p.id, ${name} as name, ${about} as about, p.at as "changedAt",
       (select coalesce(json_agg(s.source order by s.source), '[]') from record_sources s
         where s.record_id = p.id and s.source <> '' and s.run >= 0) as sources,
       (select count(*)::integer from pins_of(array[p.id])) as pins
  from page p, ${from}
 where t.id = p.id
 order by ${order}`

const changedLast = (listed: Listed) => `
with page as materialized (
  select t.id, ${listed.at} as at from ${listed.table} t order by 2 desc, 1 desc limit $1::integer offset $2::integer
)${shown(listed, 'p.at desc, p.id desc')}`

/**
 * Finds whole keys by their indexes; for parts of names every record is scanned, so columns to show are made of matches
 * alone. $3 to $6: the text in lower case, the text, the id that it is, the kind.
 */
const fitting = (listed: Listed) => `
with named as materialized (
  select id from ${listed.table} where id = $5::uuid or external_id = $4 ${listed.hasSlug ? 'or slug = $3' : ''}
   union select to_id from redirects where kind = $6 and (id = $5::uuid or external_id = $4 or slug = $3)
), page as materialized (
  select t.id, ${listed.at} as at,
         coalesce($3 in (${listed.names}) or ${listed.isOther}, false) or t.id in (select id from named) as is_named
    from ${listed.from}
   where strpos(lower(${listed.words}), $3) > 0 or ${listed.isOther} or t.id in (select id from named)
   order by 3 desc, 2 desc, 1 desc limit $1::integer offset $2::integer
)${shown(listed, 'p.is_named desc, p.at desc, p.id desc')}`
/** A source that brought a record. Times are ISO 8601 in UTC. */
export interface RecordSource {
  source: string
  /** Null where the run isn't known any more. */
  since: string | null
  last: string | null
}

/** Lists the sources of a record by name. */
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
