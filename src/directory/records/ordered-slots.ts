/** The slots of a collection's records in one order. */
import { withPlace } from '../../../index-build/growing.ts'
import type { Slots } from './facet-cells.ts'
import { numbersFor, type Ordering, sortedPlaces } from './orders.ts'
import { SortedList } from './sorted-list.ts'

/** Slots that are looked at or copied between two pauses: half a millisecond of work at most. */
const CHUNK = 5_000

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

  /** @param slots in their order, of all records. */
  take(slots: Slots) {
    this.#list.take(slots)
  }

  /** Takes note that a slot's record comes, changes or goes. */
  change(slot: number, before: R | null, after: R | null) {
    if (before && after && this.#ordering.compare(before, after) === 0) return
    const mayStand = before && this.#list.length > 0
    if (mayStand && !this.#gone.has(slot)) this.#gone.set(slot, before)
    if (after) this.#added.push(slot)
  }

  /**
   * Brings the order up to the changes noted, in steps: a load pauses after each.
   * @param records by slot, as they are now. @returns whether anything had changed.
   */
  *commit(records: readonly (R | undefined)[]): Generator<void, boolean> {
    if (this.#gone.size + this.#added.length === 0) return false
    this.#reserve(records.length)
    this.#removeGone(records)
    const sorted = yield* this.#sortedAdded(records)
    const recordOf = (slot: number) => records[slot]
    yield* this.#list.insert(sorted, (a, b) => this.#compare(a, b, recordOf))
    return true
  }

  /** The slots as they are at any time, and which of two comes first. @param records by slot, of this collection */
  comparable(records: readonly (R | undefined)[]) {
    const recordOf = (slot: number) => records[slot]
    return {
      slots: () => this.slots,
      compare: (a: number, b: number) => {
        // An order that was taken from a snapshot has no room for numbers until its first commit.
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
    // Neither where one of them is no number.
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
  *#sortedAdded(records: readonly (R | undefined)[]): Generator<void, Uint32Array> {
    const added = this.#added.splice(0)
    const slots: number[] = []
    const entering: R[] = []
    for (const [place, slot] of added.entries()) {
      const record = records[slot]
      // A record that came may have gone again since.
      if (record) {
        slots.push(slot)
        entering.push(record)
      }
      if (place % CHUNK === CHUNK - 1) yield
    }
    const looked = numbersFor(entering.length)
    const places = yield* sortedPlaces(entering, this.#ordering, looked)
    const sorted = new Uint32Array(places.length)
    let count = 0
    for (let i = 0; i < places.length; i++) {
      const place = places[i] ?? 0
      const slot = slots[place] ?? 0
      this.#setNumbers(slot, looked.first[place] ?? 0, looked.second[place] ?? 0)
      // A record that changed several times was noted as often, and equal slots stand side by side.
      if (count === 0 || slot !== sorted[count - 1]) sorted[count++] = slot
      if (i % CHUNK === CHUNK - 1) yield
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

/** Whether the slots are all below `length`, each once. */
export function isPermutation(slots: Slots, length: number): boolean {
  return slots.length === length && marked(slots, length).every((mark) => mark === 1)
}
