/** The embedded database's data directory: its lock, and how a database is put in it whole or not at all. */
import { accessSync, constants, existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { DataDirError } from '../start-errors.ts'
import { syncPath, unpackFolder } from './archive.ts'
import { errorCode } from './client.ts'
import { imageArchive } from './image.ts'
import { rootProblem, strangeFile } from './owner.ts'

export { DataDirError }

/** Socket for this program's other processes. */
const SOCKET_NAME = 'socket'

/** The shortest of the operating systems' limits on a socket's path (macOS), in bytes. */
const MAX_SOCKET_PATH_BYTES = 103

export function databaseFolders(dataDir: string) {
  return {
    /** The database. */
    current: join(dataDir, 'postgres'),
    /** A database that is being made. */
    coming: join(dataDir, 'postgres.coming'),
    /** A database that is being replaced; there is no `current` then. */
    going: join(dataDir, 'postgres.going'),
    /** Copies of the database, each in a folder of its own. */
    copies: join(dataDir, 'copy'),
  }
}

/** @throws DataDirError also for root where it, or the database in it, is another user's */
export async function makeDataDir(dataDir: string): Promise<void> {
  expectAccess(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw failed(dataDir, `the data directory ${dataDir} can't be made: ${reasonOf(error)}`)
  })
  const { current } = databaseFolders(dataDir)
  const folder = existsSync(current) ? current : dataDir
  const problem = await rootProblem(dataDir, folder).catch((error: unknown) => {
    throw failed(dataDir, `${folder} can't be written: ${reasonOf(error)}`)
  })
  if (problem !== undefined) throw new DataDirError(problem)
}

/** A failure in a data directory, and of files that this process can't use their owner. */
function failed(dataDir: string, reason: string, advice?: string): DataDirError {
  const cause = strangeFile(dataDir) ?? advice
  return new DataDirError(cause === undefined ? reason : `${reason}. ${cause}`)
}

/** The database of a folder did not start. */
export const failedToStart = (folder: string, error: unknown): DataDirError =>
  failed(
    dirname(folder),
    `the embedded database in ${folder} did not start: ${reasonOf(error)}`,
    'Look whether the disk is full; if the directory was damaged, restore a backup of it, or start on an empty one',
  )

/**
 * Locks the directory by an SQLite file held exclusively. SQLite locks through the operating system, so
 * the lock ends with the process, however it ends, and never has to be removed by hand.
 * @param name `lock` is for running or replacing the database, `backup-lock` for a backup or a checkpoint; others
 * are of `long-lock.ts`.
 * @returns the held lock, or undefined while another process holds it.
 * @throws DataDirError
 */
export function takeLock(dataDir: string, name: 'lock' | `${string}-lock` = 'lock') {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(join(dataDir, name))
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (error) {
    lock?.close()
    if (error instanceof Error && /locked|busy/i.test(error.message)) return undefined
    throw failed(dataDir, `the data directory ${dataDir} can't be locked: ${reasonOf(error)}`)
  }
}

/** Locks a copy in `copies`, as long as it is in use. */
export const takeCopyLock = (dataDir: string, name: string) =>
  takeLock(dataDir, `copy-${name}-lock`)

/** Removes the copies of processes that were killed: they hold everybody's channels, and who is erased later. */
export async function removeLeftCopies(dataDir: string): Promise<void> {
  const { copies } = databaseFolders(dataDir)
  for (const name of await readdir(copies).catch(() => [])) {
    const lock = takeCopyLock(dataDir, name)
    if (!lock) continue
    await rm(join(copies, name), { recursive: true, force: true })
    lock.close()
    await rm(join(dataDir, `copy-${name}-lock`), { force: true })
  }
}

/** @throws DataDirError where the path is longer than sockets allow. */
export function socketPathOf(dataDir: string): string {
  const absolute = join(dataDir, SOCKET_NAME)
  const fromHere = relative(process.cwd(), absolute)
  const shortest = fromHere.length < absolute.length ? fromHere : absolute
  if (Buffer.byteLength(shortest) > MAX_SOCKET_PATH_BYTES) {
    throw new DataDirError(
      `DATA_DIR: the path of the socket in it may have ${MAX_SOCKET_PATH_BYTES} bytes, and ${shortest} has ${Buffer.byteLength(shortest)}: choose a shorter one`,
    )
  }
  return shortest
}

/** Unpacks the image where there is no database. Needs the lock. @returns the folder. @throws DataDirError */
export async function prepareDatabase(dataDir: string): Promise<string> {
  const { current, coming } = databaseFolders(dataDir)
  try {
    if (await hasDatabase(dataDir)) return current
    await unpackImage(coming)
    await putInPlace(dataDir)
    return current
  } catch (error) {
    throw failed(dataDir, `a database can't be made in ${dataDir}: ${reasonOf(error)}`)
  }
}

/** Makes a folder of the prepared image. @throws the system's errors */
export async function unpackImage(folder: string): Promise<void> {
  const image = await imageArchive()
  await unpackFolder(Readable.from(image.stream()), folder)
}

/** Finishes or undoes what was interrupted. @returns whether there is a database then. Needs the lock. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  const { current, coming, going } = databaseFolders(dataDir)
  await rm(coming, { recursive: true, force: true })
  if (existsSync(going) && !existsSync(current)) await rename(going, current)
  await rm(going, { recursive: true, force: true })
  return existsSync(current)
}

/** True if there is a database, in use or not, or one whose replacement was interrupted. */
export function isDatabaseIn(dataDir: string): boolean {
  const { current, going } = databaseFolders(dataDir)
  return existsSync(current) || existsSync(going)
}

/** Hint for messages: the commands that make a database. */
export const HOW_TO_BEGIN = 'start with "serve", "import" or "account create", which make one'

/** For commands that must not make a database where DATA_DIR is mistyped. @throws DataDirError where there is none. */
export function expectDatabase(dataDir: string) {
  expectAccess(dataDir)
  if (isDatabaseIn(dataDir)) return
  throw new DataDirError(`there is no database in ${dataDir}: ${HOW_TO_BEGIN}`)
}

/** @throws DataDirError where the user of this process may not work in the directory */
function expectAccess(dataDir: string) {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (errorCode(error) !== 'EACCES') return
    throw new DataDirError(
      `the data directory ${dataDir}: permission denied. Run this as the user that it belongs to, or set DATA_DIR to another`,
    )
  }
}

/** Puts `coming` where `current` is, or would be. Needs the lock. */
export async function putInPlace(dataDir: string): Promise<void> {
  const { current, coming, going } = databaseFolders(dataDir)
  if (existsSync(current)) await rename(current, going)
  await rename(coming, current)
  await syncPath(dataDir)
  await rm(going, { recursive: true, force: true })
}

export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const isFull = errorCode(error) === 'ENOSPC' || /\bdisk is full\b/.test(message)
  return isFull ? 'the disk is full' : message
}
