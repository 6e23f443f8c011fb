/** The processor time of the calling thread: what it did itself, whatever else the machine did meanwhile. */
import { dlopen, ptr } from 'bun:ffi'

/** `CLOCK_THREAD_CPUTIME_ID`. */
const CLOCK_THREAD_LINUX = 3
const CLOCK_THREAD_MACOS = 16

/** Makes a clock in milliseconds. `process.threadCpuUsage` is behind by up to 4 ms. */
export function threadClock(): () => number {
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
