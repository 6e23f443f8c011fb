/** Time as a promise of so many seconds counts it where the machine is busy with other processes as well. */
import { setTimeout as pause } from 'node:timers/promises'

const TICK_MS = 20

/**
 * A clock of the time that this process is given: each tick counts its length, however late it comes. It goes as fast as
 * any clock where the machine is idle, and stands still while the processor is others'.
 */
export function startGivenTime() {
  let nowMs = 0
  const timer = setInterval(() => {
    nowMs += TICK_MS
  }, TICK_MS)
  return { now: () => nowMs, stop: () => clearInterval(timer) }
}

/** Asks again and again until it is so. @throws where it has not become so within `limitMs` of given time */
export async function within(limitMs: number, isSo: () => unknown): Promise<void> {
  for (let waitedMs = 0; !(await isSo()); waitedMs += TICK_MS) {
    if (waitedMs >= limitMs) throw new Error(`it did not become so within ${limitMs} ms`)
    await pause(TICK_MS)
  }
}
