/** The first look at a PostgreSQL server: waits while it starts, and refuses one that won't do. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, DatabaseUnavailable, errorCode } from './client.ts'
import { explainStart, explainVersion, serverErrorIn } from './failures.ts'
import { scalar } from './scalar.ts'
import { explainSession, sessionFacts } from './session-settings.ts'
import { WAITS } from './waits.ts'

export interface Waiting {
  /** How long to wait for a database that may come; 0: not at all. */
  waitSeconds?: number
  /** Called with the reason when the waiting begins, and whenever the reason changes. */
  onWait?: (reason: string) => void
}

const PAUSE_MS = 250
/** pg_hba.conf has no line for this kind of connection; the transport then tries the other kind, where it may. */
const TURNED_AWAY = '28000'

/** @throws DatabaseUnavailable when it doesn't come in time, and at once where waiting can't help */
export async function reach(database: Database, { waitSeconds = 0, onWait }: Waiting) {
  const end = performance.now() + waitSeconds * 1_000
  let reason = ''
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await check(database)
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      if (isFirst && errorCode(error) === TURNED_AWAY) continue
      if (!error.mayPass || performance.now() >= end) throw error
      if (error.message !== reason) onWait?.(error.message)
      reason = error.message
    }
    await pause(PAUSE_MS)
  }
}

async function check(database: Database): Promise<void> {
  const failure = await database.use(
    async ({ sql }) => {
      // Without a prepared statement, so that any server and pooler can answer.
      const version = await scalar<string>(sql.unsafe('show server_version'))
      const tooOld = explainVersion(version ?? '')
      return tooOld ?? explainSession(await sessionFacts(sql))
    },
    { deadlineMs: WAITS.lookMs },
  )
  if (failure) throw new DatabaseUnavailable(failure.reason, failure)
}

/** Any error of the server with which a program starts, in one line that says what helps. Others stay as they are. */
export function asStartFailure(
  error: unknown,
  { databaseUrl }: { databaseUrl?: string | undefined },
): unknown {
  const refusal = error instanceof DatabaseUnavailable ? undefined : serverErrorIn(error)
  if (!refusal) return error
  const failure = explainStart(refusal, databaseUrl ? 'DATABASE_URL' : 'DATA_DIR')
  return new DatabaseUnavailable(failure.reason, { cause: error, ...failure })
}
