/** The slots of a collection's records in one order. */
import { withPlace } from '../../../index-build/growing.ts'
import type { Slots } from './facets.ts'
import { numbersFor, type Ordering, sortedPlaces } from './orders.ts'

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

  /** @param sorted the values in their order. @param compare never 0 for two different values. */
  insert(sorted: Uint32Array, compare: (a: number, b: number) => number): void {
    this.#reserve(this.#length + sorted.length)
    const [last, first] = [this.values.at(-1), sorted[0]]
    if (first === undefined) return
    // All come after what is here, as a load's values do.
    if (last === undefined || compare(last, first) < 0) this.#values.set(sorted, this.#length)
    else this.#moveIn(sorted, compare)
    this.#length += sorted.length
  }

  #moveIn(sorted: Uint32Array, compare: (a: number, b: number) => number) {
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

export class OrderedSlots<R> {
  readonly #ordering: Ordering<R>
  readonly #list = new SortedList()
  /** Slots whose place is no longer right, each with the record by which it has it; and slots that need one. */
  readonly #gone = new Map<number, R>()
  readonly #added: number[] = []
  /**
   * By slot, so that finding a place reads hardly any record. A first number of 0: nobody has asked yet. In its place
   * stands the least number above it.
   */
  readonly #numbers = numbersFor(1024)

  constructor(ordering: Ordering<R>) {
    this.#ordering = ordering
  }

  /** A view: valid until the next `commit`. */
  get slots(): Slots {
    return this.#list.values
  }

  /** Takes note that a slot's record comes, changes or goes. */
  change(slot: number, before: R | null, after: R | null) {
    if (before && after && this.#ordering.compare(before, after) === 0) return
    const mayStand = before && this.#list.length > 0
    if (mayStand && !this.#gone.has(slot)) this.#gone.set(slot, before)
    if (after) this.#added.push(slot)
  }

  /**
   * Brings the order up to the changes noted.
   * @param records by slot, as they are now. @returns whether anything had changed.
   */
  commit(records: readonly (R | undefined)[]): boolean {
    if (this.#gone.size + this.#added.length === 0) return false
    this.#reserve(records.length)
    this.#removeGone(records)
    const sorted = this.#sortedAdded(records)
    const recordOf = (slot: number) => records[slot]
    this.#list.insert(sorted, (a, b) => this.#compare(a, b, recordOf))
    return true
  }

  /** The slots as they are at any time, and which of two comes first. @param records by slot, of this collection */
  comparable(records: readonly (R | undefined)[]) {
    const recordOf = (slot: number) => records[slot]
    return {
      slots: () => this.slots,
      compare: (a: number, b: number) => {
        this.#reserve(records.length)
        return this.#compare(a, b, recordOf)
      },
    }
  }

  #reserve(length: number) {
    const numbers = this.#numbers
    numbers.first = withPlace(numbers.first, length)
    numbers.second = withPlace(numbers.second, length)
  }

  #removeGone(records: readonly (R | undefined)[]) {
    const before = (slot: number) => this.#gone.get(slot) ?? records[slot]
    this.#list.remove([...this.#gone.keys()], (a, b) => this.#compare(a, b, before))
    for (const slot of this.#gone.keys()) this.#numbers.first[slot] = 0
    this.#gone.clear()
  }

  #compare(a: number, b: number, recordOf: (slot: number) => R | undefined): number {
    const { first, second } = this.#numbers
    if (first[a] === 0) this.#lookUp(a, recordOf(a))
    if (first[b] === 0) this.#lookUp(b, recordOf(b))
    const byNumbers = (first[a] ?? 0) - (first[b] ?? 0) || (second[a] ?? 0) - (second[b] ?? 0)
    // NaN is neither: the records themselves decide then.
    if (byNumbers < 0 || byNumbers > 0) return byNumbers
    const [left, right] = [recordOf(a), recordOf(b)]
    return left && right ? this.#ordering.compare(left, right) : a - b
  }

  #lookUp(slot: number, record: R | undefined) {
    if (record) this.#setNumbers(slot, ...this.#ordering.numbers(record))
  }

  #setNumbers(slot: number, first: number, second: number) {
    this.#numbers.first[slot] = first === 0 ? Number.MIN_VALUE : first
    this.#numbers.second[slot] = second
  }

  /** The slots that need a place, in their order, each once. They are noted no longer. */
  #sortedAdded(records: readonly (R | undefined)[]): Uint32Array {
    const added = this.#added.splice(0)
    const slots: number[] = []
    const entering: R[] = []
    for (const slot of added) {
      const record = records[slot]
      // A record that came may have gone again since.
      if (record) {
        slots.push(slot)
        entering.push(record)
      }
    }
    const looked = numbersFor(entering.length)
    const places = sortedPlaces(entering, this.#ordering, looked)
    const sorted = new Uint32Array(places.length)
    let count = 0
    for (let i = 0; i < places.length; i++) {
      const place = places[i] ?? 0
      const slot = slots[place] ?? 0
      this.#setNumbers(slot, looked.first[place] ?? 0, looked.second[place] ?? 0)
      // A record that changed several times was noted as often, and equal slots stand side by side.
      if (count === 0 || slot !== sorted[count - 1]) sorted[count++] = slot
    }
    return sorted.subarray(0, count)
  }
}

/** @returns by slot below `length`, 1 for each of the slots. */
export function marked(slots: Iterable<number>, length: number): Uint8Array {
  const marks = new Uint8Array(length)
  for (const slot of slots) marks[slot] = 1
  return marks
}
