/**
 * Records of one kind with everything that lists them: orders, filter cells and the search index.
 *
 * A record has a slot, a small number that all of these speak of. Records that every filter treats
 * alike share a cell (the same roles, channels and contact type, say): a filter is decided once per
 * cell, a facet counts cells, and a list is one pass over an order.
 */
import { LRUCache } from 'lru-cache'
import type { SearchDocument } from '../../index-build/documents.ts'
import { SortedList } from '../../index-build/sorted-list.ts'
import { SLOTS_MAX, TermIndex } from '../../index-build/term-index.ts'
import { type Fame, fameOf } from '../search/followers-rank.ts'
import type { Matches } from '../search/match.ts'
import { Matcher } from '../search/match.ts'
import { OneLetter } from '../search/one-letter.ts'
import { parseQuery } from '../search/query.ts'
import { ranked } from '../search/rank.ts'
import { type Slots, selected } from './order.ts'

/** What a record has to have to be listed. */
export interface Listed {
  followers: number
  /** Its number in its collection, which sets it; any before that. */
  slot: number
}

export interface Shape<R, C, O extends string> {
  /** What filters and facets look at, and a key that is equal exactly where that is. */
  cell(record: R): { key: string; cell: C }
  /** Total orders: two different records never compare equal (D31). */
  orders: ReadonlyMap<O | 'popular', (a: R, b: R) => number>
}

/** A record that comes, changes or goes. */
export interface Change<R> {
  /**
   * As it is listed now, with its document; null where it is new. `was` is what orders and cells saw of
   * it, where that is known: it keeps its place in the orders that see no difference.
   */
  before: { record: R; document: SearchDocument; was: R | null } | null
  /** As it shall be; null where it goes. The same object as before, or another. */
  after: { record: R; document: SearchDocument } | null
}

export interface List<R> {
  /** The page's records. */
  records: R[]
  total: number
}

/** Numbers kept in answers ready for their next page, at most (4 bytes each). */
const KEPT_MAX = 2_000_000

export class Collection<R extends Listed, C, O extends string> {
  readonly #shape: Shape<R, C, O>
  readonly #index = new TermIndex()
  readonly #matcher = new Matcher(this.#index)
  readonly #oneLetter = new OneLetter()
  readonly #records: (R | undefined)[] = []
  readonly #free: number[] = []
  readonly #cells: C[] = []
  readonly #cellNumbers = new Map<string, number>()
  /** Per slot: its cell. */
  #cellOf = new Uint32Array(1024)
  /** Per cell: how many records are in it. */
  readonly #population: number[] = []
  readonly #orders = new Map<O | 'popular', SortedList>()
  #followers = new Float64Array(1024)
  /** Made when first asked for after a change of the order by it. */
  #fame: Fame | null = null
  #isFameStale = true
  /** Per order the slots whose place is no longer right, and those that have none yet. */
  readonly #moves = new Map<O | 'popular', { gone: Set<number>; added: Set<number> }>()
  #isSettled = true
  /** Which cells a filter accepts, since the last change: by cell number. */
  readonly #accepted = new LRUCache<string, Uint8Array>({ max: 200 })
  /** Answers since the last change. */
  readonly #kept = new LRUCache<string, Slots>({
    maxSize: KEPT_MAX,
    sizeCalculation: (slots) => slots.length + 50,
  })

  constructor(shape: Shape<R, C, O>) {
    this.#shape = shape
    for (const name of shape.orders.keys()) {
      this.#orders.set(name, new SortedList())
      this.#moves.set(name, { gone: new Set(), added: new Set() })
    }
  }

  get size(): number {
    return this.#records.length - this.#free.length
  }

  /** Postings walked by searches so far: what tests hold bounded. */
  get work(): number {
    return this.#matcher.work
  }

  /** Takes changes in; lists are right again after `settle`, so whoever has readers calls it at once. */
  put(changes: readonly Change<R>[]) {
    for (const change of changes) {
      const slot = this.#replace(change)
      const { before, after } = change
      for (const [name, compare] of this.#shape.orders) {
        if (before?.was && after && compare(before.was, after.record) === 0) continue
        const moves = this.#moves.get(name)
        if (before) moves?.gone.add(slot)
        if (after) moves?.added.add(slot)
      }
      this.#isSettled = false
    }
  }

  /** Takes in that records may have another place in one order, and are otherwise as they were. */
  moved(order: O | 'popular', records: Iterable<R>) {
    const moves = this.#moves.get(order)
    for (const { slot } of records) {
      moves?.gone.add(slot)
      moves?.added.add(slot)
      this.#isSettled = false
    }
  }

  /**
   * Brings the orders and the index up to the changes since the last call, in one pass each. Yields
   * between the passes, for whoever has no readers yet to pause there; the others run through.
   */
  *settle(): Generator<void> {
    if (this.#isSettled) return
    yield* this.#index.settle()
    for (const [name, { gone, added }] of this.#moves) {
      if (gone.size === 0 && added.size === 0) continue
      yield
      yield* this.#reorder(name, gone, added)
      if (name === 'popular') this.#isFameStale = true
      gone.clear()
      added.clear()
    }
    this.#isSettled = true
    this.#accepted.clear()
    this.#kept.clear()
  }

  #replace({ before, after }: Change<R>): number {
    const slot = before ? before.record.slot : this.#newSlot()
    this.#oneLetter.change(slot, before?.document ?? null, after?.document ?? null)
    if (before) {
      this.#leaveCell(slot)
      if (after) this.#index.replace(slot, before.document, after.document)
      else this.#index.remove(slot, before.document)
    } else if (after) {
      this.#index.add(slot, after.document)
    }
    this.#records[slot] = after?.record
    if (after) {
      after.record.slot = slot
      this.#enterCell(slot, after.record)
    } else {
      this.#free.push(slot)
    }
    return slot
  }

  #newSlot(): number {
    const slot = this.#free.pop() ?? this.#records.length
    if (slot >= SLOTS_MAX) throw new Error(`more than ${SLOTS_MAX} records of a kind`)
    return slot
  }

  #leaveCell(slot: number) {
    const cell = this.#cellOf[slot] ?? 0
    this.#population[cell] = (this.#population[cell] ?? 0) - 1
  }

  #enterCell(slot: number, record: R) {
    const { key, cell } = this.#shape.cell(record)
    let number = this.#cellNumbers.get(key)
    if (number === undefined) {
      number = this.#cells.push(cell) - 1
      this.#cellNumbers.set(key, number)
    }
    if (slot >= this.#cellOf.length) this.#grow(slot * 2)
    this.#cellOf[slot] = number
    this.#followers[slot] = record.followers
    this.#population[number] = (this.#population[number] ?? 0) + 1
  }

  #grow(length: number) {
    const [cells, followers] = [new Uint32Array(length), new Float64Array(length)]
    cells.set(this.#cellOf)
    followers.set(this.#followers)
    this.#cellOf = cells
    this.#followers = followers
  }

  *#reorder(
    name: O | 'popular',
    gone: ReadonlySet<number>,
    added: ReadonlySet<number>,
  ): Generator<void> {
    const compareRecords = this.#shape.orders.get(name)
    const compare = (a: number, b: number) => {
      const [left, right] = [this.#records[a], this.#records[b]]
      return left && right && compareRecords ? compareRecords(left, right) : a - b
    }
    // What came may have gone again since.
    const entering = [...added].filter((slot) => this.#records[slot])
    const order = this.#orders.get(name)
    if (gone.size > 0) order?.remove(this.#marked(gone))
    if (order) yield* order.insert(entering, compare)
  }

  #order(name: O | 'popular'): Slots {
    return this.#orders.get(name)?.values ?? new Uint32Array(0)
  }

  /**
   * One page of what the query and the filter leave, in the order asked for; by relevance where
   * there is a query and no order. A page far back costs what the first does.
   *
   * @param filter which cells stay, and a key that is equal exactly where the filter is.
   */
  list(
    q: string,
    filter: { key: string; accepts(cell: C): boolean } | null,
    order: O | null,
    page: number,
    limit: number,
  ): List<R> {
    const slots = this.#listed(q, filter, order)
    const start = Math.min((page - 1) * limit, slots.length)
    const records: R[] = []
    for (const slot of slots.subarray(start, start + limit)) {
      const record = this.#records[slot]
      if (record) records.push(record)
    }
    return { records, total: slots.length }
  }

  #listed(
    q: string,
    filter: { key: string; accepts(cell: C): boolean } | null,
    order: O | null,
  ): Slots {
    const found = q === '' ? null : this.#found(q)
    const all = found && order === null ? found : this.#order(order ?? 'popular')
    if (!filter && (found === all || !found)) return all
    return this.#keep(JSON.stringify([q, filter?.key ?? '', order]), () => {
      const accepts = filter && this.#acceptedBy(filter)
      const wanted = found && found !== all ? this.#marked(found) : null
      return selected(all, wanted, accepts, this.#cellOf)
    })
  }

  /** There can be nearly as many cells as records, so a filter is decided once, not at every search. */
  #acceptedBy({ key, accepts }: { key: string; accepts(cell: C): boolean }): Uint8Array {
    const known = this.#accepted.get(key)
    if (known) return known
    const accepted = Uint8Array.from(this.#cells, (cell) => (accepts(cell) ? 1 : 0))
    this.#accepted.set(key, accepted)
    return accepted
  }

  #marked(slots: Iterable<number>): Uint8Array {
    const marks = new Uint8Array(this.#records.length)
    for (const slot of slots) marks[slot] = 1
    return marks
  }

  /** Everything that the query matches, by relevance (D36). */
  #found(q: string): Slots {
    return this.#keep(JSON.stringify([q]), () => {
      const matches = this.#match(q)
      if (!this.#fame || this.#isFameStale) {
        this.#fame = fameOf(this.#order('popular'), this.#followers, this.#fame)
        this.#isFameStale = false
      }
      return ranked(matches, this.#fame)
    })
  }

  #match(q: string): Matches {
    const query = parseQuery(q)
    const letter = this.#oneLetter.letterOf(query)
    const kept = letter === null ? null : this.#oneLetter.matches(letter)
    if (kept) return kept
    const matches = this.#matcher.match(query, this.#records.length)
    if (letter !== null) this.#oneLetter.keep(letter, matches, this.#records.length)
    return matches
  }

  #keep(key: string, make: () => Slots): Slots {
    const kept = this.#kept.get(key)
    if (kept) return kept
    const made = make()
    this.#kept.set(key, made)
    return made
  }

  /** How many of the query's matches (of all records where it is empty) are in each cell that has any. */
  populations(q: string): { cell: C; count: number }[] {
    let counts = this.#population
    if (q !== '') {
      counts = this.#cells.map(() => 0)
      for (const slot of this.#found(q)) {
        const cell = this.#cellOf[slot] ?? 0
        counts[cell] = (counts[cell] ?? 0) + 1
      }
    }
    return this.#cells
      .map((cell, number) => ({ cell, count: counts[number] ?? 0 }))
      .filter(({ count }) => count > 0)
  }
}
