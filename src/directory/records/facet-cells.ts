/**
 * Facet cells: records that every filter treats alike share one (people with the same roles, channels
 * and contact type, say). A filter is decided once per cell, and a facet counts cells.
 */
import { LRUCache } from 'lru-cache'

export type Slots = Uint32Array

/** A filter: which cells stay, and a key that is equal exactly where the filter is. */
export interface Filter<C> {
  key: string
  accepts(cell: C): boolean
}

/** A cell and how many records of a list are in it. */
export interface Population<C> {
  cell: C
  count: number
}

/** The cells that a filter accepts. */
interface Accepted {
  /** Per cell 1 where it does. Cells that came after the filter was last used are not in it yet. */
  cells: Uint8Array
  /** How many records are in them, as they were counted after so many moves. */
  total: number
  countedAfter: number
}

/** Filters whose cells are remembered. */
const FILTERS_MAX = 200

/** An order is walked at most so far for the page of a list: a tenth of a millisecond. What is not found by then is selected. */
const WALK_MAX = 20_000

/** Reused by every call of `selected`: a new array of an order's length would be garbage at once. */
let kept = new Uint32Array(1024)

export class FacetCells<C> {
  readonly #cells: C[] = []
  readonly #numbers = new Map<string, number>()
  /** Per cell: how many records are in it. */
  readonly #population: number[] = []
  /** How often a record came into a cell or left one. */
  #moves = 0
  /** Per slot: the number of its cell. */
  #cellOf = new Uint32Array(1024)
  readonly #accepted = new LRUCache<string, Accepted>({ max: FILTERS_MAX })

  /** @param key equal exactly where the cell is. @returns the cell's number. */
  enter(slot: number, key: string, cell: C): number {
    let number = this.#numbers.get(key)
    if (number === undefined) {
      number = this.#cells.push(cell) - 1
      this.#numbers.set(key, number)
    }
    if (slot >= this.#cellOf.length) {
      const larger = new Uint32Array(slot * 2)
      larger.set(this.#cellOf)
      this.#cellOf = larger
    }
    this.#cellOf[slot] = number
    this.#moves++
    this.#population[number] = (this.#population[number] ?? 0) + 1
    return number
  }

  /** @returns the number of the cell that the slot was in. */
  leave(slot: number): number {
    const number = this.#cellOf[slot] ?? 0
    this.#moves++
    this.#population[number] = (this.#population[number] ?? 0) - 1
    return number
  }

  /**
   * The order's slots that are wanted and whose cell the filter accepts, in a copy of their own.
   * @param wanted per slot, 1 where it is; null: all are.
   */
  selected(order: Slots, wanted: Uint8Array | null, filter: Filter<C> | null): Slots {
    const accepts = filter && this.#acceptedBy(filter).cells
    const cellOf = this.#cellOf
    if (kept.length < order.length) kept = new Uint32Array(order.length * 2)
    let length = 0
    // A plain loop: `filter` takes ten times as long, and this runs over whole orders.
    for (let i = 0; i < order.length; i++) {
      const slot = order[i] ?? 0
      if (wanted && wanted[slot] !== 1) continue
      if (accepts && accepts[cellOf[slot] ?? 0] !== 1) continue
      kept[length++] = slot
    }
    return kept.slice(0, length)
  }

  /**
   * The first `count` of the order's slots whose cell the filter accepts, and how many these are in all; null where they are not soon
   * found. Among millions a list is neither kept nor made anew for each page.
   * @param order of all records
   */
  first(order: Slots, filter: Filter<C>, count: number): { slots: Slots; total: number } | null {
    if (count > WALK_MAX) return null
    const { cells: accepts, total } = this.#countedBy(filter)
    const slots = new Uint32Array(Math.min(count, total))
    const end = Math.min(order.length, WALK_MAX)
    let length = 0
    for (let i = 0; length < slots.length; i++) {
      if (i === end) return null
      const slot = order[i] ?? 0
      if (accepts[this.#cellOf[slot] ?? 0] === 1) slots[length++] = slot
    }
    return { slots, total }
  }

  /** Whether the filter accepts a slot's cell; right until a cell changes. */
  accepts(filter: Filter<C>): (slot: number) => boolean {
    const [{ cells: accepted }, cellOf] = [this.#acceptedBy(filter), this.#cellOf]
    return (slot) => accepted[cellOf[slot] ?? 0] === 1
  }

  /** The same with the total of now: of companies half have a cell of their own, so it is counted once for all pages. */
  #countedBy(filter: Filter<C>): Accepted {
    const accepted = this.#acceptedBy(filter)
    if (accepted.countedAfter === this.#moves) return accepted
    accepted.total = 0
    for (let number = 0; number < accepted.cells.length; number++) {
      if (accepted.cells[number] === 1) accepted.total += this.#population[number] ?? 0
    }
    accepted.countedAfter = this.#moves
    return accepted
  }

  /**
   * Cells that the filter accepts. The result is kept, because there can be nearly as many cells as records, and only new cells
   * are tested.
   */
  #acceptedBy({ key, accepts }: Filter<C>): Accepted {
    const known = this.#accepted.get(key)
    const accepted = known ?? { cells: new Uint8Array(0), total: 0, countedAfter: -1 }
    if (!known) this.#accepted.set(key, accepted)
    const decided = accepted.cells.length
    const count = this.#cells.length
    if (decided === count) return accepted
    // No larger than it must be: hundreds of filters are kept.
    const cells = new Uint8Array(count)
    cells.set(accepted.cells)
    // A plain loop: `from` takes four times as long, and of 100,000 cells a new filter would hold the event loop for many
    // milliseconds.
    for (let number = decided; number < count; number++) {
      const cell = this.#cells[number]
      if (cell !== undefined && accepts(cell)) cells[number] = 1
    }
    accepted.cells = cells
    return accepted
  }

  /** How many of the slots (null: of all records) are in each cell that has any. */
  populations(slots: Slots | null): Population<C>[] {
    const counts = slots ? new Uint32Array(this.#cells.length) : this.#population
    for (const slot of slots ?? []) {
      const number = this.#cellOf[slot] ?? 0
      counts[number] = (counts[number] ?? 0) + 1
    }
    return this.#cells
      .map((cell, number) => ({ cell, count: counts[number] ?? 0 }))
      .filter(({ count }) => count > 0)
  }
}
