/** Whether this process is to be sent requests: what `/health/ready` answers, and what the metrics say of it. */
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

/** How long the database may take. */
const DEADLINE_MS = 1_000
/** Whoever asks within so many milliseconds shares one look. */
const SHARED_MS = 1_000

export const DRAINING = 'the server is stopping'
export const NO_ANSWER = 'the database does not answer'
export const NOT_MIGRATED = 'the database lacks migrations of this version'
export const TAKES_NO_CHARGES = 'the database takes no charges'

/** What one look found. */
export interface Look {
  reasons: readonly string[]
  /** How far the directory is behind; undefined where the database could not tell. */
  lag?: { seconds: number; changes: number }
}

export type Health = ReturnType<typeof createHealth>

interface HealthOptions {
  maxLagSeconds: number
  log: Log
}

/** @param directory what of it tells how far it is */
export function createHealth(
  database: Pick<Database, 'use'>,
  directory: Pick<Directory, 'position' | 'following'>,
  { maxLagSeconds, log }: HealthOptions,
) {
  let isDraining = false
  /** Whether it is to be tried if the database takes charges: at first, and from a charge that failed until it does. */
  let isDoubted = true
  let shared: { sinceMs: number; look: Promise<Look> } | undefined
  /** What the log was told last. */
  let told = ''

  async function lookNow(): Promise<Look> {
    const { position } = directory
    try {
      const found = await database.use(
        async ({ sql }) => {
          const { missing } = await migrationsOf(sql)
          if (missing.length > 0) return undefined
          return { ...(await logBeyond(sql, position)), isReadOnly: await isReadOnly(sql) }
        },
        { deadlineMs: DEADLINE_MS },
      )
      if (!found) return tell({ reasons: [NOT_MIGRATED] })
      if (isDoubted || found.isReadOnly) {
        const failure = await tryCharging()
        if (failure) return tell({ reasons: [TAKES_NO_CHARGES] }, failure)
      }
      const seconds = lagOf(position, found, directory.following.secondsSinceInStep)
      const isLate = seconds > maxLagSeconds
      const late = `the directory is ${Math.floor(seconds)} s behind the database, and ${maxLagSeconds} are allowed`
      const lag = { seconds, changes: Math.max(0, found.last - position) }
      return tell({ reasons: isLate ? [late] : [], lag })
    } catch (error) {
      // Anybody may read the reason; host, port and user are for the log.
      return tell({ reasons: [NO_ANSWER] }, reasonOf(error))
    }
  }

  /** Does what a charge does, without a charge. @returns why the database takes none; undefined where it does */
  async function tryCharging(): Promise<string | undefined> {
    // A charge that fails meanwhile is for the next look.
    isDoubted = false
    try {
      await database.use(({ sql }) => sql`select meter_probe()`, { deadlineMs: DEADLINE_MS })
    } catch (error) {
      isDoubted = true
      return reasonOf(error)
    }
  }

  /** Tells the log where the answer becomes another. */
  function tell(look: Look, reason?: string): Look {
    const kind = look.reasons.map((one) => one.replace(/\d+/g, '')).join()
    if (kind !== told) {
      if (kind === '') log.info('ready again')
      else log.warn('not ready', { reasons: look.reasons, ...(reason && { reason }) })
    }
    told = kind
    return look
  }

  /** What a look at the database found within the last second. Never throws. */
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
    /** A charge failed: the next look tries whether the database takes any. */
    doubtCharges() {
      isDoubted = true
    },
    /** From now on it is not ready, until it ends. */
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
 * A change that was not followed can't have been seen before it was made, nor before the memory was last in step. The
 * later of the two counts: a long transaction dates its changes early, and changes that come without end leave no
 * moment in step.
 */
function lagOf(
  position: number,
  { last, oldestSeconds }: { last: number; oldestSeconds: number | null },
  secondsSinceInStep: number,
): number {
  if (last === position) return 0
  return Math.max(0, Math.min(oldestSeconds ?? secondsSinceInStep, secondsSinceInStep))
}
