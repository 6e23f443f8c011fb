/**
 * The log of requests: the latest calls of each account, written in the background. Nothing of it delays a call or
 * makes it fail. Calls of one key within some seconds become one row, a chunk, and many chunks one statement.
 */
import { type Database, DatabaseUnavailable, describeError } from '../../database/client.ts'
import type { Log } from '../../log.ts'
import type { ResolvedKey } from './key-cache.ts'
import { type LoggedCall, lineOf } from './request-line.ts'

/** Calls of an account that the log keeps. */
export const KEPT_CALLS = 1_000
/** After this time a call is written, in milliseconds. */
export const WRITTEN_AFTER_MS = 20_000

const LOOK_EVERY_MS = 500
/** A row stays below the size from which PostgreSQL compresses it, which takes longer than to write it. */
const CHUNK_CALLS = 20
/** Chunks of one statement: the embedded database decides no charge meanwhile. */
const CHUNKS_AT_ONCE = 250
/** Calls that may wait, about 15 MB of them; then the oldest are dropped. */
const MAX_WAITING = 100_000
/** An account is pruned once in about so many of its calls. */
const PRUNE_EVERY = 500
const STOP_DEADLINE_MS = 5_000

/** Calls of one key that are written together. */
interface Chunk {
  account: string
  key: string
  beganMs: number
  lines: string
  size: number
  charged: number
  free: number
  refused: number
  failed: number
}

export type RequestLog = ReturnType<typeof createRequestLog>

interface Options {
  maxWaiting?: number
  /** From 0 to 1: decides which accounts are pruned. */
  random?: () => number
}

export function createRequestLog(
  database: Database,
  log: Log,
  { maxWaiting = MAX_WAITING, random = Math.random }: Options = {},
) {
  /** By key, in the order of their beginning. */
  const open = new Map<string, Chunk>()
  /** Chunks that take no more calls, oldest first. */
  const closed: Chunk[] = []
  let waiting = 0
  let dropped = 0
  /** Statements go one after the other. */
  let writing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    if (waiting > 0) writing = writing.then(writeDue)
  }, LOOK_EVERY_MS)

  /** Notes a call that has ended just now. */
  function note(key: Pick<ResolvedKey, 'id' | 'accountId'>, call: Omit<LoggedCall, 'afterMs'>) {
    const nowMs = performance.now()
    let chunk = open.get(key.id)
    if (!chunk) {
      const counts = { size: 0, charged: 0, free: 0, refused: 0, failed: 0 }
      chunk = { account: key.accountId, key: key.id, beganMs: nowMs, lines: '', ...counts }
      open.set(key.id, chunk)
    }
    chunk.lines += lineOf(call, nowMs - chunk.beganMs)
    chunk.size++
    if (call.status >= 500) chunk.failed++
    else if (call.status >= 400) chunk.refused++
    else if (call.credits) chunk.charged++
    else chunk.free++
    if (chunk.size === CHUNK_CALLS) close(chunk)
    if (++waiting > maxWaiting) dropOldest()
  }

  function close(chunk: Chunk) {
    open.delete(chunk.key)
    closed.push(chunk)
  }

  function dropOldest() {
    const [first] = open.values()
    if (closed.length === 0 && first) close(first)
    forget(closed.splice(0, 1))
  }

  function forget(chunks: readonly Chunk[]) {
    const calls = sizeOf(chunks)
    waiting -= calls
    dropped += calls
  }

  /** Writes the chunks that are full or old enough, until a statement fails. */
  async function writeDue() {
    closeWhere(({ beganMs }) => beganMs <= performance.now() - WRITTEN_AFTER_MS)
    while (closed.length > 0 && (await writeSome())) {
      // Until all are written.
    }
  }

  function closeWhere(isDue: (chunk: Chunk) => boolean) {
    for (const chunk of open.values()) if (isDue(chunk)) close(chunk)
  }

  /** @returns false where nothing could be written: what is not sent stays for the next time. */
  async function writeSome(): Promise<boolean> {
    const chunks = closed.splice(0, CHUNKS_AT_ONCE)
    try {
      await writeChunks(database, chunks)
    } catch (error) {
      const isUnsent = error instanceof DatabaseUnavailable && !error.isUnknown
      if (isUnsent) closed.unshift(...chunks)
      else forget(chunks)
      // What may have been written is not written again.
      if (!(error instanceof DatabaseUnavailable)) {
        log.error('calls were not written to the request log', { error: describeError(error) })
      }
      return false
    }
    waiting -= sizeOf(chunks)
    for (const { account, size } of chunks) {
      if (random() * PRUNE_EVERY < size) await prune(account)
    }
    return true
  }

  async function prune(account: string) {
    await pruneAccount(database, account).catch((error: unknown) => {
      // Later calls prune the account.
      if (!(error instanceof DatabaseUnavailable)) {
        log.error('the request log was not pruned', { error: describeError(error) })
      }
    })
  }

  return {
    note,
    /** Calls that were never written: too many waited, or the database failed at them. */
    get dropped() {
      return dropped
    },
    /** Writes what waits of an account, so that its page shows it. */
    write(account: string): Promise<void> {
      closeWhere((chunk) => chunk.account === account)
      writing = writing.then(writeDue)
      return writing
    },
    /** Writes all that waits, for some seconds at most, and takes no more. */
    async stop() {
      clearInterval(timer)
      closeWhere(() => true)
      writing = writing.then(writeDue)
      let late: ReturnType<typeof setTimeout> | undefined
      const deadline = new Promise((resolve) => {
        late = setTimeout(resolve, STOP_DEADLINE_MS)
      })
      await Promise.race([writing, deadline])
      clearTimeout(late)
      if (waiting > 0) log.warn('calls are missing in the request log', { calls: waiting })
    },
  }
}

const sizeOf = (chunks: readonly Chunk[]) => chunks.reduce((sum, { size }) => sum + size, 0)

/** Writes chunks of accounts that are there. */
async function writeChunks(database: Database, chunks: readonly Chunk[]): Promise<void> {
  // Ids, figures and lines hold nothing that has to be escaped.
  const column = (value: (chunk: Chunk) => string | number) =>
    `{${chunks.map((chunk) => `"${value(chunk)}"`).join()}}`
  await database.use(({ sql }) => {
    // After the wait for a connection: the database's clock, from which ages are taken, went on meanwhile.
    const nowMs = performance.now()
    return sql`
      insert into request_chunks (account_id, key_id, began_at, charged, free, refused, failed, calls)
      select account, key, meter_now() - make_interval(secs => age_ms / 1000.0),
             charged, free, refused, failed, lines
        from unnest(
               ${column(({ account }) => account)}::text::uuid[],
               ${column(({ key }) => key)}::text::uuid[],
               ${column(({ beganMs }) => (nowMs - beganMs).toFixed(3))}::text::float8[],
               ${column(({ charged }) => charged)}::text::integer[],
               ${column(({ free }) => free)}::text::integer[],
               ${column(({ refused }) => refused)}::text::integer[],
               ${column(({ failed }) => failed)}::text::integer[],
               ${column(({ lines }) => lines)}::text::text[]
             ) as chunk (account, key, age_ms, charged, free, refused, failed, lines)
       where (select a.id from accounts a where a.id = chunk.account) is not null`
  })
}

/** Deletes chunks before the newest `KEPT_CALLS` calls of an account; the days go on counting their calls. */
async function pruneAccount(database: Database, account: string): Promise<void> {
  await database.use(
    ({ sql }) => sql`
      with oldest as materialized (
        select sequence
          from (select sequence, sum(charged + free + refused + failed) over (order by sequence desc) as calls
                  from request_chunks where account_id = ${account}
                 order by sequence desc limit ${KEPT_CALLS}::integer) newest
         where calls >= ${KEPT_CALLS}::integer
         order by sequence desc limit 1
      ), gone as (
        delete from request_chunks
         where account_id = ${account} and sequence < (select sequence from oldest)
        returning (began_at at time zone 'UTC')::date as day, charged, free, refused, failed
      )
      insert into request_days as d (account_id, day, charged, free, refused, failed)
      select ${account}::uuid, day, sum(charged), sum(free), sum(refused), sum(failed)
        from gone group by day order by day
      on conflict (account_id, day) do update
        set charged = d.charged + excluded.charged, free = d.free + excluded.free,
            refused = d.refused + excluded.refused, failed = d.failed + excluded.failed`,
  )
}
