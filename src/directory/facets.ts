/**
 * What lists are narrowed by and counted by on pages. Each facet is a column: per slot the number of a set of values,
 * four bytes for a record whatever it holds, so that all facets of a list are counted in one pass.
 */
import type { Slots } from './facet-cells.ts'

/** A value of a facet and how many records the list would have with it. */
export interface FacetValue {
  /** As the address says it. */
  value: string
  label: string
  count: number
}

/** Values of facets that are wanted: OR-ed within one, AND-ed between them, case ignored. An empty list wants all. */
export type Wanted = Readonly<Record<string, readonly string[]>>

export const isAnyWanted = (wanted: Wanted) =>
  Object.values(wanted).some((values) => values.length > 0)

/** Sets of values, by numbers below `size`. */
export interface Column<R> {
  readonly size: number
  /** The number of the record's set. */
  setOf(record: R): number
  /** Whether a value that both records have is called otherwise since. */
  isRenamed?(before: R, after: R): boolean
  /** Per set 1 where it has one of the values. */
  accepted(wanted: readonly string[]): Uint8Array
  /** The values with their records, the most frequent first, at most `most`. @param counts records per set */
  values(counts: Uint32Array, most: number): FacetValue[]
}

/** Values counted of a facet, at most: those that are most frequent. */
export const VALUES_MAX = 60

/** In place of a facet's number. */
const NONE = 255
const SEVERAL = 254

/** Reused by every call of `select`: a new array of an order's length would be garbage at once. */
let kept = new Uint32Array(1024)

export class Facets<R> {
  readonly #columns: Columns<R>

  constructor(columns: Readonly<Record<string, Column<R>>>) {
    this.#columns = Object.entries(columns).map(([name, column]) => ({
      name,
      column,
      sets: { of: new Uint32Array(1024) },
    }))
  }

  /** Takes in what the record in this slot has, in place of the one before. @returns whether that changed anything */
  enter(slot: number, record: R, before: R | null): boolean {
    let hasChanged = false
    for (const { column, sets } of this.#columns) {
      if (slot >= sets.of.length) {
        const larger = new Uint32Array(slot * 2)
        larger.set(sets.of)
        sets.of = larger
      }
      const number = column.setOf(record)
      hasChanged ||= before === null || sets.of[slot] !== number
      hasChanged ||= before !== null && column.isRenamed?.(before, record) === true
      sets.of[slot] = number
    }
    return hasChanged
  }

  /** What the wanted values leave; right until a record changes. */
  narrowedBy(wanted: Wanted): Narrowed<R> {
    return new Narrowed(this.#columns, wanted)
  }
}

type Columns<R> = readonly { name: string; column: Column<R>; sets: { of: Uint32Array } }[]

/** A facet of which something is wanted: per slot its set, per set whether it has it. */
interface ActiveFilter {
  index: number
  of: Uint32Array
  accepted: Uint8Array
}

class Narrowed<R> {
  readonly #columns: Columns<R>
  readonly #wanted: Wanted
  #made: readonly ActiveFilter[] | undefined

  constructor(columns: Columns<R>, wanted: Wanted) {
    this.#columns = columns
    this.#wanted = wanted
  }

  /** Made when first needed: a list that was kept needs none. */
  get #filters(): readonly ActiveFilter[] {
    this.#made ??= this.#columns.flatMap(({ name, column, sets: { of } }, index) => {
      const values = this.#wanted[name] ?? []
      return values.length === 0 ? [] : [{ index, of, accepted: column.accepted(values) }]
    })
    return this.#made
  }

  /** Whether a slot's record is left. */
  accepts(): (slot: number) => boolean {
    const filters = this.#filters
    return (slot) => filters.every(({ of, accepted }) => accepted[of[slot] ?? 0] === 1)
  }

  /** The order's slots that are left, in a copy of their own. @param among per slot 1 where it counts; null: all do */
  select(order: Slots, among: Uint8Array | null): Slots {
    const filters = this.#filters
    if (kept.length < order.length) kept = new Uint32Array(order.length * 2)
    let length = 0
    next: for (let i = 0; i < order.length; i++) {
      const slot = order[i] ?? 0
      if (among && among[slot] !== 1) continue
      for (const { of, accepted } of filters) if (accepted[of[slot] ?? 0] !== 1) continue next
      kept[length++] = slot
    }
    return kept.slice(0, length)
  }

  /** The values of each facet among these slots, under what is wanted of the other facets (D27). */
  count(slots: Slots): Record<string, FacetValue[]> {
    const missed = this.#missed(slots)
    // One facet after the other: a loop over two arrays takes a fifth of one over all columns at once.
    const facets = this.#columns.map(({ name, column, sets: { of } }, index) => {
      const counts = new Uint32Array(column.size)
      for (let i = 0; i < slots.length; i++) {
        const only = missed[i] ?? NONE
        if (only !== NONE && only !== index) continue
        const set = of[slots[i] ?? 0] ?? 0
        counts[set] = (counts[set] ?? 0) + 1
      }
      return [name, column.values(counts, VALUES_MAX)] as const
    })
    return Object.fromEntries(facets)
  }

  /** For each of the slots the one facet that refuses it, or `NONE` or `SEVERAL`. */
  #missed(slots: Slots): Uint8Array {
    const missed = new Uint8Array(slots.length).fill(NONE)
    for (const { index, of, accepted } of this.#filters) {
      for (let i = 0; i < slots.length; i++) {
        if (accepted[of[slots[i] ?? 0] ?? 0] === 1) continue
        missed[i] = missed[i] === NONE ? index : SEVERAL
      }
    }
    return missed
  }
}

/**
 * The most frequent values, equal ones by label. One pass that makes nothing of those left out: there can be
 * thousands. @param counts by number @param valueAt the value of a number; undefined where it is none
 */
export function mostFrequent(
  counts: Uint32Array,
  most: number,
  valueAt: (number: number) => Omit<FacetValue, 'count'> | undefined,
): FacetValue[] {
  const best: FacetValue[] = []
  for (let number = 0; number < counts.length; number++) {
    const count = counts[number] ?? 0
    const last = best[most - 1]
    if (count === 0 || (last && count < last.count)) continue
    const value = valueAt(number)
    if (!value || (last && count === last.count && value.label >= last.label)) continue
    const comesAfter = (it: FacetValue) =>
      it.count < count || (it.count === count && it.label > value.label)
    const place = best.findIndex(comesAfter)
    best.splice(place < 0 ? best.length : place, 0, { ...value, count })
    if (best.length > most) best.pop()
  }
  return best
}
