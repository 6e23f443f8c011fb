/**
 * Loaded into a server before its own code (`bun --preload`): four times a second it appends what the
 * event loop and the memory looked like to the file in `BENCH_PROBE_FILE`, as a line of JSON.
 */
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface ProbeLine {
  /** Milliseconds since the epoch. */
  at: number
  /** The longest time since the last line in which the event loop did nothing else. */
  stallMs: number
  /** Resident. */
  rssBytes: number
  /** Processor time since the last line, of all threads. */
  cpuMs: number
}

const EVERY_MS = 250
const file = process.env.BENCH_PROBE_FILE
if (file) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let usage = process.cpuUsage()
  setInterval(() => {
    const { user, system } = process.cpuUsage(usage)
    usage = process.cpuUsage()
    const line: ProbeLine = {
      at: Date.now(),
      stallMs: delay.max / 1e6,
      rssBytes: process.memoryUsage.rss(),
      cpuMs: (user + system) / 1e3,
    }
    delay.reset()
    appendFileSync(file, `${JSON.stringify(line)}\n`)
  }, EVERY_MS).unref()
}
