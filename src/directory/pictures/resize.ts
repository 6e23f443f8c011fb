/**
 * Makes small pictures of bytes that came from anywhere, in a thread of its own: what takes too long, or makes the decoder give
 * up, ends with the thread.
 */
import { URL } from 'node:url' // `Worker` wants this one: to Deno's types the global one is another.
import { Worker } from 'node:worker_threads'
import { createMutex } from '../../mutex.ts'

/** The largest picture that is taken needs half of it on a slow core. */
const LIMIT_MS = 15_000

/** `isBroken`: the decoder gave up in the middle and must not be used again. */
export type FromResizeWorker =
  | { bytes: Uint8Array<ArrayBuffer> }
  | { refused: string; isBroken: boolean }

export type Resized = { bytes: Uint8Array<ArrayBuffer> } | { refused: string }

export interface Resizer {
  /** @returns a square WebP or JPEG of `PICTURE_SIDE`, or why there is none. Pictures are made one after the other. */
  resize(bytes: Uint8Array<ArrayBuffer>): Promise<Resized>
  close(): Promise<void>
}

/** The thread starts with the first picture. @param limitMs for each picture, and before the first for the start of the thread */
export function createResizer({ limitMs = LIMIT_MS }: { limitMs?: number } = {}): Resizer {
  const mutex = createMutex()
  let worker: Worker | undefined

  async function close() {
    const ending = worker
    worker = undefined
    await ending?.terminate()
  }

  async function run(bytes: Uint8Array<ArrayBuffer>): Promise<Resized> {
    worker ??= new Worker(new URL('./resize-worker.ts', import.meta.url))
    const thread = worker
    const { promise, resolve } = Promise.withResolvers<FromResizeWorker>()
    const giveUp = (refused: string) => resolve({ refused, isBroken: true })
    const timer = setTimeout(giveUp, limitMs, `not decoded in ${limitMs / 1_000} s`)
    thread.once('message', resolve)
    thread.once('error', () => giveUp('the decoder failed'))
    thread.once('exit', () => giveUp('the decoder stopped'))
    thread.postMessage(bytes)
    try {
      const answer = await promise
      if ('bytes' in answer) return answer
      if (answer.isBroken) await close()
      return { refused: answer.refused }
    } finally {
      clearTimeout(timer)
      thread.removeAllListeners()
      // One that fails later is noticed by the next picture, which gets no answer.
      thread.on('error', () => {})
    }
  }

  return { resize: (bytes) => mutex.runExclusive(() => run(bytes)), close }
}
