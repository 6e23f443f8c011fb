/** How long work holds the event loop: its longest turn, by the processor time of the thread. */
import { threadClock } from './thread-clock.ts'

const clock = threadClock()

/**
 * Runs the work while the event loop goes round without a rest.
 * @returns milliseconds of the longest turn, which is what a call that comes meanwhile waits for, at worst
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0
  let lastMs = clock()
  let isDone = false
  const look = () => {
    const nowMs = clock()
    longestMs = Math.max(longestMs, nowMs - lastMs)
    lastMs = nowMs
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isDone = true
  look()
  return longestMs
}
