/**
 * A dry run: the statements of the import on copies of the tables that it writes. One transaction makes the copies,
 * temporary tables that go before the real ones by name, and is rolled back: it draws no sequence, fires no trigger
 * and takes no lock that a writer waits for. It sees the directory as it was when it began.
 */
import { setTimeout } from 'node:timers/promises'
import postgres from 'postgres'
import type { Connection, Database } from '../../database/client.ts'
import { withoutAddress } from './findings.ts'
import type { IdentifiedRow, RecordSchema } from './schema.ts'
import type { Difference, KindName } from './summary.ts'

/** The tables that an import of a kind writes. Others are read where they are. */
const WRITTEN: Readonly<Record<KindName, readonly string[]>> = {
  companies: ['companies'],
  people: ['people', 'private_channels'],
  rounds: ['funding_rounds', 'round_investors'],
}
/** Table for imports with a source; without one its copy is empty. */
const OF_SOURCES = 'record_sources'

/** Call in the statements that write; the guard, which only the transaction has, takes its place. */
const LOCK = 'lock_change_log()'
const GUARD = 'pg_temp.dry_run()'

/** Pages that one statement copies: some milliseconds of work. */
const PIECE_PAGES = 16

interface Original {
  /** The table's name with its schema's, quoted. */
  name: string
  /** Size in pages. Pages added later hold no rows that the transaction sees. */
  pages: number
  /** Statements that make the indexes of the copy. */
  indexes: string[]
}

/**
 * Statements that copy a table. Indexes come last: one sort each is faster, and it counts the rows, which the planner
 * needs.
 */
async function stepsOf({ sql }: Connection, table: string, hasRows: boolean): Promise<string[]> {
  const [original] = await sql.unsafe<[Original]>(`
    select format('%I.%I', n.nspname, c.relname) as name,
           (pg_relation_size(c.oid) / current_setting('block_size')::integer)::integer as pages,
           (select coalesce(json_agg(regexp_replace(pg_get_indexdef(i.indexrelid), ' ON .+? USING ', ' ON pg_temp.${table} USING ')), '[]')
              from pg_index i where i.indrelid = c.oid) as indexes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = '${table}'::regclass`)
  const { name, pages, indexes } = original
  const starts = hasRows
    ? Array.from({ length: Math.ceil(pages / PIECE_PAGES) }, (_, piece) => piece * PIECE_PAGES)
    : []
  return [
    `create temp table ${table} (like ${name} including all excluding indexes) on commit drop`,
    ...starts.map(
      (start) =>
        `insert into pg_temp.${table} select * from ${name} where ctid >= '(${start},0)' and ctid < '(${start + PIECE_PAGES},0)'`,
    ),
    ...indexes,
  ]
}

const MAKE_GUARD = `
create function ${GUARD} returns void language sql as 'select'`

/** Long enough for the slowest source. */
const DEADLINE_MS = 24 * 3_600_000

export interface CopiedTables {
  kinds: readonly KindName[]
  hasSource: boolean
  /** While true, each statement is followed by a rest as long as it took. */
  isGentle?: (() => Promise<boolean>) | undefined
}

/**
 * Runs `work` with a database whose tables of these kinds of records are copies; what it writes is gone afterwards.
 * @throws what `work` throws, and DatabaseUnavailable
 */
export async function onCopies<T>(
  database: Database,
  { kinds, hasSource, isGentle }: CopiedTables,
  work: (copies: Database) => Promise<T>,
): Promise<T> {
  const run = async (connection: Connection) => {
    await connection.sql.unsafe('begin isolation level repeatable read')
    try {
      const tables = kinds.flatMap((kind) => WRITTEN[kind])
      const copied = [
        ...tables.map((table) => [table, true] as const),
        [OF_SOURCES, hasSource] as const,
      ]
      for (const [table, hasRows] of copied) {
        for (const step of await stepsOf(connection, table, hasRows)) {
          const startedAt = performance.now()
          await connection.sql.unsafe(step)
          const tookMs = performance.now() - startedAt
          if (await isGentle?.()) await setTimeout(tookMs)
        }
      }
      await connection.sql.unsafe(MAKE_GUARD)
      const copies: Database = { ...database, use: (inner) => inner(connection) }
      // Passed as a value: the pool would take errors of files for its own.
      return await work(copies).then(
        (done) => ({ done }),
        (failure: unknown) => ({ failure }),
      )
    } finally {
      await connection.sql.unsafe('rollback')
    }
  }
  const outcome = await database.use(run, { deadlineMs: DEADLINE_MS })
  if ('failure' in outcome) throw outcome.failure
  return outcome.done
}

/**
 * The statement that writes a batch, on copies alone: it calls a function that only their transaction has. On a connection
 * that the driver had to make anew, outside of the transaction, it fails before it writes.
 */
export function onlyOnCopies(write: string): string {
  if (!write.includes(LOCK)) throw new Error('a statement that writes does not take the lock')
  return write.replace(LOCK, GUARD)
}

/** Tells what writing these rows will change, value by value; of private channels only that they change. */
export async function differencesOf(
  { sql }: Connection,
  schema: RecordSchema,
  rows: readonly IdentifiedRow[],
  input: string,
  most: number,
): Promise<Difference[]> {
  const found = await sql.unsafe<
    { index: number; field: string; before: unknown; after: unknown; private: boolean }[]
  >(schema.differences, [input, most])
  return found.flatMap(({ index, field, before, after, ...one }) => {
    const row = rows[index - 1]
    if (!row?.stored) return []
    const { slug, externalId, id } = row.stored
    const key = slug ?? (withoutAddress(externalId) === externalId ? externalId : null) ?? id
    const { number, line } = row.source
    const name = field === 'company_id' ? 'company' : postgres.toCamel(field)
    const place = { row: number, line, record: key, field: name }
    if (one.private) return [place]
    return [{ ...place, before: withoutAddress(before), after: withoutAddress(after) }]
  })
}
