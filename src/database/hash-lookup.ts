/** Looks up rows by the hash of something secret, which strangers make up by the thousand: keys, cookies. */
import { LRUCache } from 'lru-cache'
import { Batches } from './batches.ts'
import type { Connection, Database } from './client.ts'
import type { Fragment } from './scalar.ts'
import { textArray } from './text-array.ts'

/** How long a hash is known to be nobody's. Secrets are random, so nobody sends one before it is made. */
const UNKNOWN_MS = 5_000
const MAX_UNKNOWN = 20_000
/**
 * The pace of look-ups: what strangers send costs a thousand statements a second at most, one at a time. The first call of each key
 * after a start waits as long.
 */
const EVERY_MS = 1
/** More than a process has connections: a burst of strangers shuts nobody out, and is looked up within a second. */
const MAX_WAITING = 100_000
/** The same for senders who are over a limit already. */
const SLOW_EVERY_MS = 100
const MAX_SLOW = 1_000

/** @param find returns the rows of these hashes, by hash, in one statement */
export function createHashLookup<Row extends {}>(
  find: (hashes: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
) {
  const unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_MS })
  const options = { run, maxInFlight: 1 }
  const normal = new Batches({ ...options, everyMs: EVERY_MS, maxWaiting: MAX_WAITING })
  const slow = new Batches({ ...options, everyMs: SLOW_EVERY_MS, maxWaiting: MAX_SLOW })

  async function run(hashes: readonly string[]): Promise<(Row | undefined)[]> {
    const rows = await find(hashes)
    return hashes.map((hash) => {
      const row = rows.get(hash)
      if (!row) unknown.set(hash, true)
      return row
    })
  }

  /**
   * @param isSlow true for a sender over a limit: its look-up waits longer, and is left out where many wait
   * @throws DatabaseUnavailable
   */
  return async (hash: string, isSlow = false): Promise<Row | undefined> => {
    if (unknown.has(hash) || (isSlow && slow.isFull)) return undefined
    return (isSlow ? slow : normal).submit(hash)
  }
}

/**
 * The hashes as a subquery: each is found by the index. Compared with an array, the array would be read anew for each row
 * where PostgreSQL chooses to read the whole table.
 */
export const rowsOf = (sql: Connection['sql'], hashes: readonly string[]): Fragment =>
  sql`select unnest(${textArray(hashes)}::text::text[])`

/** Checks whether a table has a row of a hash. */
export const createHashCheck = (database: Database, table: 'pending_sign_ins') =>
  createHashLookup((hashes) =>
    database.use(async ({ sql }) => {
      const rows = await sql<{ hash: string }[]>`
        select hash from ${sql(table)} where hash in (${rowsOf(sql, hashes)})`
      return new Map(rows.map(({ hash }) => [hash, true]))
    }),
  )
