/** Where the directory is loaded from: a standby, where one was named that has what the load needs, else the primary (D174). */
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, DatabaseUnavailable } from '../database/client.ts'
import type { Log } from '../log.ts'
import { logBounds } from './changes.ts'

/** How long a load waits for a standby to receive what it must hold. */
const WAIT_MS = 10_000
const LOOK_MS = 100

export interface Sources {
  primary: Database
  standby?: Database | undefined
}

/**
 * Loads from the standby, or from the primary where that can't be: it does not answer, it lacks what is needed, or its
 * position is before the log that the primary still has, so that nobody could follow on from it.
 * @param since the position that the load must have reached
 * @param load loads everything; what it throws for the primary is thrown
 */
export async function loadFrom<T>(
  { primary, standby }: Sources,
  since: number,
  log: Log,
  load: (source: Database) => Promise<T>,
): Promise<T> {
  if (standby) {
    try {
      await untilUsable(primary, standby, since)
      return await load(standby)
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      log.warn('the directory is loaded from the primary, because the standby can’t be used', {
        reason: error.message,
      })
    }
  }
  return load(primary)
}

/** @throws DatabaseUnavailable where it does not become so in time */
async function untilUsable(primary: Database, standby: Database, since: number): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const { last } = await standby.use(({ sql }) => logBounds(sql))
    const { first } = await primary.use(({ sql }) => logBounds(sql))
    const wanted = Math.max(since, first)
    if (last >= wanted) return
    if (performance.now() >= deadline) {
      throw new DatabaseUnavailable(
        `the standby has the directory's changes up to ${last}, and ${wanted} are needed`,
      )
    }
    await pause(LOOK_MS)
  }
}

/** The database, as long as it has the changes up to `position`: where connections go to another server, that one may be behind. */
export function notBefore(database: Database, position: number): Database {
  return {
    ...database,
    use: (work, options) =>
      database.use(async (connection) => {
        const { last } = await logBounds(connection.sql)
        if (last < position) {
          throw new DatabaseUnavailable('what is loaded was begun on a server that is further')
        }
        return work(connection)
      }, options),
  }
}
