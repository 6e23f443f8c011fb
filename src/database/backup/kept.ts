/** A folder of backups that are made from time to time, of which the newest stay. */
import { lstat, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../client.ts'
import { formatOf, type Head, headIn, openBackup } from './file.ts'

export interface KeptBackup {
  path: string
  /** ISO 8601, UTC. */
  madeAt: string
  bytes: number
}

/** `chainkin-20261123T031500.123Z.tar`; earlier builds left the milliseconds out. */
const NAME = /^chainkin-\d{8}T\d{6}(\.\d{3})?Z\.tar$/
const PARTIAL = /^chainkin-\d{8}T\d{6}(\.\d{3})?Z\.tar\.[0-9a-f]{8}\.partial$/
const END_OF_PARTIAL = /^[0-9a-f]{8}\.partial$/
/** Pause in writing while a finished file is read over before it gets its name. */
const QUIET_MS = 600_000
/** Longer than any backup takes: an older one is of a process that was killed. */
const LEFT_MS = 2 * 86_400_000
/** By how much clocks of several machines may differ. */
const AHEAD_MS = 3_600_000

/** The name of a backup that is made now: to the millisecond, so that none takes the place of one of the same second. */
export function nameOfBackup(now: Date): string {
  return `chainkin-${now.toISOString().replace(/[-:]/g, '')}.tar`
}

export const isNameOfBackup = (name: string): boolean => NAME.test(name)

/**
 * Backups in a folder that were made for it and of this database, by their names and first entries.
 * @param database `Head.database`
 * @returns the newest first, and behind all others those that a clock dated ahead of now: they would pass for the newest until then
 */
export async function keptBackups(folder: string, database: string): Promise<KeptBackup[]> {
  const kept: KeptBackup[] = []
  for (const name of await namesIn(folder)) {
    if (!isNameOfBackup(name)) continue
    const path = join(folder, name)
    const found = await fileOf(path, database)
    if (found) kept.push({ path, madeAt: found.head.madeAt, bytes: found.bytes })
  }
  return kept.sort(
    (one, other) =>
      Number(isAhead(one)) - Number(isAhead(other)) || (one.madeAt < other.madeAt ? 1 : -1),
  )
}

/** Erasures that a backup can't know of: since when, and how many a newer backup of the database beside it has. */
export interface UnknownErasures {
  /** ISO 8601, UTC; undefined for a file of the format before, which doesn't say. */
  since: string | undefined
  atLeast: number
}

/** @throws BackupError where the file can't be restored */
export async function erasuresSince(file: string): Promise<UnknownErasures> {
  if ((await formatOf(file)) === 'files') return { since: undefined, atLeast: 0 }
  const { madeAt, database, erasures } = await erasuresIn(file)
  const [newest] = await keptBackups(dirname(file), database)
  if (!newest || newest.madeAt <= madeAt) return { since: madeAt, atLeast: 0 }
  // A newer one that is damaged counts nobody.
  const later = await erasuresIn(newest.path).catch(() => undefined)
  return { since: madeAt, atLeast: Math.max(0, (later?.erasures ?? 0) - erasures) }
}

async function erasuresIn(file: string) {
  await using backup = await openBackup(file)
  const { madeAt, database, tables } = backup.manifest
  return { madeAt, database, erasures: tables.find(({ name }) => name === 'erasures')?.rows ?? 0 }
}

/** None where there is no such folder yet. @throws the system's errors */
function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
}

/** Reads a backup made for such a folder and of this database; undefined for other files, and for one that is gone. */
async function fileOf(path: string, database: string) {
  const file = await lstat(path).catch(() => undefined)
  // Nobody made a link or a pipe here, and a pipe would be waited for.
  if (!file?.isFile()) return undefined
  // An unreadable file is somebody else's, and no reason to make no backup.
  const head: Head | undefined = await headIn(path).catch(() => undefined)
  if (!head?.isScheduled || head.database !== database) return undefined
  return { head, bytes: file.size, writtenMs: file.mtimeMs }
}

/** How many bytes are written of the backup that some process makes there now; undefined where none is. @throws the system's errors */
export async function bytesUnderWay(folder: string, database: string): Promise<number | undefined> {
  for (const name of await namesIn(folder)) {
    if (!PARTIAL.test(name)) continue
    const found = await fileOf(join(folder, name), database)
    if (found && Date.now() - found.writtenMs < QUIET_MS) return found.bytes
  }
  return undefined
}

const ageMs = ({ madeAt }: KeptBackup) => Date.now() - Date.parse(madeAt)

const isAhead = (backup: KeptBackup) => ageMs(backup) < -AHEAD_MS

/** True if it is time for another one. */
export function isDue(newest: KeptBackup | undefined, everySeconds: number): boolean {
  return !newest || isAhead(newest) || ageMs(newest) >= everySeconds * 1_000
}

/** Deletes all but the newest, and what a process that was killed has left. @returns the paths of the backups that went */
export async function keepNewest(
  folder: string,
  database: string,
  keep: number,
): Promise<string[]> {
  const old = (await keptBackups(folder, database)).slice(keep).map(({ path }) => path)
  for (const path of old) await rm(path)
  await removePartials(folder, (name) => PARTIAL.test(name))
  return old
}

/** Deletes what processes that were killed have left beside a backup of this path. */
export function removePartialsOf(path: string): Promise<void> {
  const start = `${basename(path)}.`
  return removePartials(
    dirname(path),
    (name) => name.startsWith(start) && END_OF_PARTIAL.test(name.slice(start.length)),
  )
}

/** Ignores errors: a file that can't be seen or removed is somebody else's, and the backup goes on. */
async function removePartials(folder: string, isPartial: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(folder).catch(() => [])) {
    if (!isPartial(name)) continue
    const path = join(folder, name)
    // A backup of another database may get its name meanwhile.
    const file = await stat(path).catch(() => undefined)
    if (file && file.mtimeMs < Date.now() - LEFT_MS) await rm(path).catch(() => {})
  }
}
