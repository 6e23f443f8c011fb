/**
 * Copies of the embedded database's files, made as PostgreSQL's manual says ("Making a Base Backup Using the Low
 * Level API"): the files are copied while the database runs, the log of that time is added, and the first
 * start from the copy replays the log. A copy holds everything that was answered before it began. They were what `backup`
 * wrote before it wrote tables; now they are what long work on a database that serves is done on.
 */
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import { packFile, packFolder, packText, syncPath, unpackFolder } from '../archive.ts'
import { type Connection, type Database, errorCode } from '../client.ts'
import {
  DataDirError,
  databaseFolders,
  makeDataDir,
  reasonOf,
  removeLeftCopies,
  takeCopyLock,
  takeLock,
} from '../data-dir.ts'
import { bytesFreeIn } from '../disk.ts'
import { openDatabase } from '../open.ts'
import { scalar } from '../scalar.ts'
import { BackupError } from './file.ts'

/** The file that tells the first start where to replay from. It is packed last: a backup that has it is whole. */
const LABEL = 'backup_label'

/** The log, which is added later, and files that every start makes anew. */
const EXCLUDED =
  /^pg_wal\/.|^(pg_notify|pg_replslot|pg_stat_tmp|pg_subtrans)\/.|^postmaster\.|pgsql_tmp/

const DEADLINE_MS = 3_600_000

/**
 * Writes a copy of the data directory's database to `file`, which is replaced whole or not at all.
 * @returns its size in bytes. @throws DataDirError while another backup is made; the system's errors; AbortError.
 */
export async function writeBaseBackup(
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
    await rm(partial, { force: true })
    await writeFile(partial, '', { mode: 0o600, flag: 'wx' })
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

/** Unpacks the files into a folder, which may be started then. @throws BackupError where the file is no whole backup */
export async function unpackBaseBackup(file: string, folder: string): Promise<void> {
  try {
    await pipeline(createReadStream(file), createGunzip(), (archive) =>
      unpackFolder(archive, folder),
    )
  } catch (error) {
    throw new BackupError(`${file} can't be restored: ${reasonOf(error)}`)
  }
  if (!existsSync(join(folder, LABEL))) {
    throw new BackupError(`${file} can't be restored: it is no whole backup of this program`)
  }
}

/**
 * Runs `work` with a copy of the embedded database in `dataDir`, which is as it was when the copy was begun. The copy lies beside it,
 * because there its owner alone can read it, and is removed at the end; one whose process was killed, by the next start or copy.
 * @throws what `work` throws, DataDirError, also where the disk has no room for it, AbortError, the system's errors
 */
export async function onCopyOfDatabase<T>(
  database: Database,
  dataDir: string,
  work: (copy: Database) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  await removeLeftCopies(dataDir)
  await expectRoom(dataDir)
  // Short, because a socket's path is.
  const name = randomUUID().slice(0, 8)
  const place = join(databaseFolders(dataDir).copies, name)
  const lock = takeCopyLock(dataDir, name)
  try {
    await makeDataDir(place)
    const file = join(place, 'copy.tar.gz')
    await writeBaseBackup(database, dataDir, file, signal)
    await unpackBaseBackup(file, databaseFolders(place).current)
    await rm(file)
    signal?.throwIfAborted()
    const copy = await openDatabase({ databaseUrl: undefined, dataDir: place })
    try {
      return await work(copy.database)
    } finally {
      await copy.close()
    }
  } finally {
    lock?.close()
    await removeLeftCopies(dataDir)
  }
}

/** The copy is packed and unpacked there. @throws DataDirError where the service might be left without room */
async function expectRoom(dataDir: string): Promise<void> {
  const needed = 2 * (await bytesIn(databaseFolders(dataDir).current))
  // Where the system doesn't say, a copy is worth trying.
  const free = await bytesFreeIn(dataDir).catch(() => undefined)
  if (free !== undefined && free < needed) {
    const [has, needs] = [free, needed].map((bytes) => Math.ceil(bytes / 1e6))
    throw new DataDirError(
      `the database is copied first: that needs ${needs} MB in ${dataDir}, and ${has} are free`,
    )
  }
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    // A file may go while it is looked at.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined)
    bytes += found?.size ?? 0
  }
  return bytes
}
