/** Sorting that can be paused: a hundred thousand names take too long to sort for anyone to wait for. */

export type Compare = (a: number, b: number) => number

/** Values sorted or merged in one step: a millisecond or two's worth. */
const STEP = 1_000

/**
 * A merge sort, bottom up.
 * @param compare never 0 for two different values.
 * @param sort puts a few of them in order, in place.
 * @returns `values` or another array, in order.
 */
export function* sortedInSteps(
  values: Uint32Array<ArrayBuffer>,
  compare: Compare,
  sort: (few: Uint32Array) => Uint32Array,
): Generator<void, Uint32Array> {
  const { length } = values
  for (let start = 0; start < length; start += STEP) {
    sort(values.subarray(start, start + STEP))
    yield
  }
  let from = values
  let to = new Uint32Array(length)
  for (let width = STEP; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const middle = Math.min(start + width, length)
      const end = Math.min(start + 2 * width, length)
      const merge = { left: start, right: middle, place: start }
      while (merge.place < end) {
        mergeSome(from, to, merge, middle, end, compare)
        yield
      }
    }
    ;[from, to] = [to, from]
  }
  return from
}

/** One step of merging what is in order up to `middle` with what is in order from there to `end`. */
function mergeSome(
  from: Uint32Array,
  to: Uint32Array,
  merge: { left: number; right: number; place: number },
  middle: number,
  end: number,
  compare: Compare,
) {
  let { left, right } = merge
  const until = Math.min(merge.place + STEP, end)
  for (let place = merge.place; place < until; place++) {
    const isLeft = left < middle && (right >= end || compare(from[left] ?? 0, from[right] ?? 0) < 0)
    to[place] = from[isLeft ? left++ : right++] ?? 0
  }
  merge.left = left
  merge.right = right
  merge.place = until
}
