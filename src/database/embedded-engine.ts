/** The embedded database's thread, seen from the one that uses it. */
import { setTimeout } from 'node:timers/promises'
import { URL } from 'node:url' // `Worker` wants this one: to Deno's types the global one is another.
import { MessageChannel, Worker } from 'node:worker_threads'
import type { FromWorker, ToWorker, WorkerOptions } from './embedded-worker.ts'
import { type InterruptFlags, interrupt } from './interrupts.ts'
import { endsIdle } from './protocol.ts'
import type { Engine } from './session-scheduler.ts'

/** How long a database may take to stop by itself. */
const STOP_MS = 10_000

export interface EmbeddedEngine extends Engine {
  /** PostgreSQL's answer to a client that connects. */
  greeting: Uint8Array
  /** Stops it, once the messages that it was given have run. */
  stop(): Promise<void>
  kill(): Promise<unknown>
}

/** Receivers of the running messages' answers. */
interface Run {
  onAnswer: (bytes: Uint8Array) => void
  onNeed: () => Promise<Uint8Array>
  onEnd: (isIdle: boolean) => void
}

/**
 * Starts PostgreSQL on the cluster in `folder`.
 * @param onPanic called when it gives up later; what was running then never ends. @throws Error with the reason
 */
export async function startEngine(folder: string, onPanic: () => void): Promise<EmbeddedEngine> {
  const { port1: port, port2 } = new MessageChannel()
  const bell = new Int32Array(new SharedArrayBuffer(4))
  const workerData: WorkerOptions = { folder, port: port2, bell }
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    workerData,
    transferList: [port2],
  })
  const { promise: ready, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const { promise: stopped, resolve: onStopped } = Promise.withResolvers<void>()
  let flags: InterruptFlags | undefined
  let running: Run | undefined

  function send(message: ToWorker) {
    port.postMessage(message)
    Atomics.add(bell, 0, 1)
    Atomics.notify(bell, 0)
  }

  port.on('message', (message: FromWorker) => {
    if (message.type === 'answer') {
      const { bytes, isLast, needsData } = message
      const run = running
      if (bytes.length > 0) run?.onAnswer(bytes)
      if (needsData) run?.onNeed().then(send)
      if (!isLast) return
      running = undefined
      run?.onEnd(endsIdle(bytes))
    } else if (message.type === 'ready') {
      flags = message.flags
      resolve(message.greeting)
    } else if (!flags) reject(new Error(message.reason ?? 'PostgreSQL gave up'))
    else {
      onStopped()
      if (message.type === 'panicked') onPanic()
    }
  })
  worker.on('error', reject)
  worker.on('exit', () => {
    reject(new Error('it stopped'))
    onStopped()
  })
  const kill = async () => {
    port.close()
    await worker.terminate()
  }
  const greeting = await ready.catch(async (error: unknown) => {
    await kill()
    throw error
  })
  return {
    greeting,
    run: (messages, onAnswer, onNeed) =>
      new Promise((onEnd) => {
        running = { onAnswer, onNeed, onEnd }
        send(messages)
      }),
    interrupt() {
      if (flags) interrupt(flags)
    },
    async stop() {
      send('stop')
      // Everything that was answered is on the disk: a worker that doesn't stop in time loses nothing.
      await Promise.race([stopped, setTimeout(STOP_MS, undefined, { ref: false })])
      await kill()
    },
    kill,
  }
}
