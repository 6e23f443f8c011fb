/** The slots of a collection's records in one order. */
import type { Slots } from './facet-cells.ts'
import { type Ordering, sortedPlaces } from './orders.ts'
import { SortedList } from './sorted-list.ts'

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
  take(slots: Uint32Array<ArrayBuffer>) {
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
    if (this.#gone.length > 0) this.#list.remove(marked(this.#gone, records.length))
    const slots: number[] = []
    const entering: R[] = []
    for (const slot of this.#added) {
      const record = records[slot]
      // A record that came may have gone again since.
      if (!record) continue
      slots.push(slot)
      entering.push(record)
    }
    this.#gone.length = 0
    this.#added.length = 0
    const places = yield* sortedPlaces(entering, this.#ordering)
    const sorted = places.map((place) => slots[place] ?? 0)
    // A record that changed several times was noted as often, and equal slots stand side by side.
    const once = sorted.filter((slot, place) => slot !== sorted[place - 1])
    yield* this.#list.insert(once, (a, b) => {
      const [left, right] = [records[a], records[b]]
      return left && right ? this.#ordering.compare(left, right) : a - b
    })
    return true
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
