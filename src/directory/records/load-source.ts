/** Where the directory is loaded from: a standby, where one was named that has what the load needs, else the primary. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, DatabaseUnavailable } from '../../database/client.ts'
import { migrationState } from '../../database/migrate.ts'
import type { Log } from '../../log.ts'
import { logBounds, momentOf } from './changes.ts'

/** How long a load waits for a standby to receive what it must hold. */
const WAIT_MS = 10_000
const LOOK_MS = 100

export interface Sources {
  primary: Database
  standby?: Database | undefined
}

/**
 * Loads from the standby, or from the primary where that can't be: it does not answer, it lacks what is needed, its position
 * is before the log that the primary still has, so that nobody could follow on from it, or it is no copy of the primary.
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

/** @throws DatabaseUnavailable where it does not become so in time, or can't */
async function untilUsable(primary: Database, standby: Database, since: number): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const lack = await lackOf(primary, standby, since)
    if (lack === undefined) return
    if (performance.now() >= deadline) throw new DatabaseUnavailable(lack)
    await pause(LOOK_MS)
  }
}

/**
 * Changes that the standby has yet to receive; undefined if it has all. @throws DatabaseUnavailable if its changes are not those
 * of the primary
 */
async function lackOf(
  primary: Database,
  standby: Database,
  since: number,
): Promise<string | undefined> {
  // A start migrates the primary right before it loads.
  const { missing } = await migrationState(standby)
  if (missing.length > 0) return `the standby has yet to receive migrations: ${missing.join(', ')}`
  const last = await standby.use(({ sql }) => logBounds(sql).then((bounds) => bounds.last))
  const at = await standby.use(({ sql }) => momentOf(sql, last))
  const { first } = await primary.use(({ sql }) => logBounds(sql))
  const wanted = Math.max(since, first)
  if (last < wanted) {
    return `the standby has the directory's changes up to ${last}, and ${wanted} are needed`
  }
  // As a server has them that was replaced, or one of another database: following on from there would leave what it has alone.
  if (at !== (await primary.use(({ sql }) => momentOf(sql, last)))) {
    throw new DatabaseUnavailable(
      `its change ${last} of the directory is not that of the primary: name a standby of it in DATABASE_READ_URL`,
    )
  }
  return undefined
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
