/** The embedded database's thread: PGlite, and a loop that runs the messages of the client whose turn it is, as a backend would. */
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { DURABLE_START, DurableFiles } from './durable-files.ts'
import { sharedEngine, shareLibraries } from './engine.ts'
import { forgetInterrupt, type InterruptFlags, interruptible } from './interrupts.ts'
import { STARTUP } from './protocol.ts'

export interface WorkerOptions {
  /** The cluster's folder, which exists. */
  folder: string
  port: MessagePort
  /** Counts the messages that were sent to `port`: the thread sleeps on it where it needs one at once. */
  bell: Int32Array<SharedArrayBuffer>
}

/** To the thread: messages of PostgreSQL's protocol, whole ones; or that it stop. */
export type ToWorker = Uint8Array | 'stop'

/** From the thread. */
export type FromWorker =
  /** The database takes messages. `greeting`: the answer to a client that connects. */
  | { type: 'ready'; flags: InterruptFlags; greeting: Uint8Array }
  /** A part of the answer to what was sent. `isLast`: all of it ran; otherwise more comes, or COPY needs data. */
  | { type: 'answer'; bytes: Uint8Array; isLast: boolean; needsData: boolean }
  /** `panicked`: only a new thread can start PostgreSQL again. */
  | { type: 'failed' | 'panicked' | 'stopped'; reason?: string }

/** How much of an answer is collected before it is passed on. */
const CHUNK_BYTES = 64 * 1024

/** More than a ReadyForQuery has. */
const MIN_LAST_BYTES = 8

/** PGlite ends the program with this status where PostgreSQL would jump to its main loop after an error. */
const JUMP_STATUS = 100

const { folder, port, bell } = workerData as WorkerOptions

class InterruptibleFiles extends DurableFiles {
  flags: (() => InterruptFlags) | undefined

  override async init(...args: Parameters<DurableFiles['init']>): ReturnType<DurableFiles['init']> {
    const { emscriptenOpts } = await super.init(...args)
    const shared = interruptible(emscriptenOpts, (flags) => {
      this.flags = flags
    })
    return { emscriptenOpts: { ...emscriptenOpts, ...shared } }
  }
}

/** PostgreSQL's side of the connection: it reads what was sent and writes what is passed on. */
function backend(module: PGlite['Module'], flags: InterruptFlags) {
  let input: Uint8Array = new Uint8Array(0)
  let read = 0
  let output: Uint8Array[] = []
  let outputBytes = 0

  function pass(isLast: boolean, needsData = false) {
    const bytes = output.length === 1 && output[0] ? output[0] : Buffer.concat(output)
    output = []
    outputBytes = 0
    tell({ type: 'answer', bytes, isLast, needsData })
  }

  /** COPY reads on where its message ended: the thread waits for the client's next one. */
  function nextInput() {
    pass(false, true)
    for (;;) {
      const heard = Atomics.load(bell, 0)
      const next = receiveMessageOnPort(port)
      if (next?.message instanceof Uint8Array) {
        input = next.message
        read = 0
        return
      }
      Atomics.wait(bell, 0, heard)
    }
  }

  const onRead = module.addFunction((to: number, max: number) => {
    if (read === input.length) nextInput()
    const part = input.subarray(read, read + max)
    read += part.length
    module.HEAPU8.set(part, to)
    return part.length
  }, 'ipi')
  const onWrite = module.addFunction((from: number, length: number) => {
    // The last piece holds the whole end of the answer, which tells whether a transaction is open.
    if (outputBytes >= CHUNK_BYTES && length > MIN_LAST_BYTES) pass(false)
    output.push(new Uint8Array(module.HEAPU8.subarray(from, from + length)))
    outputBytes += length
    return length
  }, 'ipi')
  module._pgl_set_rw_cbs(onRead, onWrite)

  return {
    /** Runs whole messages. @throws what ends PostgreSQL. */
    run(messages: Uint8Array) {
      forgetInterrupt(flags)
      input = messages
      read = 0
      while (read < input.length || module._pq_buffer_remaining_data() > 0) {
        const stack = module.stackSave()
        try {
          module._PostgresMainLoopOnce()
        } catch (error) {
          module.stackRestore(stack)
          if (statusOf(error) !== JUMP_STATUS) throw error
          module._PostgresMainLongJmp()
        }
      }
      module._PostgresSendReadyForQueryIfNecessary()
      module._pgl_pq_flush()
      pass(true)
    },
  }
}

function statusOf(error: unknown): unknown {
  return error instanceof Object && 'status' in error ? error.status : undefined
}

async function start() {
  const files = new InterruptibleFiles(folder, () => tell({ type: 'panicked' }))
  const database = new PGlite({ ...(await sharedEngine()), fs: files, startParams: DURABLE_START })
  await database.waitReady
  shareLibraries(database.Module)
  const flags = files.flags?.()
  if (!flags) throw new Error('PGlite started without its memory')
  const greeting = database.execProtocolRawSync(STARTUP)
  const { run } = backend(database.Module, flags)
  port.on('message', async (message: ToWorker) => {
    try {
      if (message !== 'stop') return run(message)
      await database.close()
      tell({ type: 'stopped' })
    } catch (error) {
      tell({ type: 'panicked', reason: reasonOf(error) })
    }
  })
  tell({ type: 'ready', flags, greeting })
}

function tell(message: FromWorker) {
  port.postMessage(message)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

start().catch((error: unknown) => tell({ type: 'failed', reason: reasonOf(error) }))
