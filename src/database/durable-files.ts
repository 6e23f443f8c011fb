/** PGlite's files on the disk, with the one thing that PGlite leaves out: fsync, when PostgreSQL asks for it. */
import { constants, fdatasyncSync, fsyncSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
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

/** The parts of Emscripten's module that are used here. */
interface NodeModule {
  onAbort: () => void
  NODEFS: {
    stream_ops: { fsync?: (stream: Stream) => number }
    tryFSOperation<T>(work: () => T): T
  }
}

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
      const { NODEFS } = module
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
}
