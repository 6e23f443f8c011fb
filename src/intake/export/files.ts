/** Files that appear when they are whole: each is written beside its place and renamed in the end. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { syncPath } from '../../database/archive.ts'

/** A file can't be written where it should be; the message names it, and what helps. */
export class FileRefused extends Error {}

interface FileOptions {
  isGzipped: boolean
  /** Nobody but the owner may read it. */
  isPrivate: boolean
  /** Replace a file that is there. */
  force: boolean
}

const OWNER_ONLY = 0o600

/** A file that is written under a partial name until `place`. */
export class ExportedFile {
  readonly #handle: FileHandle
  readonly #isGzipped: boolean
  /** Undefined: standard output. */
  readonly #place: { partial: string; path: string } | undefined

  private constructor(
    handle: FileHandle,
    isGzipped: boolean,
    place?: { partial: string; path: string },
  ) {
    this.#handle = handle
    this.#isGzipped = isGzipped
    this.#place = place
  }

  /**
   * Opens a file at `path`; `-` is standard output, which gets it once it is whole.
   * @throws FileRefused, the system's errors.
   */
  static async open(path: string, options: FileOptions): Promise<ExportedFile> {
    if (path === '-') {
      const spool = join(tmpdir(), `chainkin-export-${randomUUID()}`)
      const handle = await open(spool, 'ax+', OWNER_ONLY)
      // It lasts as long as it is open: nothing is left behind, however this process ends.
      await rm(spool)
      return new ExportedFile(handle, options.isGzipped)
    }
    const place = await placeOf(path, options.force)
    const partial = `${place}.partial`
    const mode = options.isPrivate ? OWNER_ONLY : undefined
    const handle = await open(partial, 'ax', mode).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      throw new FileRefused(
        `${partial} exists: another export is writing it, or one was killed; then delete it`,
      )
    })
    return new ExportedFile(handle, options.isGzipped, { partial, path: place })
  }

  /** Writes the text, in place of what was written before. @throws AbortError, the system's errors. */
  async write(text: AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
    const path = this.#place?.partial ?? tmpdir()
    await this.#handle.truncate(0)
    const append = async (chunks: AsyncIterable<string | Uint8Array>) => {
      for await (const chunk of chunks) await this.#handle.appendFile(chunk).catch(about(path))
    }
    const options = signal ? { signal } : {}
    if (this.#isGzipped) await pipeline(blocksOf(text), createGzip(), append, options)
    else await pipeline(text, append, options)
  }

  /** Does what may fail before the file is put in its place: what is printed is printed, the rest is on the disk. */
  async complete(): Promise<void> {
    if (this.#place) await this.#handle.sync().catch(about(this.#place.partial))
    else await printAll(this.#handle).catch(about('stdout'))
    await this.#handle.close()
  }

  /** Puts a complete file in its place. */
  async place(): Promise<void> {
    if (!this.#place) return
    const { partial, path } = this.#place
    await rename(partial, path)
    await syncPath(dirname(path))
  }

  /** Leaves nothing of a file that is not whole. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {})
    if (this.#place) await rm(this.#place.partial, { force: true })
  }
}

/** For `catch`: adds to the system's error the file that it is about, which errors of open files lack. */
const about =
  (path: string) =>
  (error: unknown): never => {
    throw error instanceof Error && !('path' in error) ? Object.assign(error, { path }) : error
  }

const BLOCK_BYTES = 65_536

/** The text in blocks of one size: what gzip makes of it depends on how it comes. */
async function* blocksOf(text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0)
  for await (const part of text) {
    rest = Buffer.concat([rest, Buffer.from(part)])
    while (rest.length >= BLOCK_BYTES) {
      yield rest.subarray(0, BLOCK_BYTES)
      rest = rest.subarray(BLOCK_BYTES)
    }
  }
  if (rest.length > 0) yield rest
}

/** Where a file goes: a link's target, so that the link stays. @throws FileRefused */
async function placeOf(path: string, force: boolean): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!found) return resolve(path)
  if (!found.isFile()) throw new FileRefused(`${path} is no file: name another, or - for stdout`)
  if (!force) throw new FileRefused(`${path} exists: name another, or replace it with --force`)
  return realpath(path)
}

async function printAll(handle: FileHandle): Promise<void> {
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
  }
}
