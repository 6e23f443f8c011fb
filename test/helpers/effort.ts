/** What a piece of work costs the processor, for tests of what must not take long whatever it is given. */

/**
 * Runs `work`. @returns milliseconds of processor time, of all threads of this process: what other processes do on the
 * machine meanwhile counts for nothing.
 */
export function effortOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
