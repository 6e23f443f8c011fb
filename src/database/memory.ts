/** A database in this process's memory: PGlite behind streams that speak PostgreSQL's protocol. No port, no file. */

import { PGlite } from '@electric-sql/pglite'
import { once } from '../once.ts'
import { engine } from './engine.ts'
import { imageTar } from './image.ts'
import { GivenFiles, type MemoryFile } from './pglite-files.ts'
import { PgliteStream, sessionOf } from './pglite-stream.ts'

export type { MemoryFile }

export type MemoryDatabase = Awaited<ReturnType<typeof startMemoryDatabase>>

/** A start spends most of its time on clearing buffers: few are enough. */
const START = [...PGlite.defaultStartParams, '-c', 'shared_buffers=4MB']

/** Starts a database. @param files those of another one; not given: the prepared image, migrated and empty. */
export async function startMemoryDatabase(files?: readonly MemoryFile[]) {
  const [wasm, given] = await Promise.all([engine(), files ?? imageFiles()])
  const pglite = await PGlite.create({ ...wasm, fs: new GivenFiles(given), startParams: START })
  const session = sessionOf(async (messages, onAnswer) =>
    onAnswer(pglite.execProtocolRawSync(messages)),
  )
  return {
    /** Opens a connection: what `connect` takes as `openStream`. */
    open: () => new PgliteStream(session),
    /** Ends it; its connections are closed before. */
    close: () => pglite.close(),
  }
}

const DATA = PGlite.paths.PGDATA

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
  // It ends in blocks of zeros.
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
