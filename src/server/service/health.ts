/** Readiness of this process, for `/health/ready` and the metrics. */
import {
  type Connection,
  type Database,
  DatabaseUnavailable,
  describeError,
} from '../../database/client.ts'
import { migrationsOf } from '../../database/migrate.ts'
import { scalar } from '../../database/scalar.ts'
import { logBeyond } from '../../directory/records/changes.ts'
import type { Directory } from '../../directory/records/directory.ts'
import type { Log } from '../../log.ts'
import type { Readiness } from '../../site/http/health-state.ts'

/** Timeout of the database. */
const DEADLINE_MS = 1_000
/** Time for which one look is shared by all requests. */
const SHARED_MS = 1_000

export const DRAINING = 'the server is stopping'
export const NO_ANSWER = 'the database does not answer'
export const NOT_MIGRATED = 'the database lacks migrations of this version'
export const TAKES_NO_CHARGES = 'the database takes no charges'

/** The result of one look at the database. */
export interface Look {
  reasons: readonly string[]
  /** The directory's delay; absent where the database did not answer. */
  lag?: { seconds: number; changes: number }
}

export type Health = ReturnType<typeof createHealth>

interface HealthOptions {
  maxLagSeconds: number
  log: Log
}

export function createHealth(
  database: Pick<Database, 'use'>,
  directory: Pick<Directory, 'position' | 'following'>,
  { maxLagSeconds, log }: HealthOptions,
) {
  let isDraining = false
  /** True at first and after a failed charge, until a probe shows that the database takes charges. */
  let isDoubted = true
  let shared: { sinceMs: number; look: Promise<Look> } | undefined
  /** The state in the log's last line. */
  let loggedState = ''

  async function lookNow(): Promise<Look> {
    const { position } = directory
    try {
      const state = await database.use(
        async ({ sql }) => {
          const { missing } = await migrationsOf(sql)
          if (missing.length > 0) return undefined
          return { ...(await logBeyond(sql, position)), isReadOnly: await isReadOnly(sql) }
        },
        { deadlineMs: DEADLINE_MS },
      )
      if (!state) return tell({ reasons: [NOT_MIGRATED] })
      if (isDoubted || state.isReadOnly) {
        const failure = await tryCharging()
        if (failure) return tell({ reasons: [TAKES_NO_CHARGES] }, failure)
      }
      const seconds = lagOf(position, state, directory.following.secondsSinceInStep)
      const isLate = seconds > maxLagSeconds
      const late = `the directory is ${Math.floor(seconds)} s behind the database, and ${maxLagSeconds} are allowed`
      const lag = { seconds, changes: Math.max(0, state.last - position) }
      return tell({ reasons: isLate ? [late] : [], lag })
    } catch (error) {
      // The reason is public, so host, port and user go to the log alone.
      return tell({ reasons: [NO_ANSWER] }, reasonOf(error))
    }
  }

  /** Probes a charge. @returns the reason why the database takes none, if so */
  async function tryCharging(): Promise<string | undefined> {
    // Reset first: a charge that fails during the probe is for the next look.
    isDoubted = false
    try {
      await database.use(({ sql }) => sql`select meter_probe()`, { deadlineMs: DEADLINE_MS })
    } catch (error) {
      isDoubted = true
      return reasonOf(error)
    }
  }

  /** Logs a change of the answer. */
  function tell(look: Look, reason?: string): Look {
    const kind = look.reasons.map((one) => one.replace(/\d+/g, '')).join()
    if (kind !== loggedState) {
      if (kind === '') log.info('ready again')
      else log.warn('not ready', { reasons: look.reasons, ...(reason && { reason }) })
    }
    loggedState = kind
    return look
  }

  /** Looks at the database, at most once a second. Never throws. */
  function look(): Promise<Look> {
    const nowMs = performance.now()
    if (!shared || nowMs - shared.sinceMs >= SHARED_MS) {
      shared = { sinceMs: nowMs, look: lookNow() }
    }
    return shared.look
  }

  return {
    look,
    async readiness(): Promise<Readiness> {
      if (isDraining) return { status: 'unready', reasons: [DRAINING] }
      const { reasons } = await look()
      return { status: reasons.length === 0 ? 'ready' : 'unready', reasons }
    },
    /** Makes the next look probe a charge. Called after a failed one. */
    doubtCharges() {
      isDoubted = true
    },
    /** Makes the process unready until it ends. */
    drain() {
      isDraining = true
    },
    get isDraining() {
      return isDraining
    },
  }
}

const isReadOnly = (sql: Connection['sql']) =>
  scalar<boolean>(sql`select current_setting('transaction_read_only') = 'on'`)

const reasonOf = (error: unknown) =>
  error instanceof DatabaseUnavailable ? error.message : describeError(error)

/**
 * The delay in seconds: the time since the oldest unseen change, or since the memory was last in step, whichever is shorter. A
 * long transaction dates its changes early, and changes without end leave no moment in step.
 */
function lagOf(
  position: number,
  { last, oldestSeconds }: { last: number; oldestSeconds: number | null },
  secondsSinceInStep: number,
): number {
  if (last === position) return 0
  return Math.max(0, Math.min(oldestSeconds ?? secondsSinceInStep, secondsSinceInStep))
}
