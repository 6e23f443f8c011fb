/** Records of one kind, each known by a slot, with all that lists them: orders, facet cells, search index. */

import { LRUCache } from 'lru-cache'
import type { SearchDocument } from '../../../index-build/documents.ts'
import { type IndexPart, TermIndex } from '../../../index-build/term-index.ts'
import { FollowersRank } from '../search/followers-rank.ts'
import { match } from '../search/match.ts'
import { type Matches, only } from '../search/matches.ts'
import { parseQuery } from '../search/query.ts'
import { Ranking } from '../search/rank.ts'
import { FacetCells, type Filter, type Population, type Slots } from './facet-cells.ts'
import {
  type Column,
  Facets,
  type FacetValue,
  isAnyWanted,
  type Wanted,
  type Within,
} from './facets.ts'
import { isPermutation, marked, OrderedSlots } from './ordered-slots.ts'
import type { Ordering } from './orders.ts'
import { type Named, RecordSlots } from './record-slots.ts'

// Types of a collection: its records, changes and queries.

/** Fields that a listed record needs. */
interface Listed extends Named {
  readonly followers: number
}

interface Shape<R, C, O extends string> {
  /** Values that filters and facets look at, with a key that is equal exactly where they are. */
  cell(record: R): { key: string; cell: C }
  orders: ReadonlyMap<O | 'popular', Ordering<R>>
  /** Facets by name, for narrowing and counting. */
  facets: Readonly<Record<string, Column<R>>>
  /** Searchable text, read from the record's own JSON so that it isn't kept twice. */
  document(record: R): SearchDocument
}

/** A record that comes, changes or goes. */
interface Change<R> {
  id: string
  /** New record; null to delete it. */
  record: R | null
  /** New searchable text; null if it is unchanged, comes with the index (`takeIndex`), or the record is deleted. */
  document: SearchDocument | null
  /** The record is new, and its place in each order comes with the orders (`takeOrder`). */
  isOrdered?: boolean
}

/** Condition that selects some of the records. */
interface Narrowing {
  /** Equal exactly where they are the same. */
  key: string
  accepts(): (slot: number) => boolean
  /** @param among per slot 1 where it counts; null: all do */
  select(order: Slots, among: Uint8Array | null): Slots
  /** The first so many of all, and how many there are in all; null where that is not soon found. */
  first?(order: Slots, count: number): { slots: Slots; total: number } | null
}

interface Browse<O> {
  q: string
  wanted: Wanted
  /** Null: by relevance where there is a query, else the most followed first. */
  order: O | 'popular' | null
  page: number
  limit: number
  /** The facet of which the values with this text alone are counted. */
  within?: Within | undefined
  /** Whether facets are counted. */
  isCounted: boolean
  /** The facets that are counted; all of them unless given. */
  counted?: readonly string[] | undefined
}

// Lists that were asked for, kept for their next page and the next caller until their collection changes.

/** Values by facet. */
type Counted = Readonly<Record<string, readonly unknown[]>>

/**
 * Limit of kept slots, in numbers of 4 bytes: this many, and this many per record, because a list that isn't kept is made anew
 * for each of its pages. A match has a score, which counts as half of one, as does a key's character; an entry counts as 50.
 */
const SLOTS_KEPT = 2_000_000
const SLOTS_PER_RECORD = 2
/** Limit of kept facets, in values; 30 characters of a key count as one, and an entry as 10. */
const VALUES_MAX = 50_000

export class KeptLists {
  #room = SLOTS_KEPT
  #slots = listsIn(SLOTS_KEPT)
  #rankings = rankingsIn(SLOTS_KEPT)
  /** The facets of a list, which all its pages share. */
  readonly #facets = new LRUCache<string, Counted, () => Counted>({
    maxSize: VALUES_MAX,
    sizeCalculation: (facets, key) =>
      Object.values(facets).flat().length + Math.ceil(key.length / 30) + 10,
    memoMethod: (_key, _stale, { context: count }) => count(),
  })

  /** @param records how many there are now. */
  clear(records: number) {
    const room = Math.max(SLOTS_KEPT, SLOTS_PER_RECORD * records)
    if (room > this.#room) {
      this.#room = room
      this.#slots = listsIn(room)
      this.#rankings = rankingsIn(room)
    }
    this.#slots.clear()
    this.#rankings.clear()
    this.#facets.clear()
  }

  hasSlots(key: string): boolean {
    return this.#slots.has(key)
  }

  /** @param list makes the list of this key where it is not kept. */
  slots(key: string, list: () => Slots): Slots {
    return this.#slots.memo(key, { context: list })
  }

  /** @param rank makes the ranking of this key where it is not kept. */
  ranking(key: string, rank: () => Ranking): Ranking {
    return this.#rankings.memo(key, { context: rank })
  }

  /** @param count makes the facets of this key where they are not kept. */
  facets(key: string, count: () => Counted): Counted {
    return this.#facets.memo(key, { context: count })
  }
}

const listsIn = (maxSize: number) =>
  new LRUCache<string, Slots, () => Slots>({
    maxSize,
    sizeCalculation: (slots, key) => slots.length + Math.ceil(key.length / 2) + 50,
    memoMethod: (_key, _stale, { context: list }) => list(),
  })

const rankingsIn = (maxSize: number) =>
  new LRUCache<string, Ranking, () => Ranking>({
    maxSize,
    sizeCalculation: ({ length }, key) => Math.ceil((3 * length + key.length) / 2) + 50,
    memoMethod: (_key, _stale, { context: rank }) => rank(),
  })

/** Values of a facet that the collection doesn't have. */
const NO_VALUES: readonly FacetValue[] = []

/** @typeParam F what is counted beside a list: its facets. */
export class Collection<R extends Listed, C, O extends string, F extends Counted = never> {
  readonly #shape: Shape<R, C, O>
  readonly #index = new TermIndex()
  readonly #cells = new FacetCells<C>()
  readonly #facets: Facets<R>
  readonly #slots = new RecordSlots<R>()
  readonly #orders = new Map<O | 'popular', OrderedSlots<R>>()
  /** Effects of changes since the last commit, beside the orders. */
  readonly #changed = { cells: false, documents: false }
  readonly #followers: FollowersRank
  /** Without a query: they stand until an order or a cell changes. */
  readonly #lists = new KeptLists()
  /** With one: until anything does that records are found, ranked or listed by. */
  readonly #searches = new KeptLists()

  constructor(shape: Shape<R, C, O>) {
    this.#shape = shape
    this.#facets = new Facets(shape.facets)
    for (const [name, ordering] of shape.orders) this.#orders.set(name, new OrderedSlots(ordering))
    const popular = this.#orders.get('popular')
    if (!popular) throw new Error('records without an order by followers')
    this.#followers = new FollowersRank(popular.comparable(this.#slots.records))
  }

  /** For a column of another collection that names these records. */
  get slots(): Pick<RecordSlots<R>, 'records' | 'slotOf' | 'bySlug'> {
    return this.#slots
  }

  get size(): number {
    return this.#slots.size
  }

  /** Postings walked by searches so far: what tests hold bounded. */
  get work(): number {
    return this.#index.work
  }

  get(id: string): R | undefined {
    return this.#slots.get(id)
  }

  bySlug(slug: string): R | undefined {
    return this.#slots.bySlug(slug)
  }

  /**
   * Brings the orders and the index up to the records put since the last call. Yields after
   * about a millisecond of work: a load pauses there; where there are readers, it runs through.
   */
  *commit(): Generator<void> {
    const changed = this.#changed
    let listsChanged = changed.cells
    for (const [name, order] of this.#orders) {
      const hasChanged = yield* order.commit(this.#slots.records)
      if (hasChanged && name === 'popular') this.#followers.orderChanged()
      listsChanged ||= hasChanged
    }
    if (listsChanged) this.#lists.clear(this.size)
    if (listsChanged || changed.documents) this.#searches.clear(this.size)
    Object.assign(changed, { cells: false, documents: false })
  }

  /** Takes a change in. Lists and searches are right again after `commit`. */
  put({ id, record, document, isOrdered = false }: Change<R>): void {
    const known = this.#slots.slotOf(id)
    const before = known === undefined ? undefined : this.#slots.records[known]
    const slot = record ? this.#slots.put(record, known) : known
    if (slot === undefined) return
    if (document || !record) {
      this.#putDocument(slot, before ? this.#shape.document(before) : null, document)
    }
    const cellBefore = before ? this.#cells.leave(slot) : null
    if (record) {
      const { key, cell } = this.#shape.cell(record)
      const isCellNew = this.#cells.enter(slot, key, cell) !== cellBefore
      if (this.#facets.enter(slot, record, before ?? null) || isCellNew) this.#changed.cells = true
      this.#followers.set(slot, record.followers)
    } else {
      this.#facets.leave(slot)
      this.#slots.delete(id)
    }
    if (isOrdered && !before) return
    for (const order of this.#orders.values()) order.change(slot, before ?? null, record)
  }

  #putDocument(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    if (this.#index.replace(slot, before, after)) this.#changed.documents = true
  }

  /** The search index in parts, for a collection of the same records, put in the order of their slots. */
  indexParts(): Generator<IndexPart> {
    return this.#index.parts()
  }

  /** Takes the next part of that index. */
  takeIndex(part: IndexPart) {
    this.#index.take(part)
    this.#changed.documents = true
  }

  /** All orders by their names, for a collection of the same records as `indexParts`. They are right after `commit`. */
  orders(): [name: string, slots: Slots][] {
    return [...this.#orders].map(([name, order]) => [name, order.slots])
  }

  takeOrder(name: string, slots: Slots) {
    this.#orders.get(name as O)?.take(slots)
    if (name === 'popular') this.#followers.orderChanged()
  }

  /** Whether index and orders know as many slots as there are records: false where parts of them were left out. */
  get isIndexed(): boolean {
    const { length } = this.#slots.records
    const areOrdered = [...this.#orders.values()].every(({ slots }) => isPermutation(slots, length))
    return areOrdered && this.#index.slotCount === length
  }

  /** Has the slug name the record of this id, and no other that had it before. */
  takeSlug(named: Named) {
    this.#slots.takeSlug(named)
  }

  /** Before the record changes or goes. */
  releaseSlug(record: R) {
    this.#slots.releaseSlug(record)
  }

  order(name: O | 'popular'): Slots {
    return this.#orders.get(name)?.slots ?? new Uint32Array(0)
  }

  /**
   * One page of what the query and the filter leave, in the order asked for; by relevance where
   * there is a query and no order. A page far back costs what the first does.
   */
  list(q: string, filter: Filter<C> | null, order: O | null, page: number, limit: number) {
    const cells = this.#cells
    return this.#page(q, order, page, limit, {
      key: filter?.key ?? '',
      accepts: () => (filter ? cells.accepts(filter) : () => true),
      select: (all, among) => cells.selected(all, among, filter),
      first: (all, count) => filter && cells.first(all, filter, count),
    })
  }

  /** The same of what the query and the wanted values leave, and what each further value would. */
  browse({ q, wanted, order, page: number, limit, isCounted, counted, within }: Browse<O>) {
    const narrowed = this.#facets.narrowedBy(wanted, this.#slots.records.length)
    const key = JSON.stringify([q, 'facets', wanted, counted, within])
    const among = () => (q === '' ? null : this.matches(q).slots)
    const count = () => narrowed.count(among(), counted, within)
    const facets = isCounted ? this.#kept(q).facets(key, count) : {}
    const page = this.#page(q, order, number, limit, {
      key: isAnyWanted(wanted) ? JSON.stringify(['facets', wanted]) : '',
      accepts: () => narrowed.accepts(),
      select: (all, among) => narrowed.select(all, among),
    })
    return { ...page, facets: facets as Readonly<Record<string, readonly FacetValue[]>> }
  }

  /** Every value of a facet, and how many of the records with the wanted values have each; the most frequent first. */
  everyValue(facet: string, wanted: Wanted): readonly FacetValue[] {
    const facets = this.#lists.facets(JSON.stringify(['every', facet, wanted]), () =>
      this.#facets
        .narrowedBy(wanted, this.#slots.records.length)
        .count(null, [facet], undefined, Number.POSITIVE_INFINITY),
    )
    return (facets[facet] ?? NO_VALUES) as readonly FacetValue[]
  }

  /** The values of one facet, and how many of these slots have each. */
  valuesOf(facet: string, slots: Slots): FacetValue[] {
    return this.#facets.valuesOf(facet, slots)
  }

  #page(q: string, order: O | 'popular' | null, page: number, limit: number, of: Narrowing) {
    const { slots, total } = this.#listed(q, of, order, page * limit)
    const records: R[] = []
    for (const slot of slots.subarray((page - 1) * limit, page * limit)) {
      const record = this.#slots.records[slot]
      if (record) records.push(record)
    }
    return { records, total }
  }

  /** @returns at least so many of the slots as `count` says, and how many there are in all. */
  #listed(q: string, of: Narrowing, order: O | 'popular' | null, count: number) {
    if (q !== '' && order === null) {
      const ranking = this.#ranking(q, of)
      return { slots: ranking.first(count), total: ranking.length }
    }
    const all = this.order(order ?? 'popular')
    if (q === '' && of.key === '') return { slots: all, total: all.length }
    const [kept, key] = [this.#kept(q), JSON.stringify([q, of.key, order])]
    const first = q === '' && !kept.hasSlots(key) && of.first?.(all, count)
    if (first) return first
    const slots = kept.slots(key, () => of.select(all, this.#among(q)))
    return { slots, total: slots.length }
  }

  /** Matches of the query within the narrowing, by relevance. */
  #ranking(q: string, of: Narrowing | null): Ranking {
    const key = of?.key ?? ''
    return this.#searches.ranking(JSON.stringify([q, key]), () => {
      const matches =
        of && key !== ''
          ? only(this.#ranking(q, null).matches, of.accepts())
          : match(this.#index, parseQuery(q), this.#followers)
      return new Ranking(matches, this.#followers)
    })
  }

  /** Everything that the query matches, in no order. */
  matches(q: string): Matches {
    return this.#ranking(q, null).matches
  }

  /** Per slot 1 where the query matches; null where there is none, which matches everything. */
  #among(q: string): Uint8Array | null {
    return q === '' ? null : marked(this.matches(q).slots, this.#slots.records.length)
  }

  #kept(q: string): KeptLists {
    return q === '' ? this.#lists : this.#searches
  }

  /**
   * The facets of a list.
   * @param filter its key: with the query all that they depend on.
   * @param count from how many of the query's matches (of all records where it is empty) each cell has.
   */
  facets(q: string, filter: string, count: (populations: Population<C>[]) => F): F {
    return this.#kept(q).facets(JSON.stringify([q, filter]), () =>
      count(this.#cells.populations(q === '' ? null : this.matches(q).slots)),
    ) as F
  }
}
