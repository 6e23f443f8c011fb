/**
 * Takes what was deleted out of the files of the embedded database. PostgreSQL leaves the bytes of a deleted row in its
 * table until they are written over, values in the planner's statistics, and both in its log.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Database } from './client.ts'
import { DataDirError, databaseFolders, removeLeftCopies, takeLock } from './data-dir.ts'
import { TABLES_OF_PEOPLE } from './tables/erasures.ts'

const DEADLINE = { deadlineMs: 600_000 }
const LOG_FILE = /^[0-9A-F]{24}$/
/** PostgreSQL keeps a few files of its log to use again; each round ends one. */
const MOST_ROUNDS = 64
const WAIT_MS = 30_000

/** Writes the tables anew, with statistics of what they hold. Each is locked meanwhile. */
export async function rewriteTables(database: Database): Promise<void> {
  for (const table of TABLES_OF_PEOPLE) {
    await database.use(({ sql }) => sql.unsafe(`vacuum (full, analyze) ${table}`), DEADLINE)
  }
  await database.use(({ sql }) => sql`vacuum full pg_statistic`, DEADLINE)
}

/**
 * On a PostgreSQL, which others use meanwhile: frees the rows' places and makes new statistics, without holding anybody up.
 * Bytes stay until they are written over.
 */
export async function freeRows(database: Database): Promise<void> {
  for (const table of TABLES_OF_PEOPLE) {
    await database.use(({ sql }) => sql.unsafe(`vacuum (analyze) ${table}`), DEADLINE)
  }
}

/**
 * Ends every file of the log that there is, so that none is left or used again.
 * @param folder the cluster's. No backup of it may be made meanwhile.
 * @throws Error where files stay
 */
export async function endLog(database: Database, folder: string): Promise<void> {
  const files = async () =>
    (await readdir(join(folder, 'pg_wal'))).filter((name) => LOG_FILE.test(name))
  const old = await files()
  await database.use(async ({ sql }) => {
    // Else old files would be renamed, and lie there with what they hold until they are written over.
    await sql`set wal_recycle = off`
    try {
      for (let round = 0; round < MOST_ROUNDS; round++) {
        await sql`select pg_switch_wal()`
        await sql`checkpoint`
        const left = await files()
        if (!old.some((name) => left.includes(name))) return
      }
      throw new Error('old files of the log are still there')
    } finally {
      await sql`reset wal_recycle`
    }
  }, DEADLINE)
}

/** Does all of it for a data directory's database. The caller holds `noBackups`. */
export async function scrubFiles(database: Database, dataDir: string): Promise<void> {
  await rewriteTables(database)
  await endLog(database, databaseFolders(dataDir).current)
  await removeLeftCopies(dataDir)
}

/** Keeps backups from being made until it is closed. @throws DataDirError where one goes on for long */
export async function noBackups(dataDir: string): Promise<Disposable> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const lock = takeLock(dataDir, 'backup-lock')
    if (lock) return lock
    if (performance.now() > deadline) {
      throw new DataDirError(`a backup of ${dataDir} is being made: repeat this when it is done`)
    }
    await setTimeout(100)
  }
}
