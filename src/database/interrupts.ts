/**
 * A way to interrupt the embedded database from outside. Its thread can do nothing else while a statement runs, and
 * its timers don't fire then, so `statement_timeout` has no effect. PostgreSQL looks often, though, at variables in
 * its memory that a signal sets elsewhere. Here the memory is shared between threads, and another thread sets them.
 */
import { MAX_PAGES } from './shared-memory.ts'

/** PostgreSQL's memory, and where in it the variables are, in bytes. */
export interface InterruptFlags {
  memory: SharedArrayBuffer
  interruptPending: number
  queryCancelPending: number
  /** The address of a pointer to the latch that waiting statements sleep on. */
  latch: number
}

/** As PGlite makes its own memory, but shared. */
const MEMORY = { initial: 2_048, maximum: MAX_PAGES, shared: true }

type Exports = Record<string, unknown>

/** The part of Emscripten's options that is used here. */
interface WasmOptions {
  wasmMemory?: WebAssembly.Memory
  instantiateWasm?: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => unknown
}

/**
 * Gives PGlite shared memory, and tells `onFlags` how to learn where its variables are once it has started: its memory
 * grows until then. @returns options to add to PGlite's.
 */
export function interruptible(
  options: WasmOptions,
  onFlags: (flags: () => InterruptFlags) => void,
): Required<WasmOptions> {
  const wasmMemory = new WebAssembly.Memory(MEMORY)
  const { instantiateWasm } = options
  if (!instantiateWasm) throw new Error('PGlite does not instantiate its module itself any more')
  return {
    wasmMemory,
    instantiateWasm(imports, done) {
      // A timer that somebody's setting starts would go off in another client's statement, and end the database.
      imports.env = { ...imports.env, _setitimer_js: () => 0 }
      return instantiateWasm(imports, (instance, module) => {
        const { exports } = instance
        onFlags(() => {
          const { buffer: memory } = wasmMemory
          if (!(memory instanceof SharedArrayBuffer)) throw new Error('the memory is not shared')
          return {
            memory,
            interruptPending: addressOf(exports, 'InterruptPending'),
            queryCancelPending: addressOf(exports, 'QueryCancelPending'),
            latch: addressOf(exports, 'MyLatch'),
          }
        })
        done(instance, module)
      })
    },
  }
}

function addressOf(exports: Exports, name: string): number {
  const address = exports[name]
  if (!(address instanceof WebAssembly.Global)) throw new Error(`PGlite does not export ${name}`)
  return Number(address.value)
}

/** Asks the running statement to stop, as SIGINT would: it ends with the error 57014 at its next look. */
export function interrupt({ memory, interruptPending, queryCancelPending, latch }: InterruptFlags) {
  const words = new Int32Array(memory)
  Atomics.store(words, queryCancelPending >> 2, 1)
  Atomics.store(words, interruptPending >> 2, 1)
  // A statement that sleeps looks only once its latch is set.
  Atomics.store(words, Atomics.load(words, latch >> 2) >> 2, 1)
}

/** Takes back an interrupt that came when its statement had ended, so that the next one goes on. */
export function forgetInterrupt({ memory, queryCancelPending }: InterruptFlags) {
  Atomics.store(new Int32Array(memory), queryCancelPending >> 2, 0)
}
