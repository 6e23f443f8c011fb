/** The journal as people read it. What private channels were never leaves PostgreSQL: only that they changed. */
import postgres from 'postgres'
import { BETWEEN_NAMES } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import { textArray } from '../../database/text-array.ts'

/** One field of one row, before and after a change; a private channel has neither value. */
export interface FieldChange {
  /** `company`, `person`, `round`, `channels`, `investment`. */
  of: string
  /** The record that the row belongs to. */
  record: string
  field: string
  before?: unknown
  after?: unknown
}

export interface JournalChange {
  change: number
  /** ISO 8601 in UTC. */
  at: string
  who: string
  /** `import`, `set`, `delete`, `merge`, `undo`, or `sql`: a statement that no command sent. */
  what: string
  /** The record that the command named; null for an import. */
  kind: string | null
  id: string | null
  undoes: number | null
  undoneBy: number | null
  /** Records touched; a lower bound where `isLowerBound`. */
  records: number
  /** Set where `countedRows` cut the count short. */
  isLowerBound?: boolean
  /** Absent where it touched more than `DETAILED_RECORDS`, unless a record was asked for. */
  fields?: FieldChange[]
}

const DETAILED_RECORDS = 20
const DEADLINE = { deadlineMs: 30_000 }

type FieldRow = Required<FieldChange> & { change: number }

/** Filter of changes: by record, author (`who`) and number (`before`, exclusive). */
export interface JournalQuery {
  id?: string | null | undefined
  who?: string | undefined
  before?: number | undefined
  limit: number
  /**
   * Rows of each change that are read to count its records. All where absent, which takes 60 ms for an import of
   * 130,000; 0 counts none.
   */
  countedRows?: number
}

/** Reads the newest matching changes, newest first. */
export async function readJournal(
  database: Database,
  { id = null, who, before, limit, countedRows }: JournalQuery,
): Promise<JournalChange[]> {
  return database.use(async ({ sql }) => {
    const most = countedRows ?? null
    const name = who ?? null
    const found = await sql<(JournalChange & { rows: number })[]>`
      select j.change::float8 as change, j.at, j.who, j.what, j.kind, j.id, j.undoes::float8 as undoes,
             j.undone_by::float8 as "undoneBy", touched.records::integer as records, touched.rows::integer as rows
        from (
          select * from journal j
           where (${name}::text is null or j.who = ${name}
              or ${name} = any (regexp_split_to_array(rtrim(j.who, ')'), ${BETWEEN_NAMES}::text)))
             and j.change < coalesce(${before ?? null}::bigint, 9223372036854775807)
             and (${id}::uuid is null
              or j.change in (select e.change from journal_entries e where e.record_id = ${id}::uuid
                               union select c.change from journal_created c where ${id}::uuid = any (c.record_ids)))
           order by j.change desc limit ${limit}) j
        cross join lateral (
          select count(*) as records, coalesce(sum(of_record.rows), 0) as rows from (
            select record_id, count(*) as rows from (
              (select record_id from journal_entries where change = j.change limit ${most}::bigint)
               union all
              (select unnest(record_ids) from journal_created where change = j.change limit ${most}::bigint)) r
             group by record_id) of_record) touched
       order by j.change desc`
    const changes = found.map(({ rows, ...change }) => ({
      ...change,
      ...(most !== null && rows >= most && { isLowerBound: true }),
    }))
    const detailed = changes.filter(({ records }) => id !== null || records <= DETAILED_RECORDS)
    const numbers = textArray(detailed.map(({ change }) => change))
    const rows = await sql<FieldRow[]>`
      select change::float8 as change, row_of as of, record, field, before, after
        from journal_fields(${numbers}::text::bigint[], ${id}::uuid)`
    const fields = Map.groupBy(rows, ({ change }) => change)
    return changes.map((change) =>
      detailed.includes(change)
        ? { ...change, fields: (fields.get(change.change) ?? []).map(shown) }
        : { ...change },
    )
  }, DEADLINE)
}

/** Leaves the values out for a private channel: `before` and `after` absent, not null. */
function shown({ of, record, field, before, after }: FieldRow): FieldChange {
  const change = { of, record, field: postgres.toCamel(field) }
  return of === 'channels' ? change : { ...change, before, after }
}
