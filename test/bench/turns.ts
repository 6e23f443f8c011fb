/** How long work holds the event loop: its turns, by the processor time of the thread. */
import { threadClock } from './thread-clock.ts'

const clock = threadClock()

/** Shorter turns hold up nobody. */
const COUNTED_MS = 0.05

/**
 * Runs the work while the event loop goes round without a rest.
 * @returns milliseconds of each turn of the event loop that took a while
 */
export async function turnsOf(work: () => Promise<unknown>): Promise<number[]> {
  const turns: number[] = []
  let lastMs = clock()
  let isDone = false
  const look = () => {
    const nowMs = clock()
    if (nowMs - lastMs > COUNTED_MS) turns.push(nowMs - lastMs)
    lastMs = nowMs
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isDone = true
  look()
  return turns
}

/**
 * What these turns cost a call that comes at any moment: the time for which it waits until the one ends that it came into. It
 * is worked out of processor times, so that whatever else the machine does plays no part.
 * @param turns of all visits @param visits how many there were @param perSecond visits in a second
 * @returns milliseconds that so many of all calls don't wait longer than (0.99: the 99th percentile)
 */
export function waitOf(
  turns: readonly number[],
  visits: number,
  perSecond: number,
  share: number,
): number {
  // A call comes into a given turn, with more than `ms` of it to go, for `turn - ms` milliseconds of each of these turns.
  const waitLonger = (ms: number) => {
    const held = turns.reduce((sum, turn) => sum + Math.max(0, turn - ms), 0)
    return ((held / visits) * perSecond) / 1_000
  }
  let [least, most] = [0, Math.max(0, ...turns)]
  for (let step = 0; step < 40; step++) {
    const middle = (least + most) / 2
    if (waitLonger(middle) > 1 - share) least = middle
    else most = middle
  }
  return most
}
