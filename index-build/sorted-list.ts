type Compare = (a: number, b: number) => number

/**
 * Numbers in an order, in one array that grows. It is changed in place: an order of 100,000 records
 * that was made anew for each change left megabytes for the garbage collector, and its pauses to callers.
 */
export class SortedList {
  #values = new Uint32Array(1024)
  #length = 0

  /** A view: valid until the next change. */
  get values(): Uint32Array {
    return this.#values.subarray(0, this.#length)
  }

  /** @param isGone by value, 1 for what leaves. One pass, however many leave. */
  remove(isGone: Uint8Array) {
    const values = this.#values
    let length = 0
    for (let i = 0; i < this.#length; i++) {
      const value = values[i] ?? 0
      values[length] = value
      if (isGone[value] !== 1) length++
    }
    this.#length = length
  }

  /**
   * One move of what is there, however many come. Sorting many takes steps, between which whoever has
   * no readers can pause; until the last the list is as it was.
   * @param added in no order.
   * @param compare never 0 for two different values.
   * @param sort puts a few of them in order, in place.
   */
  *insert(
    added: Iterable<number>,
    compare: Compare,
    sort = (few: Uint32Array) => few.sort(compare),
  ): Generator<void> {
    const sorted = yield* sortedInSteps(Uint32Array.from(added), compare, sort)
    this.#reserve(this.#length + sorted.length)
    const values = this.#values
    // From the back, so that what stays moves up once, by as many as still come before it.
    let end = this.#length
    for (let left = sorted.length; left > 0; left--) {
      const value = sorted[left - 1] ?? 0
      const start = this.#firstAfter(value, end, compare)
      values.copyWithin(start + left, start, end)
      values[start + left - 1] = value
      end = start
    }
    this.#length += sorted.length
  }

  /** Of the first `end` values the place of the first that comes after `value`. */
  #firstAfter(value: number, end: number, compare: Compare): number {
    let low = 0
    let high = end
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(this.#values[middle] ?? 0, value) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #reserve(length: number) {
    if (length <= this.#values.length) return
    const larger = new Uint32Array(length + (length >>> 2))
    larger.set(this.values)
    this.#values = larger
  }
}

/** Values sorted or merged in one step: a few milliseconds' worth. */
const STEP = 4_000

/** Merge sort, bottom up. @returns `values` or another array, in order. */
function* sortedInSteps(
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
