/** The change log as its followers and writers see it (`drizzle/functions/directory/changes.sql`). */
import type { Connection } from '../../database/client.ts'

type Sql = Connection['sql']

/** A NOTIFY on this channel wakes followers. It has no payload: the change log says what changed. */
export const CHANGES_CHANNEL = 'chainkin_changes'

export interface LoggedChange {
  sequence: number
  kind: 'company' | 'person' | 'round' | 'redirect' | 'picture' | 'rebuild'
  id: string
}

/** With when it was made, in seconds since the epoch. */
export type DatedChange = LoggedChange & { at: number }

/** The first and last sequence that the log holds; both 0 where it is empty. */
export async function logBounds(sql: Sql): Promise<{ first: number; last: number }> {
  const [row] = await sql<{ first: number; last: number }[]>`
    select coalesce(min(sequence), 0)::float8 as first, coalesce(max(sequence), 0)::float8 as last
    from change_log`
  return row ?? { first: 0, last: 0 }
}

/** The log's last change, and when it was made, in seconds since the epoch; 0 and null where the log is empty. */
export async function logEnd(sql: Sql): Promise<{ position: number; positionAt: number | null }> {
  const [row] = await sql<{ position: number; positionAt: number }[]>`
    select sequence::float8 as position, extract(epoch from at)::float8 as "positionAt"
    from change_log order by sequence desc limit 1`
  return row ?? { position: 0, positionAt: null }
}

/** When a change was made, in seconds since the epoch; null where the log doesn't have it. */
export async function momentOf(sql: Sql, sequence: number): Promise<number | null> {
  const [row] = await sql<{ at: number }[]>`
    select extract(epoch from at)::float8 as at from change_log where sequence = ${sequence}`
  return row?.at ?? null
}

/** Where the log ends, and how old the first change beyond a position is, in seconds; null where there is none. */
export async function logBeyond(
  sql: Sql,
  position: number,
): Promise<{ last: number; oldestSeconds: number | null }> {
  const [row] = await sql<{ last: number; oldestSeconds: number | null }[]>`
    select coalesce(max(sequence), 0)::float8 as last, (
      select extract(epoch from clock_timestamp() - at)::float8
      from change_log where sequence > ${position} order by sequence limit 1
    ) as "oldestSeconds"
    from change_log`
  return row ?? { last: 0, oldestSeconds: null }
}

/**
 * Reads the next changes, and in the same statement whether the log still reaches back to the position:
 * a trim can't come between. A position beyond the log's end is of another database, so it isn't complete.
 * @returns also when the change of the position itself was made: where that is another moment than before, the log is another
 */
export async function changesAfter(
  sql: Sql,
  position: number,
  limit: number,
): Promise<{ changes: DatedChange[]; isComplete: boolean; positionAt: number | null }> {
  const rows = await sql<(DatedChange & { isComplete: boolean; positionAt: number | null })[]>`
    with bounds as (select min(sequence) as first, max(sequence) as last from change_log)
    select sequence::float8 as sequence, kind, id, extract(epoch from at)::float8 as at,
      ${position} between first and last as "isComplete",
      (select extract(epoch from p.at)::float8 from change_log p where p.sequence = ${position}) as "positionAt"
    from bounds left join lateral (
      select sequence, kind, id, at from change_log
      where sequence > ${position} order by sequence limit ${limit}
    ) log on true order by log.sequence`
  return {
    changes: rows.filter(({ sequence }) => sequence !== null),
    isComplete: rows[0]?.isComplete ?? false,
    positionAt: rows[0]?.positionAt ?? null,
  }
}

/** Asks every instance to load everything anew. @returns the request's place in the log. */
export async function requestRebuild(sql: Sql): Promise<number> {
  await sql`select write_change_log('rebuild', array['00000000-0000-0000-0000-000000000000'::uuid])`
  return (await logBounds(sql)).last
}

/** Deletes at most `limit` rows that are older than an hour, never the newest. @returns how many were deleted. */
export async function trimChangeLog(sql: Sql, limit: number): Promise<number> {
  const result = await sql`
    delete from change_log where sequence in (
      select sequence from change_log
      where at < now() - interval '1 hour' and sequence < (select max(sequence) from change_log)
      order by sequence limit ${limit}
    )`
  return result.count
}
