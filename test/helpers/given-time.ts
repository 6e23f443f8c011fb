/** Time as a promise of so many seconds counts it where the machine is busy with other processes as well. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const TICK_MS = 20

/**
 * A clock of the time that this process is given: each tick counts its length, however late it comes, but for what one of the
 * process's threads, the embedded database's say, was ready to run and had no processor. It goes as fast as any clock
 * where the machine is idle, and stands still while the processor is others'.
 */
export function startGivenTime() {
  let nowMs = 0
  let [lastMs, last] = [performance.now(), delaysOfThreads()]
  const timer = setInterval(() => {
    const [thisMs, delays] = [performance.now(), delaysOfThreads()]
    const waited = [...delays].map(([thread, ms]) => ms - (last.get(thread) ?? ms))
    const givenMs = thisMs - lastMs - Math.max(0, ...waited)
    nowMs += Math.min(TICK_MS, Math.max(0, givenMs))
    lastMs = thisMs
    last = delays
  }, TICK_MS)
  return { now: () => nowMs, stop: () => clearInterval(timer) }
}

/** How long each thread of this process has waited for a processor, in milliseconds; nothing where the system doesn't tell. */
function delaysOfThreads(): Map<string, number> {
  const delays = new Map<string, number>()
  try {
    for (const thread of readdirSync('/proc/self/task')) {
      const [, ns] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')
      delays.set(thread, Number(ns) / 1_000_000)
    }
  } catch {
    // Another system, or a thread that has just ended.
  }
  return delays
}

/** Waits for so many milliseconds of given time. */
export async function givenTime(ms: number): Promise<void> {
  const clock = startGivenTime()
  while (clock.now() < ms) await pause(TICK_MS)
  clock.stop()
}

/** Asks again and again until it is so. @throws where it has not become so within `limitMs` of given time */
export async function within(limitMs: number, isSo: () => unknown): Promise<void> {
  for (let waitedMs = 0; !(await isSo()); waitedMs += TICK_MS) {
    if (waitedMs >= limitMs) throw new Error(`it did not become so within ${limitMs} ms`)
    await pause(TICK_MS)
  }
}
