/** How long work holds the event loop: its turns, by the processor time of the thread. */
import { dlopen, ptr } from 'bun:ffi'

/** `CLOCK_THREAD_CPUTIME_ID`. */
const CLOCK_THREAD_LINUX = 3
const CLOCK_THREAD_MACOS = 16

const clock = threadClock()

/** Shorter turns delay nobody. */
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
 * The wait of a call that arrives at a random moment until the current turn ends, computed from processor times, so that
 * other work of the machine plays no part.
 * @param turns of all visits @param visits their number @param share 0.99 for the 99th percentile
 * @returns milliseconds
 */
export function waitOf(
  turns: readonly number[],
  visits: number,
  perSecond: number,
  share: number,
): number {
  // A call arrives with more than `ms` of a turn to go during `turn - ms` milliseconds of it.
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

/** A clock of this thread's processor time in milliseconds. `process.threadCpuUsage` lags by up to 4 ms. */
function threadClock(): () => number {
  const { symbols } = dlopen(process.platform === 'linux' ? 'libc.so.6' : 'libSystem.dylib', {
    clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' },
  })
  const [seconds, nanoseconds] = [0, 1]
  const time = new BigInt64Array(2)
  const pointer = ptr(time)
  const clock = process.platform === 'linux' ? CLOCK_THREAD_LINUX : CLOCK_THREAD_MACOS
  return () => {
    symbols.clock_gettime(clock, pointer)
    return Number(time[seconds]) * 1e3 + Number(time[nanoseconds]) / 1e6
  }
}
