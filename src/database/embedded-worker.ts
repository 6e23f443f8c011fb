/** The embedded database's thread: PGlite, which runs what it is sent. */
import { type MessagePort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { engine } from './engine.ts'
import { DURABLE_START, DurableFiles } from './pglite-files.ts'

export interface WorkerOptions {
  /** The cluster's folder, which exists. */
  folder: string
  port: MessagePort
}

/** To the thread: whole messages of PostgreSQL's protocol; or that it stop. */
export type ToWorker = Uint8Array | 'stop'

/** From the thread. */
export type FromWorker =
  /** A part of the answer to what was sent. `isLast`: all of it ran. */
  | { type: 'answer'; bytes: Uint8Array; isLast: boolean }
  /** `panicked`: only a new thread can start PostgreSQL again. */
  | { type: 'ready' | 'failed' | 'panicked' | 'stopped'; reason?: string }

/** How much of an answer is collected before it is passed on. */
const PART_BYTES = 64 * 1024

const { folder, port } = workerData as WorkerOptions

async function start() {
  const fs = new DurableFiles(folder, () => {
    tell({ type: 'panicked' })
    process.exit()
  })
  const database = new PGlite({ ...(await engine()), fs, startParams: DURABLE_START })
  await database.waitReady
  port.on('message', async (message: ToWorker) => {
    try {
      if (message !== 'stop') return await run(database, message)
      await database.close()
      tell({ type: 'stopped' })
    } catch (error) {
      tell({ type: 'panicked', reason: reasonOf(error) })
    }
  })
  tell({ type: 'ready' })
}

async function run(database: PGlite, messages: Uint8Array) {
  let pieces: Uint8Array[] = []
  let length = 0
  const pass = (isLast: boolean) => {
    tell({ type: 'answer', bytes: Buffer.concat(pieces), isLast })
    pieces = []
    length = 0
  }
  await database.execProtocolRawStream(messages, {
    // The bytes are a view of PostgreSQL's memory, which changes.
    onRawData(bytes) {
      pieces.push(bytes.slice())
      length += bytes.length
      if (length >= PART_BYTES) pass(false)
    },
  })
  pass(true)
}

function tell(message: FromWorker) {
  port.postMessage(message)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

start().catch((error: unknown) => tell({ type: 'failed', reason: reasonOf(error) }))
