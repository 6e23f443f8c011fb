/** A database in this process's memory: PGlite behind streams that speak PostgreSQL's protocol. No port, no file. */
import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { createMutex } from '../mutex.ts'
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
    /** Copies its files, for other databases to start from. Nothing else may use it meanwhile. */
    async files(): Promise<readonly MemoryFile[]> {
      await pglite.exec('checkpoint')
      return [...filesIn(pglite.Module.FS, DATA)]
    },
    /** Ends it; its connections are closed before. */
    close: () => pglite.close(),
  }
}

/** Where PGlite looks for its cluster. */
const DATA = '/pglite/data'

let image: Promise<readonly MemoryFile[]> | undefined

/** The prepared image, unpacked once a process: PGlite would unpack it for each database. */
function imageFiles(): Promise<readonly MemoryFile[]> {
  image ??= unpackImage()
  return image
}

async function unpackImage(): Promise<MemoryFile[]> {
  const files: MemoryFile[] = [{ path: DATA, content: null }]
  for (const { name, content } of entriesOf(await imageTar())) {
    files.push({ path: `${DATA}/${name}`, content })
  }
  return files
}

/** Begins to load what a start needs, on other threads: for whoever has more to import before it. */
export function loadAhead(): void {
  // A start tells of what failed.
  Promise.all([engine(), imageFiles()]).catch(() => {})
}

/** PGlite's files in memory, filled before it looks at them: faster than a tar archive. */
class GivenFiles extends MemoryFS {
  readonly #files: readonly MemoryFile[]

  constructor(files: readonly MemoryFile[]) {
    super()
    this.#files = files
  }

  override async initialSyncFs() {
    const { FS } = this.pg!.Module
    for (const { path, content } of this.#files) {
      // It keeps a copy: databases don't share their pages.
      if (content) FS.writeFile(path, content)
      else FS.mkdirTree(path)
    }
  }
}

/** Folders come before what is in them. */
function* filesIn(FS: PGlite['Module']['FS'], folder: string): Generator<MemoryFile> {
  yield { path: folder, content: null }
  for (const name of FS.readdir(folder)) {
    if (name === '.' || name === '..') continue
    const path = `${folder}/${name}`
    if (FS.isDir(FS.stat(path).mode)) yield* filesIn(FS, path)
    else yield { path, content: FS.readFile(path) }
  }
}
