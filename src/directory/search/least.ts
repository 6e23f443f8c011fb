/** The least of many numbers: most searches match far more than a page shows. */

/** Least number of results found at once: a few pages. */
export const BATCH_MIN = 200

/**
 * The least of so many numbers, in one pass over all and by sorting few: most are larger than the largest of the least so far.
 * @param length how many there are @param count how many are wanted
 */
export function leastOf(length: number, count: number, keyAt: (i: number) => number): Float64Array {
  const least = new Float64Array(Math.min(Math.max(2 * count, BATCH_MIN), length))
  let filled = 0
  let largest = Number.POSITIVE_INFINITY
  for (let i = 0; i < length; i++) {
    const key = keyAt(i)
    if (key > largest) continue
    if (filled === least.length) {
      least.sort()
      filled = count
      largest = least[count - 1] ?? 0
    }
    least[filled++] = key
  }
  return least.subarray(0, filled).sort().subarray(0, count)
}
