/**
 * The file of a backup, one format for both databases. It is a tar archive, which `tar`, `gunzip` and `psql` read without
 * this program:
 *
 *   chainkin-backup.json    what it is: the format, who made it and when. Every later format begins with this entry, within two
 *                           blocks of tar and with these fields, because an older program knows by it that a file is newer
 *   tables/NAME/00001.gz    a table's rows in parts: the text of COPY, compressed by itself
 *   manifest.json           tables, columns, rows and their sums, places of the parts, sequences, migrations
 *   checksum.json           the SHA-256 of all bytes before it, and the length of the manifest
 *
 * The end has one form for each checksum, so that no byte of a file can change without being noticed.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { syncPath } from '../archive.ts'
import { reasonOf } from '../data-dir.ts'
import { currentNames, MIGRATIONS } from '../migrations.ts'
import { keepOwner } from '../owner.ts'

export const FORMAT = 1

const HEAD_NAME = 'chainkin-backup.json'
const MANIFEST_NAME = 'manifest.json'
const CHECKSUM_NAME = 'checksum.json'

const TAR_BLOCK = 512
/** Two empty blocks end an archive. */
const TAR_END_BYTES = 2 * TAR_BLOCK
/** The checksum's header, its text, and the end. */
const TAIL_BYTES = 2 * TAR_BLOCK + TAR_END_BYTES
const READ_BYTES = 1024 * 1024

/** How a file of the format before begins: gzip, as a copy of the embedded database's files is packed. */
const GZIP = Buffer.from([0x1f, 0x8b])

/** Content of the first entry. */
export interface Head {
  format: number
  /** The program's version. */
  program: string
  /** ISO 8601, UTC. */
  madeAt: string
  /** Identity of the database: the microsecond in which the first migration ran. */
  database: string
  /** Made by a server's schedule, which may delete it again. */
  isScheduled: boolean
}

export interface SavedTable {
  name: string
  columns: string[]
  rows: number
  /** Sum of the text of all parts, one after the other. */
  sha256: string
  /** Each part's place in the file, in bytes. */
  parts: { at: number; bytes: number }[]
  /** Partitions, each with the text of its bound and of its own primary key. */
  partitions?: { name: string; bound: string; key: string | null }[]
}

export interface Manifest extends Head {
  /** The server's version. */
  postgres: string
  /** Names of the migrations that made the tables, in order. */
  migrations: string[]
  /** In an order in which they can be filled: a table stands behind those that it refers to. */
  tables: SavedTable[]
  /** The last number that each sequence gave; null where it gave none. */
  sequences: Record<string, string | null>
}

/** A file is no backup, or damaged, or can't be taken. The message names the file and the reason. */
export class BackupError extends Error {
  override name = 'BackupError'
}

/** Reads a file's format. `files`: a copy of the embedded database's files. @throws BackupError */
export async function formatOf(path: string): Promise<'tables' | 'files'> {
  await using file = await open(path)
  const start = await read(file, 0, TAR_BLOCK)
  if (start.subarray(0, GZIP.length).equals(GZIP)) return 'files'
  if (start.toString('latin1').startsWith(`${HEAD_NAME}\0`)) return 'tables'
  throw new BackupError(`${path} can't be restored: it is no backup of this program`)
}

/** Reads a file's first entry, unchecked; undefined where there is none. */
export async function headIn(path: string): Promise<Head | undefined> {
  await using file = await open(path)
  const start = String(await read(file, 0, 2 * TAR_BLOCK))
  if (!start.startsWith(`${HEAD_NAME}\0`)) return undefined
  try {
    return JSON.parse(start.slice(TAR_BLOCK).replace(/\0+$/, ''))
  } catch {
    return undefined
  }
}

/** Writes a part, which is in the file when it resolves. @returns the part's place */
export type AddPart = (table: string, content: Uint8Array) => Promise<SavedTable['parts'][number]>

/**
 * Writes a backup, readable by its owner alone, and reads it again before it gets its name: the file that was there is replaced
 * by a whole one or not at all. @returns its size in bytes. @throws what `write` throws; BackupError where the file can't be written
 */
export async function writeBackupFile(
  path: string,
  head: Head,
  write: (add: AddPart) => Promise<Omit<Manifest, keyof Head>>,
): Promise<{ bytes: number; manifest: Manifest }> {
  // A name of its own: two that write to one path replace each other's file, whole ones both.
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`
  try {
    const manifest = await writeTo(partial, path, head, write)
    await expectWritten(path, syncPath(partial))
    const { bytes } = await expectWritten(path, readBackup(partial))
    await expectWritten(path, rename(partial, path))
    await expectWritten(path, syncPath(dirname(path)))
    return { bytes, manifest }
  } catch (error) {
    // In a folder that can’t be entered it fails as well, and would hide why.
    await rm(partial, { force: true }).catch(() => {})
    throw error
  }
}

/**
 * Says of what goes wrong with a file that it is the file: a backup is written while its tables are read, and the codes
 * of a full disk or a missing folder would pass for those of the connection. @throws BackupError
 */
async function expectWritten<T>(path: string, done: Promise<T>): Promise<T> {
  try {
    return await done
  } catch (error) {
    if (error instanceof BackupError) throw error
    throw new BackupError(`${path} can't be written: ${reasonOf(error)}`)
  }
}

/** @param path the name that the file is to get */
async function writeTo(
  partial: string,
  path: string,
  head: Head,
  write: Parameters<typeof writeBackupFile>[2],
): Promise<Manifest> {
  await using file = await expectWritten(path, open(partial, 'wx', 0o600))
  // A service counts and deletes those of its folder.
  await keepOwner(file, path, head.isScheduled)
  const hash = createHash('sha256')
  let end = 0
  async function append(name: string, content: Uint8Array) {
    const bytes = await entry(name, content)
    hash.update(bytes)
    await expectWritten(path, file.appendFile(bytes))
    const at = end + TAR_BLOCK
    end += bytes.length
    return { at, bytes: content.length }
  }
  await append(HEAD_NAME, textOf(head))
  const counts = new Map<string, number>()
  const saved = await write((table, content) => {
    const count = (counts.get(table) ?? 0) + 1
    counts.set(table, count)
    return append(`tables/${table}/${String(count).padStart(5, '0')}.gz`, content)
  })
  const manifest: Manifest = { ...head, ...saved }
  const { bytes } = await append(MANIFEST_NAME, textOf(manifest))
  await expectWritten(path, file.appendFile(await tailOf(hash.digest('hex'), bytes)))
  return manifest
}

export interface Backup {
  manifest: Manifest
  bytes: number
  /** Reads a part. */
  part(place: SavedTable['parts'][number]): Promise<Buffer>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Reads a whole file and opens it for its parts.
 * @throws BackupError where a byte of it is not as it was written, and where a newer version of this program made it
 */
export async function openBackup(path: string): Promise<Backup> {
  const head = await headIn(path)
  if (head && head.format > FORMAT) throw isNewer(path, head, `format ${head.format}`)
  const { manifest, bytes } = await readBackup(path)
  const known = new Set(MIGRATIONS.map(({ name }) => name))
  const unknown = currentNames(manifest.migrations).filter((name) => !known.has(name))
  if (unknown.length > 0) throw isNewer(path, manifest, unknown.join(', '))
  const file = await open(path)
  return {
    manifest,
    bytes,
    part: ({ at, bytes: length }) => read(file, at, length),
    [Symbol.asyncDispose]: () => file.close(),
  }
}

async function readBackup(path: string): Promise<{ manifest: Manifest; bytes: number }> {
  const refused = (reason: string) => new BackupError(`${path} can't be restored: ${reason}`)
  await using file = await open(path)
  const { size } = await file.stat()
  const tail = await read(file, Math.max(0, size - TAIL_BYTES), TAIL_BYTES)
  const stated = /"manifestBytes":(\d{1,10})\}/.exec(tail.toString('latin1'))
  const manifestBytes = Number(stated?.[1])
  const manifestAt = size - TAIL_BYTES - paddedBytes(manifestBytes)
  if (!(manifestAt >= TAR_BLOCK)) throw refused('it is cut off before its end')
  const hash = createHash('sha256')
  for (let at = 0; at < size - TAIL_BYTES; at += READ_BYTES) {
    hash.update(await read(file, at, Math.min(READ_BYTES, size - TAIL_BYTES - at)))
  }
  if (!(await tailOf(hash.digest('hex'), manifestBytes)).equals(tail)) {
    throw refused('it is damaged: its bytes are not those that were written')
  }
  const text = await read(file, manifestAt, manifestBytes)
  // The one thing that the checksum doesn't cover is the length beside it.
  const isEntry = (await entry(MANIFEST_NAME, text)).equals(
    await read(file, manifestAt - TAR_BLOCK, size - TAIL_BYTES - manifestAt + TAR_BLOCK),
  )
  if (!isEntry) throw refused('it is damaged: its end is not what was written')
  return { manifest: JSON.parse(String(text)), bytes: size }
}

const isNewer = (path: string, { program }: Head, unknown: string) =>
  new BackupError(
    `${path} can't be restored: a newer version of this program made it (${program}: ${unknown}). Restore it with that version or a newer one`,
  )

/** @returns fewer bytes where the file ends */
async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let got = 0
  while (got < length) {
    const { bytesRead } = await file.read(bytes, got, length - got, at + got)
    if (bytesRead === 0) break
    got += bytesRead
  }
  return bytes.subarray(0, got)
}

const textOf = (value: unknown) => Buffer.from(JSON.stringify(value))

const paddedBytes = (bytes: number) => Math.ceil(bytes / TAR_BLOCK) * TAR_BLOCK

/** An entry of the archive: its header, and its content up to a whole block. */
async function entry(name: string, content: Uint8Array): Promise<Buffer> {
  const archive = pack()
  const header = { name, size: content.length, mode: 0o600, mtime: new Date(0) }
  archive.entry(header, Buffer.from(content.buffer, content.byteOffset, content.length))
  archive.finalize()
  const bytes = await buffer(archive)
  return bytes.subarray(0, bytes.length - TAR_END_BYTES)
}

async function tailOf(sha256: string, manifestBytes: number): Promise<Buffer> {
  const checksum = await entry(CHECKSUM_NAME, textOf({ sha256, manifestBytes }))
  return Buffer.concat([checksum, Buffer.alloc(TAR_END_BYTES)])
}
