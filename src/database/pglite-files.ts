/**
 * PGlite's files, on the disk and in memory. This file alone reaches behind PGlite's public interface, into Emscripten's file system,
 * because PGlite itself never syncs a file, doesn't tell when PostgreSQL gives up, and takes a second longer to unpack a database.
 */
import { constants, fdatasyncSync, fsyncSync } from 'node:fs'
import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** PGlite starts with `-F`, which turns fsync off. Of the ways to sync the log its libc passes on only `fsync`. */
export const DURABLE_START = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'wal_sync_method=fsync'],
]

/** An open file or folder. */
interface Stream {
  nfd: number
  node: { mode: number }
}

/** PostgreSQL's jump to its main loop after an error arrives as an exit with this status. */
const JUMP_STATUS = 100

/** The parts of Emscripten's module that are used here. */
interface NodeModule {
  onAbort: () => void
  onRuntimeInitialized: () => void
  _PostgresMainLoopOnce: () => void
  NODEFS: {
    stream_ops: { fsync?: (stream: Stream) => number }
    tryFSOperation<T>(work: () => T): T
  }
}

/** Files on the disk, synced when PostgreSQL asks for it. */
export class DurableFiles extends NodeFS {
  readonly #onPanic: () => void

  /** @param onPanic called when PostgreSQL gives up, on a full disk for example: nothing but a new start helps. */
  constructor(folder: string, onPanic: () => void) {
    super(folder)
    this.#onPanic = onPanic
  }

  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...args)
    const prepare = (given: unknown) => {
      const module = given as NodeModule
      module.onAbort = this.#onPanic
      const { NODEFS, onRuntimeInitialized } = module
      module.onRuntimeInitialized = () => {
        onRuntimeInitialized()
        this.#watch(module)
      }
      NODEFS.stream_ops.fsync = ({ nfd, node }) => {
        const isFolder = (node.mode & constants.S_IFMT) === constants.S_IFDIR
        // A file needs its content alone, which halves the writes. A folder needs its names too: PostgreSQL
        // renames the parts of its log to use them again.
        NODEFS.tryFSOperation(() => (isFolder ? fsyncSync : fdatasyncSync)(nfd))
        return 0
      }
    }
    const preRun = [...(emscriptenOpts.preRun ?? []), prepare]
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }

  /** PGlite goes on whatever PostgreSQL's loop throws, for ever where it has ended. */
  #watch(module: NodeModule) {
    const step = module._PostgresMainLoopOnce
    module._PostgresMainLoopOnce = () => {
      try {
        step()
      } catch (error) {
        const status = error instanceof Object && 'status' in error ? error.status : undefined
        if (status !== JUMP_STATUS) this.#onPanic()
        throw error
      }
    }
  }
}

/** A file, or a folder, which has no content. */
export interface MemoryFile {
  path: string
  content: Uint8Array | null
}

/** Files in memory, filled before PGlite looks at them: faster than a tar archive. */
export class GivenFiles extends MemoryFS {
  readonly #files: readonly MemoryFile[]

  constructor(files: readonly MemoryFile[]) {
    super()
    this.#files = files
  }

  override async initialSyncFs() {
    const FS = this.pg?.Module.FS
    for (const { path, content } of this.#files) {
      if (content) FS?.writeFile(path, content)
      else FS?.mkdirTree(path)
    }
  }
}
