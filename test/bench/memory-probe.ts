/**
 * Loaded into a server before its own code (`bun --preload`): writes each second what it holds of the machine's memory, as
 * JSON, to the file in `BENCH_MEMORY_FILE`.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** In bytes. */
export interface HeldMemory {
  rss: number
  /** What the garbage collector counts: objects, and arrays of bytes and numbers with them. */
  heapUsed: number
  /** Of it the arrays. */
  arrayBuffers: number
}

const EVERY_MS = 1_000

const file = process.env.BENCH_MEMORY_FILE
if (file && isMainThread) {
  setInterval(() => {
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
    // A reader sees a whole one.
    writeFileSync(`${file}.next`, JSON.stringify({ rss, heapUsed, arrayBuffers }))
    renameSync(`${file}.next`, file)
  }, EVERY_MS).unref()
}
