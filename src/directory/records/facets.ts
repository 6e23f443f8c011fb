/**
 * Facets: filters and counts of lists, of the API and of pages. Each facet is a column with the number of a set of values per slot, four bytes
 * for a record, so that all facets of a list are counted in one pass.
 */
import { leastOf } from '../search/least.ts'

/** Slots of records, in an order. */
export type Slots = Uint32Array

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

/** Sets of values, by numbers below `size`. The set 0 has no value. */
export interface Column<R> {
  readonly size: number
  /** The number of the record's set. */
  setOf(record: R): number
  /** True if a value that both records have got another name. */
  isRenamed?(before: R, after: R): boolean
  /** Per set 1 where it has one of the values. */
  accepted(wanted: readonly string[]): Uint8Array
  /**
   * The values with their records: the most frequent first, at most `most`, then those of the wanted ones that are not
   * among them. @param counts records per set @param within a text that the label has of those that are not wanted
   */
  values(counts: Uint32Array, most: number, wanted: readonly string[], within: string): FacetValue[]
}

/** A facet whose values are searched, and for which text. */
export interface Within {
  facet: string
  text: string
}

/** Values counted of a facet, at most: those that are most frequent, and what is wanted. */
export const VALUES_MAX = 60

/** In place of the number of a facet. */
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

  /** The slot's record goes: the slot is in no value's set, so that counts may read free slots as well. */
  leave(slot: number) {
    for (const { sets } of this.#columns) sets.of[slot] = 0
  }

  /** The values of one facet, and how many of these slots have each. */
  valuesOf(name: string, among: Slots): FacetValue[] {
    const found = this.#columns.find((one) => one.name === name)
    if (!found) throw new Error(`no facet ${name}`)
    const { column, sets } = found
    const counts = new Uint32Array(column.size)
    for (let i = 0; i < among.length; i++) {
      const set = sets.of[among[i] ?? 0] ?? 0
      counts[set] = (counts[set] ?? 0) + 1
    }
    return column.values(counts, VALUES_MAX, [], '')
  }

  /** Selection by the wanted values, valid until a record changes. @param length number of slots, free ones included */
  narrowedBy(wanted: Wanted, length: number): Narrowed<R> {
    return new Narrowed(this.#columns, wanted, length)
  }
}

type Columns<R> = readonly { name: string; column: Column<R>; sets: { of: Uint32Array } }[]

/**
 * Columns are read from the first slot to the last: in the order of a list each slot is elsewhere in memory, which
 * takes several times as long.
 */
export class Narrowed<R> {
  readonly #columns: Columns<R>
  readonly #wanted: Wanted
  readonly #length: number
  #made: Uint8Array | undefined

  constructor(columns: Columns<R>, wanted: Wanted, length: number) {
    this.#columns = columns
    this.#wanted = wanted
    this.#length = length
  }

  /** Per slot the one facet that refuses it, or `NONE` or `SEVERAL`. Made when first needed: a list that was kept needs none. */
  get #missed(): Uint8Array {
    this.#made ??= this.#readMissed()
    return this.#made
  }

  #readMissed(): Uint8Array {
    const length = this.#length
    const missed = new Uint8Array(length).fill(NONE)
    for (const [index, { name, column, sets }] of this.#columns.entries()) {
      const values = this.#wanted[name] ?? []
      if (values.length === 0) continue
      const accepted = column.accepted(values)
      const { of } = sets
      for (let slot = 0; slot < length; slot++) {
        if (accepted[of[slot] ?? 0] === 1) continue
        missed[slot] = missed[slot] === NONE ? index : SEVERAL
      }
    }
    return missed
  }

  /** True if a slot's record is left. */
  accepts(): (slot: number) => boolean {
    const missed = this.#missed
    return (slot) => missed[slot] === NONE
  }

  /** The order's slots that are left, in a copy of their own. @param among per slot 1 where it counts; null: all do */
  select(order: Slots, among: Uint8Array | null): Slots {
    const missed = this.#missed
    if (kept.length < order.length) kept = new Uint32Array(order.length * 2)
    const count = order.length
    let length = 0
    for (let i = 0; i < count; i++) {
      const slot = order[i] ?? 0
      if (missed[slot] !== NONE || (among && among[slot] !== 1)) continue
      kept[length++] = slot
    }
    return kept.slice(0, length)
  }

  /**
   * The values of each facet under what is wanted of the other facets.
   * @param among the slots that count; null: all do @param names of the facets; all of them unless given
   * @param most values of a facet
   */
  count(
    among: Slots | null,
    names?: readonly string[],
    within?: Within,
    most = VALUES_MAX,
  ): Record<string, FacetValue[]> {
    const missed = this.#missed
    const length = among?.length ?? this.#length
    // One facet after the other: a loop over two arrays takes a fifth of one over all columns at once.
    const facets = this.#columns.flatMap(({ name, column, sets: { of } }, index) => {
      if (names && !names.includes(name)) return []
      const counts = new Uint32Array(column.size)
      for (let i = 0; i < length; i++) {
        const slot = among ? (among[i] ?? 0) : i
        const only = missed[slot]
        if (only !== NONE && only !== index) continue
        const set = of[slot] ?? 0
        counts[set] = (counts[set] ?? 0) + 1
      }
      const text = within?.facet === name ? within.text : ''
      return [[name, column.values(counts, most, this.#wanted[name] ?? [], text)] as const]
    })
    return Object.fromEntries(facets)
  }
}

/**
 * The most frequent values, equal ones by label, then those of the wanted ones that are not among them. One pass that
 * makes nothing of those left out: there can be thousands.
 * @param given by number @param within a text that the label has of those that are not wanted, case ignored
 * @param valueAt the value of a number; each that occurs has one
 */
export function mostFrequent(
  given: Uint32Array,
  most: number,
  wanted: readonly number[],
  within: string,
  valueAt: (number: number) => Omit<FacetValue, 'count'> | undefined,
): FacetValue[] {
  const text = within.toLowerCase()
  const counts =
    text === ''
      ? given
      : given.map((count, number) =>
          count > 0 && valueAt(number)?.label.toLowerCase().includes(text) ? count : 0,
        )
  if (most >= counts.length) return everyValue(counts, valueAt)
  const best: FacetValue[] = []
  // Most values occur once or twice; leaving them out here keeps lists of thousands cheap.
  const largest = leastOf(counts.length, most, (number) => -(counts[number] ?? 0))
  const leastCount = Math.max(1, -(largest.at(-1) ?? 0))
  for (let number = 0; number < counts.length; number++) {
    const count = counts[number] ?? 0
    if (count < leastCount) continue
    const last = best[most - 1]
    const value = valueAt(number)
    if (!value || (last && count === last.count && value.label >= last.label)) continue
    const comesAfter = (it: FacetValue) =>
      it.count < count || (it.count === count && it.label > value.label)
    const place = best.findIndex(comesAfter)
    best.splice(place < 0 ? best.length : place, 0, { ...value, count })
    if (best.length > most) best.pop()
  }
  const known = new Set(best.map(({ value }) => value))
  const others = [...new Set(wanted)].flatMap((number) => {
    const count = given[number] ?? 0
    const value = count > 0 && valueAt(number)
    return value && !known.has(value.value) ? [{ ...value, count }] : []
  })
  return [...best, ...others]
}

const comesBefore = (a: FacetValue, b: FacetValue) =>
  b.count - a.count || (a.label < b.label ? -1 : 1)

/** All values that occur, in that order. */
function everyValue(
  counts: Uint32Array,
  valueAt: (number: number) => Omit<FacetValue, 'count'> | undefined,
): FacetValue[] {
  const values: FacetValue[] = []
  for (const [number, count] of counts.entries()) {
    const value = count > 0 && valueAt(number)
    if (value) values.push({ ...value, count })
  }
  return values.sort(comesBefore)
}
