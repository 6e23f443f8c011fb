/** Values inserted at a time: a millisecond of work at most. */
const CHUNK = 100

/** Values looked up one by one where they go; more of them in one pass over all. */
const FEW = 100

/** By value, all zero between calls. Kept, because new marks for each change were megabytes of garbage a second. */
let isGone = new Uint8Array(1024)

/**
 * Numbers in an order, in one array that grows. It is changed in place: an order of 100,000 records
 * that was made anew for each change left megabytes for the garbage collector, and its pauses to callers.
 */
export class SortedList {
  #values: Uint32Array = new Uint32Array(1024)
  #length = 0

  /** A view: valid until the next change. */
  get values(): Uint32Array {
    return this.#values.subarray(0, this.#length)
  }

  get length(): number {
    return this.#length
  }

  /** @param values in their order, in place of all that is here. */
  take(values: Uint32Array) {
    this.#values = values
    this.#length = values.length
  }

  /**
   * Takes values out, each of which may stand here or not.
   * @param compare as they were compared when they came.
   */
  remove(gone: readonly number[], compare: (a: number, b: number) => number) {
    if (gone.length === 0) return
    const places = gone.length <= FEW ? this.#placesOf(gone, compare) : null
    if (places) this.#removeAt(places)
    else this.#removeMarked(gone)
  }

  /** @returns null where one is not at the place of its order: it isn't here, or the order is of a runtime that sorts names in another way. */
  #placesOf(gone: readonly number[], compare: (a: number, b: number) => number): number[] | null {
    const places: number[] = []
    for (const value of gone) {
      const place = this.#firstAfter(value, this.#length, compare)
      if (place === this.#length || this.#values[place] !== value) return null
      places.push(place)
    }
    return places.sort((a, b) => a - b)
  }

  #removeAt(places: readonly number[]) {
    let end = places[0] ?? this.#length
    for (const [position, place] of places.entries()) {
      const next = places[position + 1] ?? this.#length
      this.#values.copyWithin(end, place + 1, next)
      end += next - place - 1
    }
    this.#length = end
  }

  /** One pass, however many leave. */
  #removeMarked(gone: readonly number[]) {
    const values = this.#values
    for (const value of gone) {
      if (value >= isGone.length) isGone = new Uint8Array(isGone.buffer.transfer(value * 2))
      isGone[value] = 1
    }
    let length = 0
    for (let i = 0; i < this.#length; i++) {
      const value = values[i] ?? 0
      values[length] = value
      if (isGone[value] !== 1) length++
    }
    for (const value of gone) isGone[value] = 0
    this.#length = length
  }

  /**
   * Inserts values some at a time, and yields after each: a load pauses there.
   * @param sorted the values in their order. @param compare never 0 for two different values.
   */
  *insert(sorted: Uint32Array, compare: (a: number, b: number) => number): Generator<void> {
    this.#reserve(this.#length + sorted.length)
    const [last, first] = [this.values.at(-1), sorted[0]]
    if (first === undefined) return
    if (last === undefined || compare(last, first) < 0) {
      // All come after what is here, as a load's values do.
      this.#values.set(sorted, this.#length)
      this.#length += sorted.length
      return
    }
    for (let start = 0; start < sorted.length; start += CHUNK) {
      this.#insertSorted(sorted.subarray(start, start + CHUNK), compare)
      yield
    }
  }

  #insertSorted(sorted: Uint32Array, compare: (a: number, b: number) => number) {
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

  /** Finds, among the first `end` values, the first that comes after `value`. */
  #firstAfter(value: number, end: number, compare: (a: number, b: number) => number): number {
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
