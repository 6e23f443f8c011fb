/** A database in this process's memory: PGlite behind streams that speak PostgreSQL's protocol. No port, no file. */
import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { createMutex } from '../mutex.ts'
import { once } from '../once.ts'
import { engine } from './engine.ts'
import { imageTar } from './image.ts'
import { MemoryConnection } from './memory-connection.ts'
import { entriesOf } from './tar.ts'

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
      // What opened the file before comes here again.
      if (node.stream_ops !== own) {
        node.contents &&= node.contents.slice()
        node.stream_ops = own
      }
      return own.write(...write)
    },
  }
}
