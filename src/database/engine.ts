/** PGlite's own files, imported so that they are found from source and inside a single binary alike. */
import type { PGliteOptions } from '@electric-sql/pglite'
import data from '@electric-sql/pglite/pglite.data' with { type: 'bytes' }
import wasm from '@electric-sql/pglite/pglite.wasm' with { type: 'bytes' }
import { readImported } from '../runtime.ts'

type Engine = Required<Pick<PGliteOptions, 'pgliteWasmModule' | 'fsBundle'>>

let loaded: Promise<Engine> | undefined

/** What every PGlite is started with; compiled once a process. */
export function engine(): Promise<Engine> {
  loaded ??= Promise.all([
    readImported(wasm).then((bytes) => WebAssembly.compile(bytes)),
    readImported(data).then((bytes) => new Blob([bytes])),
  ]).then(([pgliteWasmModule, fsBundle]) => ({ pgliteWasmModule, fsBundle }))
  return loaded
}
