/**
 * Reads the directory as it was at one moment, slice by slice.
 *
 * - PostgreSQL: one transaction (`repeatable read`, `read only`) with a cursor. Writers don't wait for it.
 * - The embedded database has one session, and a transaction would hold up every call of a server meanwhile. There each
 *   slice is a statement of its own, and the change log says afterwards whether a record changed between the first and
 *   the last of them. If one did, everything is read anew.
 */
import { setTimeout } from 'node:timers/promises'
import {
  type Connection,
  type Database,
  DatabaseUnavailable,
  errorCode,
  isConnectionLost,
} from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import type { Selection } from './selection.ts'

export type Row = Readonly<Record<string, unknown>>

/** All rows of a selection in the order of their ids, some at a time. */
export type ReadRows = (selection: Selection) => AsyncGenerator<readonly Row[]>

/** How the database is read; see above. */
export interface Reading {
  /** Slices of their own instead of one transaction: for the embedded database. */
  isSliced: boolean
  /** Asked between slices. While true, slices are small, and each is followed by a rest as long as it took. */
  isGentle?: (() => Promise<boolean>) | undefined
  /** Pauses before each new attempt, in ms; after the last it gives up. */
  pausesMs?: readonly number[]
}

/** The directory was changed each time that it was read. */
export class ChangedMeanwhile extends Error {
  constructor(times: number) {
    super(
      `the directory was changed while it was read, ${times} times: repeat the export when no import runs`,
    )
  }
}

const DEADLINE_MS = 3_600_000
const SLICE_DEADLINE_MS = 30_000
const SLICE_ROWS = 1_000
/** A call of the server waits for one slice at most. */
const SMALL_SLICE_ROWS = 250
const PAUSES_MS = [1_000, 5_000, 15_000, 30_000]

/**
 * Reads the directory with `work`, as it was at one moment.
 * @param work may be called again, and then begins anew.
 * @throws ChangedMeanwhile, DatabaseUnavailable, what `work` throws.
 */
export async function readMoment<T>(
  database: Database,
  reading: Reading,
  work: (read: ReadRows) => Promise<T>,
): Promise<T> {
  if (reading.isSliced) return readUnchanged(database, reading, work)
  const read = ({ sql }: Connection) => readTransaction(sql, work)
  const outcome = await database.use(read, { deadlineMs: DEADLINE_MS })
  if ('stopped' in outcome) throw outcome.stopped
  return outcome.done
}

/** Result of `work` as a value: thrown through `use`, the pool would take a full disk for its own error. */
type Outcome<T> = { done: T } | { stopped: unknown }

async function readTransaction<T>(
  sql: Connection['sql'],
  work: (read: ReadRows) => Promise<T>,
): Promise<Outcome<T>> {
  let failure: unknown
  const ask = async (statement: string) => {
    try {
      return await sql.unsafe<Row[]>(statement)
    } catch (error) {
      failure = error
      throw error
    }
  }
  await ask('begin isolation level repeatable read read only')
  const outcome = await work(async function* ({ select }) {
    await ask(`declare exported no scroll cursor for ${select} order by t.id`)
    const fetch = () => ask(`fetch ${SLICE_ROWS} from exported`)
    // The next slice is read while one is written.
    for (let next = fetch(); ; ) {
      const rows = await next
      if (rows.length === 0) break
      next = fetch()
      // The next slice is awaited after this one: a failure before that must not count as unhandled.
      next.catch(() => {})
      yield rows
    }
    await ask('close exported')
  }).then(
    (done) => ({ done }),
    (stopped: unknown) => ({ stopped }),
  )
  if (!isConnectionLost(failure)) await sql.unsafe('rollback')
  if (failure === undefined) return outcome
  // The driver reconnects silently, and the new connection has neither the transaction nor its cursor.
  if (!OUTSIDE.test(errorCode(failure) ?? '')) throw failure
  throw new DatabaseUnavailable('the connection was lost half-way', { cause: failure })
}

/** `no_active_sql_transaction`, `invalid_cursor_name` */
const OUTSIDE = /^(25P01|34000)$/

async function readUnchanged<T>(
  database: Database,
  { isGentle, pausesMs = PAUSES_MS }: Reading,
  work: (read: ReadRows) => Promise<T>,
): Promise<T> {
  for (const pauseMs of [0, ...pausesMs]) {
    await setTimeout(pauseMs)
    const before = await lastChange(database)
    const done = await work((selection) => slices(database, selection, isGentle))
    if ((await lastChange(database)) === before) return done
  }
  throw new ChangedMeanwhile(pausesMs.length + 1)
}

/** The newest entry of the change log, which is never trimmed; each change of a record makes one. */
const lastChange = (database: Database) =>
  database.use(({ sql }) => scalar<string>(sql`select max(sequence) from change_log`), {
    deadlineMs: SLICE_DEADLINE_MS,
  })

async function* slices(
  database: Database,
  { select }: Selection,
  isGentle: Reading['isGentle'],
): AsyncGenerator<readonly Row[]> {
  for (let after: string | undefined; ; ) {
    const rests = await isGentle?.()
    const limit = rests ? SMALL_SLICE_ROWS : SLICE_ROWS
    const startedAt = performance.now()
    const where = after === undefined ? '' : `where t.id > '${after}'`
    const statement = `${select} ${where} order by t.id limit ${limit}`
    const rows = await database.use(({ sql }) => sql.unsafe<(Row & { id: string })[]>(statement), {
      deadlineMs: SLICE_DEADLINE_MS,
    })
    if (rests) await setTimeout(performance.now() - startedAt)
    if (rows.length > 0) yield rows
    after = rows.at(-1)?.id
    if (rows.length < limit) return
  }
}
