/** A database in this process's memory: PGlite behind streams that speak PostgreSQL's protocol. No port, no file. */

import { Duplex } from 'node:stream'
import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { createMutex } from '../mutex.ts'
import { once } from '../once.ts'
import { engine } from './engine.ts'
import { imageTar } from './image.ts'
import { endsIdle } from './protocol.ts'

export type MemoryDatabase = Awaited<ReturnType<typeof startMemoryDatabase>>

/** A file, or a folder, which has no content. */
export interface MemoryFile {
  path: string
  content: Uint8Array | null
}

/** A start spends most of its time on clearing buffers: few are enough. */
const START = [...PGlite.defaultStartParams, '-c', 'shared_buffers=4MB']

/** Starts a database. @param files those of another one; not given: the prepared image, migrated and empty. */
export async function startMemoryDatabase(files?: readonly MemoryFile[]) {
  const [wasm, given] = await Promise.all([engine(), files ?? imageFiles()])
  const pglite = await PGlite.create({ ...wasm, fs: new GivenFiles(given), startParams: START })
  const session = createMutex()
  return {
    /** Opens a connection: what `connect` takes as `openStream`. */
    open: () => new MemoryConnection(pglite, session),
    /** Ends it; its connections are closed before. */
    close: () => pglite.close(),
  }
}

/** Where PGlite looks for its cluster. */
const DATA = '/pglite/data'

/** The files of the prepared image, unpacked once a process: PGlite would unpack it for each database. Nobody writes to them. */
export const imageFiles = once(
  async (): Promise<readonly MemoryFile[]> => filesOf(await imageTar()),
)

/** The files of a cluster's folder that was packed. */
export function filesOf(tar: Uint8Array<ArrayBuffer>): MemoryFile[] {
  const files: MemoryFile[] = [{ path: DATA, content: null }]
  for (const { name, content } of entriesOf(tar)) files.push({ path: `${DATA}/${name}`, content })
  return files
}

/** PGlite's files in memory, filled before it looks at them: faster than a tar archive. */
class GivenFiles extends MemoryFS {
  readonly #files: readonly MemoryFile[]

  constructor(files: readonly MemoryFile[]) {
    super()
    this.#files = files
  }

  override async initialSyncFs() {
    const FS = this.pg!.Module.FS as unknown as Files
    for (const { path, content } of this.#files) {
      if (content) {
        FS.writeFile(path, content, { canOwn: true })
        copyWhenWritten(FS.lookupPath(path).node)
      } else FS.mkdirTree(path)
    }
  }
}

/** The part of Emscripten's file system that its types leave out. */
interface Files {
  mkdirTree(path: string): void
  /** @param options `canOwn`: it need not copy the content */
  writeFile(path: string, content: Uint8Array, options: { canOwn: boolean }): void
  lookupPath(path: string): { node: FileNode }
}

interface FileNode {
  contents: Uint8Array | null
  stream_ops: { write(...write: unknown[]): number }
}

/** Databases share the content of a file until one of them writes to it: of 28 MB they write to one or two. */
function copyWhenWritten(node: FileNode) {
  const own = node.stream_ops
  node.stream_ops = {
    ...own,
    write(...write) {
      // A stream that was opened earlier calls this again.
      if (node.stream_ops !== own) {
        node.contents &&= node.contents.slice()
        node.stream_ops = own
      }
      return own.write(...write)
    },
  }
}

const TERMINATE = 'X'.charCodeAt(0)
/** Sync ends an exchange that the driver left half-way, a simple query ends the transaction. */
const ABANDON = [Buffer.from('S\0\0\0\x04'), Buffer.from('Q\0\0\0\x0drollback\0')]

/**
 * One connection. The driver writes whole messages, and reads whole messages from it.
 *
 * A connection holds PGlite's only session from a message to the answer that ends its exchange outside of a transaction: no
 * other connection's Bind may come between its Bind and its Execute.
 */
export class MemoryConnection extends Duplex {
  readonly #pglite: PGlite
  readonly #session: ReturnType<typeof createMutex>
  #release: (() => void) | undefined

  constructor(pglite: PGlite, session: ReturnType<typeof createMutex>) {
    super()
    this.#pglite = pglite
    this.#session = session
  }

  /** The driver reads this of its socket. */
  get readyState(): 'open' | 'closed' {
    return this.destroyed ? 'closed' : 'open'
  }

  override _read() {}

  override _write(messages: Uint8Array, _encoding: string, done: (error?: Error) => void) {
    this.#exchange(messages).then(() => done(), done)
  }

  async #exchange(messages: Uint8Array) {
    if (messages[0] === TERMINATE) return
    this.#release ??= await new Promise<() => void>((onAcquired) => {
      this.#session.runExclusive(() => new Promise<void>(onAcquired))
    })
    if (this.destroyed) return this.#abandon()
    const answer = this.#pglite.execProtocolRawSync(messages)
    if (endsIdle(answer)) this.#releaseSession()
    this.push(answer)
  }

  #releaseSession() {
    this.#release?.()
    this.#release = undefined
  }

  #abandon() {
    if (!this.#release) return
    for (const each of ABANDON) this.#pglite.execProtocolRawSync(each)
    this.#releaseSession()
  }

  override _final(done: (error?: Error) => void) {
    done()
    this.destroy()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    this.#abandon()
    done(error)
  }
}

const BLOCK = 512
const FILE = '0'
const FOLDER = '5'

export interface TarEntry {
  /** Without a slash at its end. */
  name: string
  /** A view of the archive; null for a folder. */
  content: Uint8Array<ArrayBuffer> | null
}

/** Its files and folders, in their order. @throws where it has anything else, as a link */
export function* entriesOf(tar: Uint8Array<ArrayBuffer>): Generator<TarEntry> {
  const bytes = Buffer.from(tar.buffer, tar.byteOffset, tar.length)
  let at = 0
  const field = (start: number, end: number) =>
    bytes.toString('latin1', at + start, at + end).replace(/\0.*$/s, '')
  // An archive ends in blocks of zeros.
  while (at < bytes.length && bytes[at] !== 0) {
    const [prefix, type] = [field(345, 500), field(156, 157)]
    const name = (prefix && `${prefix}/`) + field(0, 100).replace(/\/$/, '')
    const size = Number.parseInt(field(124, 136), 8)
    if (type !== FILE && type !== FOLDER) throw new Error(`${name}: a tar entry of type ${type}`)
    at += BLOCK
    yield { name, content: type === FILE ? tar.subarray(at, at + size) : null }
    at += Math.ceil(size / BLOCK) * BLOCK
  }
}
