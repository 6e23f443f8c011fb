/** Checkpoints and vacuum for the embedded database: its single session has no background process that does them. */
import { setTimeout } from 'node:timers/promises'
import type { Database } from './client.ts'
import { takeLock } from './data-dir.ts'
import { isTrue } from './scalar.ts'

const EVERY_MS = 5_000

/** Bytes of log since the last checkpoint. A start after a kill reads at most this much: some tenths of a second. */
const CHECKPOINT_BYTES = 32 * 1024 * 1024

/** How many rounds of `EVERY_MS` pass between two looks at what needs a vacuum. */
const VACUUM_ROUNDS = 12

const DEADLINE_MS = 60_000

/** Maintains the database of a data directory until stopped. */
export function startMaintenance(database: Database, dataDir: string): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping

  async function run() {
    for (let round = 1; !signal.aborted; round++) {
      await setTimeout(EVERY_MS, undefined, { signal })
      try {
        await checkpointIfNeeded(database, dataDir)
        if (round % VACUUM_ROUNDS === 0) await vacuumIfNeeded(database)
      } catch {
        // The next round tries again what fails now, on a full disk for example.
      }
    }
  }

  // Stopping ends the wait between two rounds with an AbortError.
  const running = run().catch(() => {})
  return {
    stop() {
      stopping.abort()
      return running
    },
  }
}

/** Takes a checkpoint when enough has been logged since the last one, unless a running backup needs that log. */
export async function checkpointIfNeeded(
  database: Database,
  dataDir: string,
  bytes = CHECKPOINT_BYTES,
): Promise<boolean> {
  const isNeeded = await database.use(({ sql }) =>
    isTrue(sql`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) > ${bytes} from pg_control_checkpoint()`),
  )
  if (!isNeeded) return false
  using lock = takeLock(dataDir, 'backup-lock')
  if (!lock) return false
  await database.use(({ sql }) => sql`checkpoint`, { deadlineMs: DEADLINE_MS })
  return true
}

/** Vacuums the tables that autovacuum's default thresholds name, one statement each. @returns their names. */
export async function vacuumIfNeeded(database: Database): Promise<string[]> {
  // A session keeps its counts until it is idle, which PGlite's never is: flush them first.
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
