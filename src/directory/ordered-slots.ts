/** The slots of a collection's records in one order. */
import type { Slots } from './facet-cells.ts'
import { type Ordering, sortedPlaces } from './orders.ts'
import { SortedList } from './sorted-list.ts'

/** Slots that are looked at or copied between two pauses: half a millisecond of work at most. */
const CHUNK = 5_000

export class OrderedSlots<R> {
  readonly #ordering: Ordering<R>
  readonly #list = new SortedList()
  /** Slots whose place is no longer right, and slots that need one. */
  readonly #gone: number[] = []
  readonly #added: number[] = []

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
    if (before) this.#gone.push(slot)
    if (after) this.#added.push(slot)
  }

  /**
   * Brings the order up to the changes noted, in steps: a load pauses after each.
   * @param records by slot, as they are now. @returns whether anything had changed.
   */
  *commit(records: readonly (R | undefined)[]): Generator<void, boolean> {
    if (this.#gone.length + this.#added.length === 0) return false
    this.#list.remove(this.#gone)
    this.#gone.length = 0
    yield* this.#list.insert(yield* this.#sortedAdded(records), (a, b) => {
      const [left, right] = [records[a], records[b]]
      return left && right ? this.#ordering.compare(left, right) : a - b
    })
    return true
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
    const places = yield* sortedPlaces(entering, this.#ordering)
    const sorted = new Uint32Array(places.length)
    let count = 0
    for (let i = 0; i < places.length; i++) {
      const slot = slots[places[i] ?? 0] ?? 0
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
