/**
 * Loaded into a server before its own code (`bun --preload`): four times a second it appends what the
 * event loop and the memory looked like to the file in `BENCH_PROBE_FILE`, as a line of JSON.
 */
import { appendFileSync, openSync, readSync } from 'node:fs'
import { threadClock } from './thread-clock.ts'

/** The longest turn of the event loop since the last line, by each of three clocks: they need not mean the same turn. */
export interface LongestTurn {
  /** Milliseconds by the clock on the wall: what a caller may have waited. */
  stallMs: number
  /** Without the time in which the main thread could have run and no core was free for it. */
  heldMs: number
  /** Processor time of the main thread alone: what the server did itself. */
  ownMs: number
}

export interface ProbeLine extends LongestTurn {
  /** Milliseconds since the epoch. */
  at: number
  /** Resident. */
  rssBytes: number
  /** Processor time since the last line, of all threads. */
  cpuMs: number
}

const EVERY_MS = 250
/** A turn is what lies between two rounds of a timer that is always due. */
const TICK_MS = 1

/** Milliseconds for which the main thread, whose number is the process's, has waited for a core; 0 where Linux doesn't tell. */
function waitClock(): () => number {
  if (process.platform !== 'linux') return () => 0
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const text = Buffer.alloc(64)
  return () => {
    const length = readSync(file, text, 0, text.length, 0)
    return Number(text.toString('latin1', 0, length).split(' ')[1]) / 1e6
  }
}

const file = process.env.BENCH_PROBE_FILE
if (file) {
  const waited = waitClock()
  const own = threadClock()
  let longest: LongestTurn = { stallMs: 0, heldMs: 0, ownMs: 0 }
  let last = { at: performance.now(), waited: waited(), own: own() }
  setInterval(() => {
    const now = { at: performance.now(), waited: waited(), own: own() }
    const wall = now.at - last.at
    longest = {
      stallMs: Math.max(longest.stallMs, wall),
      heldMs: Math.max(longest.heldMs, wall - (now.waited - last.waited)),
      ownMs: Math.max(longest.ownMs, now.own - last.own),
    }
    last = now
  }, TICK_MS).unref()

  let usage = process.cpuUsage()
  setInterval(() => {
    const { user, system } = process.cpuUsage(usage)
    usage = process.cpuUsage()
    const line: ProbeLine = {
      at: Date.now(),
      ...longest,
      rssBytes: process.memoryUsage.rss(),
      cpuMs: (user + system) / 1e3,
    }
    longest = { stallMs: 0, heldMs: 0, ownMs: 0 }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
  }, EVERY_MS).unref()
}
