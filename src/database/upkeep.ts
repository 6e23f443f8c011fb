/**
 * What PostgreSQL's background processes do, and the embedded database, one session, has nobody for:
 * checkpoints, without which its log would grow until the next stop, and vacuum.
 */
import type { Database } from './client.ts'
import { takeLock } from './data-dir.ts'

const EVERY_MS = 5_000

/** Of log since the last checkpoint. A start after a kill reads this much again: some tenths of a second. */
const CHECKPOINT_BYTES = 32 * 1024 * 1024

/** How often to look for what needs a vacuum, in rounds of `EVERY_MS`. */
const VACUUM_ROUNDS = 12

const DEADLINE_MS = 60_000

/** Keeps the database of a data directory in shape until stopped. */
export function keepUp(database: Database, dataDir: string): { stop(): Promise<void> } {
  let round = 0
  let working: Promise<void> = Promise.resolve()
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    round++
    // What fails now, on a full disk for example, is tried again in the next round.
    working = work(round)
      .catch(() => {})
      .finally(() => {
        busy = false
      })
  }, EVERY_MS)

  async function work(number: number) {
    await checkpointIfNeeded(database, dataDir)
    if (number % VACUUM_ROUNDS === 0) await vacuumIfNeeded(database)
  }

  async function stop() {
    clearInterval(timer)
    await working
  }
  return { stop }
}

/** Takes a checkpoint where enough has been logged since the last one, and no backup needs that log. */
export async function checkpointIfNeeded(
  database: Database,
  dataDir: string,
  bytes = CHECKPOINT_BYTES,
): Promise<boolean> {
  const [row] = await database.use(
    ({ sql }) => sql<{ needed: boolean }[]>`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) > ${bytes} as needed
        from pg_control_checkpoint()`,
  )
  if (!row?.needed) return false
  const lock = takeLock(dataDir, 'backup-lock')
  if (!lock) return false
  try {
    await database.use(({ sql }) => sql`checkpoint`, { deadlineMs: DEADLINE_MS })
    return true
  } finally {
    lock.close()
  }
}

/** Vacuums the tables that autovacuum's default thresholds name, one statement each. @returns their names. */
export async function vacuumIfNeeded(database: Database): Promise<string[]> {
  // A session counts for itself first, and PGlite's never finds the time to hand its counts over.
  await database.use(({ sql }) => sql`select pg_stat_force_next_flush()`)
  const tables = await database.use(
    ({ sql }) => sql<{ name: string }[]>`
      select c.oid::regclass::text as name
        from pg_class c left join pg_stat_all_tables s on s.relid = c.oid
       where c.relkind in ('r', 't', 'm')
         and (s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
           or s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0)
           or age(c.relfrozenxid) > 200000000)
       order by 1`,
  )
  for (const { name } of tables) {
    await database.use(({ sql }) => sql.unsafe(`vacuum (analyze) ${name}`), {
      deadlineMs: DEADLINE_MS,
    })
  }
  return tables.map(({ name }) => name)
}
