/**
 * A dry run: the statements of the import on copies of the tables that it writes. One transaction makes the copies,
 * temporary tables that go before the real ones by name, and is rolled back: it draws no sequence, fires no trigger
 * and takes no lock that a writer waits for. It sees the directory as it was when it began.
 */
import postgres from 'postgres'
import type { Connection, Database } from '../database/client.ts'
import type { IdentifiedRow, RecordSchema } from './schema.ts'
import type { Difference } from './summary.ts'

const TABLES = [
  'companies',
  'people',
  'private_channels',
  'funding_rounds',
  'round_investors',
  'record_sources',
]

/** What a function of the transaction alone replaces in the statements that write. */
const LOCK = 'lock_change_log()'
const GUARD = 'pg_temp.dry_run()'

const MAKE_COPIES = `
do $$
declare
  v_table text;
  v_from text;
begin
  foreach v_table in array '{${TABLES.join()}}'::text[] loop
    select format('%I.%I', n.nspname, c.relname) into v_from
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.oid = v_table::regclass;
    execute format('create temp table %I (like %s including all) on commit drop', v_table, v_from);
    execute format('insert into pg_temp.%I select * from %s', v_table, v_from);
    execute format('analyze pg_temp.%I', v_table);
  end loop;
end $$;
create function ${GUARD} returns void language sql as 'select'`

/** As long as the slowest source takes to be read. */
const DEADLINE_MS = 24 * 3_600_000

/**
 * Runs `work` with a database whose tables of records are copies; what it writes is gone afterwards.
 * @throws what `work` throws, and DatabaseUnavailable
 */
export async function onCopies<T>(
  database: Database,
  work: (copies: Database) => Promise<T>,
): Promise<T> {
  const run = async (connection: Connection) => {
    await connection.sql.unsafe('begin isolation level repeatable read')
    try {
      await connection.sql.unsafe(MAKE_COPIES)
      const copies: Database = { ...database, use: (inner) => inner(connection) }
      // The pool would take the system's errors of files for its own: they pass as values.
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
    const { number, line } = row.source
    const name = field === 'company_id' ? 'company' : postgres.toCamel(field)
    const place = { row: number, line, record: slug ?? externalId ?? id, field: name }
    return [one.private ? place : { ...place, before, after }]
  })
}
