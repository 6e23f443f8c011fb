/** PGlite's own files, imported so that they are found from source and inside a single binary alike. */
import type { PGlite, PGliteOptions } from '@electric-sql/pglite'
import data from '@electric-sql/pglite/pglite.data' with { type: 'bytes' }
import wasm from '@electric-sql/pglite/pglite.wasm' with { type: 'bytes' }
import { once } from '../once.ts'
import { readImported } from '../runtime.ts'
import { withSharedMemory } from './shared-memory.ts'

type Engine = Required<Pick<PGliteOptions, 'pgliteWasmModule' | 'fsBundle'>>

/** Modules and files that every PGlite starts with; compiled once a process. */
export const engine = once(() => load((code) => code))

/** The same for a PGlite whose memory other threads see. */
export function sharedEngine(): Promise<Engine> {
  return load(withSharedMemory)
}

async function load(
  prepare: (code: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
): Promise<Engine> {
  const [pgliteWasmModule, fsBundle] = await Promise.all([
    readImported(wasm).then((bytes) => WebAssembly.compile(prepare(bytes))),
    readImported(data).then((bytes) => new Blob([bytes])),
  ])
  return { pgliteWasmModule, fsBundle }
}

const LIBRARIES = '/pglite/lib/postgresql'

/** Prepares the libraries that PostgreSQL loads when they are first needed, PL/pgSQL's among them. */
export function shareLibraries({ FS }: PGlite['Module']) {
  for (const name of FS.readdir(LIBRARIES)) {
    if (!name.endsWith('.so')) continue
    const path = `${LIBRARIES}/${name}`
    FS.writeFile(path, withSharedMemory(FS.readFile(path)))
  }
}
