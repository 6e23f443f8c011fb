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

/** By place or slot: the first and the second of the numbers by which its record is compared. */
export interface OrderNumbers {
  first: Float64Array<ArrayBuffer>
  second: Float64Array<ArrayBuffer>
}

export const numbersFor = (length: number): OrderNumbers => ({
  first: new Float64Array(length),
  second: new Float64Array(length),
})

/** Sorts the records. @param looked takes their numbers. @returns their places in `records`. */
export function sortedPlaces<R>(
  records: readonly R[],
  { numbers, compare }: Ordering<R>,
  looked = numbersFor(records.length),
): Uint32Array {
  const { first, second } = looked
  const places = new Uint32Array(records.length)
  for (const [place, record] of records.entries()) {
    const [one, other] = numbers(record)
    first[place] = one
    second[place] = other
    places[place] = place
  }
  return places.sort(
    (a, b) =>
      (first[a] ?? 0) - (first[b] ?? 0) ||
      (second[a] ?? 0) - (second[b] ?? 0) ||
      compare(records[a] as R, records[b] as R),
  )
}
