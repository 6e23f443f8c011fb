/**
 * Files that only their owner may read: secrets, and data of people. Each is a new file that is moved to its place, because a
 * file that was there keeps its mode when it is written to, and whoever has opened it reads on.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { syncPath } from './archive.ts'
import { keepOwner } from './owner.ts'

const OWNER_ONLY = 0o600

/** Names of what is open already: to move a file to one would replace the file that a shell writes to. */
const DESCRIPTORS = /^\/(dev\/(stdout|stderr|fd)|proc)\b/

interface NewFile extends AsyncDisposable {
  handle: FileHandle
  /** Its name until it is moved; undefined where it is no file, like /dev/null or a pipe. */
  partial: string | undefined
  /** Where it is moved to. */
  place: string
}

/**
 * Writes a whole file: one that was there is replaced once the new one is on the disk, or stays as it was.
 * @throws the system's errors
 */
export async function writePrivateFile(
  path: string,
  text: string | AsyncIterable<string>,
): Promise<void> {
  await using file = await openNew(path)
  const { handle, partial, place } = file
  try {
    for await (const piece of typeof text === 'string' ? [text] : text) {
      await handle.appendFile(piece)
    }
    if (partial === undefined) return
    await handle.sync()
    await rename(partial, place)
  } catch (error) {
    if (partial !== undefined) await rm(partial, { force: true })
    throw error
  }
  await syncPath(dirname(place))
}

/**
 * Opens an empty file that is at its place from now on, so that it can be followed while it is written.
 * @throws the system's errors
 */
export async function openPrivateFile(path: string): Promise<FileHandle> {
  const { handle, partial, place } = await openNew(path)
  if (partial === undefined) return handle
  try {
    await rename(partial, place)
    return handle
  } catch (error) {
    await handle.close()
    await rm(partial, { force: true })
    throw error
  }
}

/** Opens a new file beside the one that `path` leads to: a link to a file stays, and the file is replaced. */
async function openNew(path: string): Promise<NewFile> {
  const place = DESCRIPTORS.test(path) ? path : await realpath(path).catch(() => resolve(path))
  const found = await stat(place).catch(() => undefined)
  const isKept = found && !found.isFile() && !found.isDirectory()
  const partial =
    isKept || DESCRIPTORS.test(path)
      ? undefined
      : `${place}.${randomBytes(4).toString('hex')}.partial`
  const handle = await (partial ? open(partial, 'wx', OWNER_ONLY) : open(place, 'a'))
  if (partial) await keepOwner(handle, place)
  return { handle, partial, place, [Symbol.asyncDispose]: () => handle.close() }
}
