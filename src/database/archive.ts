/** Packs a folder into a tar archive and back, for the prepared image and backups. */
import { once } from 'node:events'
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { extract, type Header, type Pack } from 'tar-stream'

const CHUNK_BYTES = 1024 * 1024

/** Only the owner may read what is unpacked, whatever the archive says: it holds people's data. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** Adds everything in a folder whose name, relative to the folder and with `/`, `includes` lets in. */
export async function packFolder(
  pack: Pack,
  folder: string,
  includes: (name: string) => boolean = () => true,
): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  for (const path of names.sort()) {
    const name = path.split(sep).join('/')
    if (includes(name)) await packFile(pack, name, join(folder, path))
  }
}

/**
 * Adds one file or empty folder. The file may grow, shrink or vanish meanwhile, as a running database's
 * do: it is added with its first length, zeros for what is missing, and the database's log repairs it.
 */
export async function packFile(pack: Pack, name: string, path: string): Promise<void> {
  await using file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const stats = await file?.stat()
  if (!file || !stats) return
  const { size, mtime } = stats
  if (stats.isDirectory()) await packEntry(pack, { name, type: 'directory' }, [])
  else await packEntry(pack, { name, size, mtime }, chunksOf(file, size))
}

/** Adds a file with this text. */
export function packText(pack: Pack, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  return packEntry(pack, { name, size: bytes.length }, [bytes])
}

async function* chunksOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < size; position += CHUNK_BYTES) {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size - position))
    await file.read(chunk, 0, chunk.length, position)
    yield chunk
  }
}

async function packEntry(
  pack: Pack,
  header: Partial<Header> & { name: string },
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const { promise: added, resolve, reject } = Promise.withResolvers<void>()
  const entry = pack.entry(header, (error) => (error ? reject(error) : resolve()))
  // A destroyed archive fails its entry at any time.
  added.catch(() => {})
  if (header.type !== 'directory') {
    for await (const chunk of content) {
      if (!entry.write(chunk)) await Promise.race([once(entry, 'drain'), added])
    }
    entry.end(null)
  }
  await added
}

/**
 * Writes an archive's files into `folder`, which it makes, and syncs them to the disk.
 * @param archive the tar archive. A stream that can fail by itself, as a file's does, must have a listener
 *   for its errors already: `pipeline(source, (archive) => unpackFolder(archive, folder))`.
 * @throws the archive's error, an error of its form, or the system's.
 */
export async function unpackFolder(
  archive: AsyncIterable<Uint8Array>,
  folder: string,
): Promise<void> {
  const folders = new Set([folder])
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  const reader = extract()
  // Nothing may be awaited from here to the loop: the reader drops an entry that nobody waits for.
  const reading = pipeline(archive, reader as NodeJS.WritableStream)
  // The loop throws this error: the pipeline destroys the reader with it.
  reading.catch(() => {})
  for await (const entry of reader) {
    const path = pathWithin(folder, entry.header.name)
    const isFolder = entry.header.type === 'directory'
    const parent = isFolder ? path : dirname(path)
    if (!folders.has(parent)) {
      await mkdir(parent, { recursive: true, mode: FOLDER_MODE })
      folders.add(parent)
    }
    if (isFolder) entry.resume()
    else await writeDurably(path, entry as AsyncIterable<Uint8Array>)
  }
  await reading
  for (const each of folders) await syncPath(each)
}

/** @throws where the name leads out of the folder: an archive comes from anywhere. */
function pathWithin(folder: string, name: string): string {
  const root = resolve(folder)
  const path = resolve(root, name)
  if (path !== root && !path.startsWith(root + sep)) {
    throw new Error(`it names a file outside of its folder: ${JSON.stringify(name)}`)
  }
  return path
}

async function writeDurably(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  await using file = await open(path, 'wx', FILE_MODE)
  for await (const chunk of content) await file.appendFile(chunk)
  await file.sync()
}

/** Syncs a file's content to the disk, or a folder's names: new files, and renames. */
export async function syncPath(path: string): Promise<void> {
  await using handle = await open(path)
  await handle.sync()
}
