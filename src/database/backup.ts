/**
 * Backups of the embedded database, made as PostgreSQL's manual says ("Making a Base Backup Using the Low
 * Level API"): the files are copied while the database runs, the log of that time is added, and the first
 * start from the copy replays the log. A backup holds everything that was answered before it began.
 */
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import { packFile, packFolder, packText, syncPath, unpackFolder } from './archive.ts'
import { type Connection, connect, type Database, errorCode } from './client.ts'
import {
  DataDirError,
  databaseFolders,
  hasDatabase,
  makeDataDir,
  putInPlace,
  reasonOf,
  socketPathOf,
  takeLock,
} from './data-dir.ts'
import { startDatabase } from './embedded.ts'
import { applyErasures, type Erased, type ErasureList, readErasures } from './erasures.ts'
import { migrate } from './migrate.ts'
import { isTrue, scalar } from './scalar.ts'
import { endLog, rewriteTables } from './scrub.ts'

/** The file that tells the first start where to replay from. It is packed last: a backup that has it is whole. */
const LABEL = 'backup_label'

/** The log, which is added later, and files that every start makes anew. */
const EXCLUDED =
  /^pg_wal\/.|^(pg_notify|pg_replslot|pg_stat_tmp|pg_subtrans)\/.|^postmaster\.|pgsql_tmp/

const DEADLINE_MS = 3_600_000

/**
 * Writes a backup of the data directory's database to `file`, which is replaced whole or not at all.
 * @returns its size in bytes. @throws DataDirError while another backup is made; the system's errors; AbortError.
 */
export async function writeBackup(
  database: Database,
  dataDir: string,
  file: string,
  signal?: AbortSignal,
): Promise<number> {
  using lock = takeLock(dataDir, 'backup-lock')
  if (!lock) throw new DataDirError(`another backup of ${dataDir} is being made`)
  const partial = `${file}.partial`
  try {
    const archive = pack()
    // Makes the file first, so that one that can't be written fails before anything is copied.
    await writeFile(partial, '', { mode: 0o600 })
    const writing = pipeline(
      Readable.from(archive),
      // Most of it is zeros and text: better levels take long and save little.
      createGzip({ level: constants.Z_BEST_SPEED }),
      createWriteStream(partial),
      { ...(signal && { signal }) },
    )
    const { current } = databaseFolders(dataDir)
    const copying = database.use(({ sql }) => copyTo(archive, sql, current), {
      deadlineMs: DEADLINE_MS,
    })
    try {
      // Where writing fails, as on a full disk, copying would wait for it for ever.
      await Promise.race([copying, writing])
      archive.finalize()
      await writing
    } finally {
      archive.destroy()
      await Promise.allSettled([copying, writing])
    }
    await syncPath(partial)
    await rename(partial, file)
    await syncPath(dirname(file))
    return (await stat(file)).size
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function copyTo(archive: Pack, sql: Connection['sql'], folder: string): Promise<void> {
  const first = await startBackup(sql)
  const stop = async () => sql<{ label: string; last: string }[]>`
    select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)`
  try {
    await packFolder(archive, folder, (name) => !EXCLUDED.test(name))
  } catch (error) {
    await stop()
    throw error
  }
  const [end] = await stop()
  if (!end) throw new Error('PostgreSQL did not say where the backup ends')
  const log = (await readdir(join(folder, 'pg_wal'))).filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= end.last,
  )
  if (!log.includes(first)) {
    throw new DataDirError('a checkpoint was asked for meanwhile: make the backup again')
  }
  for (const name of log) await packFile(archive, `pg_wal/${name}`, join(folder, 'pg_wal', name))
  await packText(archive, LABEL, end.label)
}

/** Begins the backup. @returns the first file of the log that it needs. */
async function startBackup(sql: Connection['sql']): Promise<string> {
  const start = async () =>
    (await scalar<string>(sql`select pg_walfile_name(pg_backup_start('chainkin', true))`)) ?? ''
  try {
    return await start()
  } catch (error) {
    // A backup that was killed is still open in the session. This process holds the lock, so it may end it.
    if (errorCode(error) !== '55000') throw error
    await sql`select pg_backup_stop(false)`
    return start()
  }
}

export interface RestoreOptions {
  /** Replaces a database that is there. */
  force: boolean
  /** Whom the backup must not bring back; without it, whom the database that is replaced knows as erased (D133). */
  erasures?: ErasureList | undefined
  /** For the journal. */
  who?: string
}

/**
 * Puts the database of a backup in the data directory once it has started and migrated, and forgotten whom it must not
 * bring back.
 * @returns what that erased; null where it was nobody
 * @throws DataDirError where a process runs the database there, where there is one already and `force` is
 *   not set, where its erasures can't be read, and where the file is no whole backup; SchemaTooNew. The database that was
 *   there stays then.
 */
export async function restoreBackup(
  file: string,
  dataDir: string,
  { force, erasures, who = 'a restore' }: RestoreOptions,
): Promise<Erased | null> {
  const { current, coming } = databaseFolders(dataDir)
  await makeDataDir(dataDir)
  using lock = takeLock(dataDir)
  if (!lock) {
    throw new DataDirError(`a server or a command is running on ${dataDir}: stop it first`)
  }
  try {
    const isThere = await hasDatabase(dataDir)
    if (isThere && !force) {
      throw new DataDirError(`there is a database in ${dataDir} already: --force replaces it`)
    }
    const known = erasures ?? (isThere ? await erasuresIn(current, dataDir) : NOBODY)
    await unpackBackup(file, coming)
    const erased = await withDatabaseIn(coming, dataDir, async (database) => {
      await migrate(database)
      const again = known.erasures.length > 0 ? await applyErasures(database, known, who) : null
      if (again) {
        await rewriteTables(database)
        await endLog(database, coming)
      }
      return again
    })
    await putInPlace(dataDir)
    return erased
  } finally {
    await rm(coming, { recursive: true, force: true })
  }
}

/** For a restore that asks nobody whom to forget. */
export const NOBODY: ErasureList = { keys: [], erasures: [], marks: [] }

/** Starts the database of a folder, whose lock is held, for as long as `work` takes. */
async function withDatabaseIn<T>(
  folder: string,
  dataDir: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { openStream, stop } = await startDatabase({ folder, socketPath: socketPathOf(dataDir) })
  const database = connect({ openStream, connections: 1 })
  try {
    return await work(database)
  } finally {
    await database.close()
    await stop()
  }
}

/** @throws DataDirError */
async function erasuresIn(folder: string, dataDir: string): Promise<ErasureList> {
  try {
    return await withDatabaseIn(folder, dataDir, async (database) => {
      // It may be of a version that knew none.
      const hasAny = await database.use(({ sql }) =>
        isTrue(sql`select to_regclass('erasures') is not null`),
      )
      return hasAny ? await readErasures(database) : NOBODY
    })
  } catch (error) {
    throw new DataDirError(
      `whom the database in ${dataDir} has erased can't be read (${reasonOf(error)}): give --erasures FILE, a list that "erasures save" wrote, or --erasures none to bring everybody back`,
    )
  }
}

async function unpackBackup(file: string, folder: string): Promise<void> {
  try {
    await pipeline(createReadStream(file), createGunzip(), (archive) =>
      unpackFolder(archive, folder),
    )
  } catch (error) {
    throw new DataDirError(`${file} can't be restored: ${reasonOf(error)}`)
  }
  if (!existsSync(join(folder, LABEL))) {
    throw new DataDirError(`${file} can't be restored: it is no whole backup of this program`)
  }
}
