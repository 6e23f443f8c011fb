/** PGlite's own files, imported so that they are found from source and inside a single binary alike. */
import type { PGliteOptions } from '@electric-sql/pglite'
import data from '@electric-sql/pglite/pglite.data' with { type: 'bytes' }
import wasm from '@electric-sql/pglite/pglite.wasm' with { type: 'bytes' }
import { once } from '../once.ts'
import { readImported } from '../runtime.ts'

type Engine = Required<Pick<PGliteOptions, 'pgliteWasmModule' | 'fsBundle'>>

/** Modules and files that every PGlite starts with; compiled once a process. */
export const engine = once(async (): Promise<Engine> => {
  const [pgliteWasmModule, fsBundle] = await Promise.all([
    readImported(wasm).then((bytes) => WebAssembly.compile(bytes)),
    readImported(data).then((bytes) => new Blob([bytes])),
  ])
  return { pgliteWasmModule, fsBundle }
})
