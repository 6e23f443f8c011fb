/** Medians and percentiles of what was measured several times. */

/** To hundredths. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** @param share 0.99 for the 99th percentile @returns NaN of no values */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Times in milliseconds, as a row of a table. */
export function spread(times: readonly number[]) {
  return {
    p50Ms: rounded(median(times)),
    p99Ms: rounded(percentile(times, 0.99)),
    maxMs: rounded(percentile(times, 1)),
  }
}

/** Runs `work` in `inFlight` loops until `isOver`. @returns milliseconds of each run */
export async function timesUntil(
  isOver: () => boolean,
  inFlight: number,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = []
  const loop = async () => {
    while (!isOver()) {
      const fromMs = performance.now()
      await work()
      times.push(performance.now() - fromMs)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, loop))
  return times
}

/** For `timesUntil`. */
export function after(forMs: number): () => boolean {
  const endsMs = performance.now() + forMs
  return () => performance.now() >= endsMs
}

/** Runs each of these so many times, one after the other. */
export async function timesOf(
  works: Readonly<Record<string, () => Promise<unknown>>>,
  times: number,
) {
  const figures: Record<string, { first: number } & ReturnType<typeof spread>> = {}
  for (const [name, work] of Object.entries(works)) {
    let count = 0
    const took = await timesUntil(() => count++ === times, 1, work)
    figures[name] = { first: rounded(took[0] ?? Number.NaN), ...spread(took) }
  }
  return figures
}
