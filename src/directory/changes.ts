/** The change log as its followers and writers see it (`drizzle/0002_changes.sql`, D38). */
import type { Connection } from '../database/client.ts'

type Sql = Connection['sql']

/** NOTIFY on this channel wakes followers. It carries nothing: the log says what changed. */
export const CHANGES_CHANNEL = 'chainkin_changes'

export type ChangeKind = 'company' | 'person' | 'round' | 'rebuild'

export interface LoggedChange {
  sequence: number
  kind: ChangeKind
  id: string
}

/**
 * Taken first in a transaction that writes to the directory with several statements: the triggers
 * take the same lock, and taking it late could deadlock with another such transaction.
 */
export async function lockChangeLog(sql: Sql): Promise<void> {
  await sql`select lock_change_log()`
}

/** The first and last sequence that the log holds; both 0 where it is empty. */
export async function logBounds(sql: Sql): Promise<{ first: number; last: number }> {
  const [row] = await sql<{ first: number; last: number }[]>`
    select coalesce(min(sequence), 0)::float8 as first, coalesce(max(sequence), 0)::float8 as last
    from change_log`
  return row ?? { first: 0, last: 0 }
}

export function changesAfter(sql: Sql, position: number, limit: number): Promise<LoggedChange[]> {
  return sql<LoggedChange[]>`
    select sequence::float8 as sequence, kind, id from change_log
    where sequence > ${position}::float8::bigint order by sequence limit ${limit}`
}

/** Asks every instance to load everything anew. @returns the request's place in the log. */
export async function requestRebuild(sql: Sql): Promise<number> {
  await sql`select write_change_log('rebuild', array['00000000-0000-0000-0000-000000000000'::uuid])`
  return (await logBounds(sql)).last
}

/** Deletes what is older than an hour, in steps, but never the newest row. @returns how many rows went. */
export async function trimChangeLog(sql: Sql, limit: number): Promise<number> {
  const result = await sql`
    delete from change_log where sequence in (
      select sequence from change_log
      where at < now() - interval '1 hour' and sequence < (select max(sequence) from change_log)
      order by sequence limit ${limit}
    )`
  return result.count
}
