/** The orders in which records are listed, and sorting by them. */
import { byId, byName, idNumber, nameNumbers } from './names.ts'

/** A total order: two different records never compare equal. */
export interface Ordering<R> {
  /**
   * Sort key of two numbers, lesser first, that decides between nearly all records. Sorting reads these in a row instead of
   * records from all over the memory. Equal numbers, and NaN, leave it to `compare`.
   */
  numbers(record: R): readonly [number, number]
  compare(a: R, b: R): number
}

/**
 * Records with the largest number first, those without one last; then by id. A column can hold `NaN` or infinity, which
 * somebody wrote with another program: answers show null for it, so it counts as none.
 */
export function largestFirst<R extends { id: string }>(
  value: (record: R) => number | null,
): Ordering<R> {
  const key = (record: R) => {
    const number = value(record)
    return number !== null && Number.isFinite(number) ? -number : Number.POSITIVE_INFINITY
  }
  return {
    numbers: (record) => [key(record), idNumber(record.id)],
    compare: (a, b) => key(a) - key(b) || byId(a, b),
  }
}

/** Records by name, then by id. */
export function alphabetical<R extends { nameKey: string; id: string }>(): Ordering<R> {
  return {
    numbers: ({ nameKey }) => nameNumbers(nameKey),
    compare: byName,
  }
}

/** Records that are sorted or merged between two pauses: a millisecond of work at most. */
const CHUNK = 500

/** By place or slot: the first and the second of the numbers by which its record is compared. */
export interface OrderNumbers {
  first: Float64Array<ArrayBuffer>
  second: Float64Array<ArrayBuffer>
}

export const numbersFor = (length: number): OrderNumbers => ({
  first: new Float64Array(length),
  second: new Float64Array(length),
})

/**
 * Sorts the records in steps and yields after each: a load pauses there.
 * @param looked takes their numbers. @returns their places in `records`.
 */
export function* sortedPlaces<R>(
  records: readonly R[],
  { numbers, compare }: Ordering<R>,
  looked = numbersFor(records.length),
): Generator<void, Uint32Array> {
  const { length } = records
  const { first, second } = looked
  const byPlace = (a: number, b: number) =>
    (first[a] ?? 0) - (first[b] ?? 0) ||
    (second[a] ?? 0) - (second[b] ?? 0) ||
    compare(records[a] as R, records[b] as R)
  const places = new Uint32Array(length)
  for (let start = 0; start < length; start += CHUNK) {
    const end = Math.min(start + CHUNK, length)
    for (let place = start; place < end; place++) {
      const [one, other] = numbers(records[place] as R)
      first[place] = one
      second[place] = other
      places[place] = place
    }
    places.subarray(start, end).sort(byPlace)
    yield
  }
  return yield* mergedRuns(places, byPlace)
}

type Compare = (a: number, b: number) => number

/** Merges sorted runs of `CHUNK` values, and the runs that this makes, until there is one. */
function* mergedRuns(values: Uint32Array, compare: Compare): Generator<void, Uint32Array> {
  const { length } = values
  let from = values
  let to: Uint32Array = new Uint32Array(length)
  for (let width = CHUNK; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const middle = Math.min(start + width, length)
      yield* mergeTwo(from, to, start, middle, Math.min(middle + width, length), compare)
    }
    ;[from, to] = [to, from]
  }
  return from
}

/** Merges two neighbouring runs of `from`, which meet at `middle`, into the same place of `to`. */
function* mergeTwo(
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  middle: number,
  end: number,
  compare: Compare,
): Generator<void> {
  const at = (place: number) => from[place] ?? 0
  if (middle === end || compare(at(middle - 1), at(middle)) < 0) {
    to.set(from.subarray(start, end), start)
    return
  }
  let left = start
  let right = middle
  for (let place = start; place < end; ) {
    const pause = Math.min(place + CHUNK, end)
    for (; place < pause; place++) {
      const takesLeft = right === end || (left < middle && compare(at(left), at(right)) < 0)
      to[place] = at(takesLeft ? left++ : right++)
    }
    yield
  }
}
