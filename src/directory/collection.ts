/** Records of one kind, each known by a slot, with all that lists them: orders, facet cells, search index. */
import { isSameDocument, type SearchDocument } from '../../index-build/documents.ts'
import { type IndexPart, TermIndex } from '../../index-build/term-index.ts'
import { Matcher } from '../search/match.ts'
import { only } from '../search/matches.ts'
import { parseQuery } from '../search/query.ts'
import { type FollowersRank, followersRank, Ranking } from '../search/rank.ts'
import { FacetCells, type Filter, type Population, type Slots } from './facet-cells.ts'
import { type Counted, KeptLists } from './kept-lists.ts'
import { isPermutation, marked, OrderedSlots } from './ordered-slots.ts'
import type { Ordering } from './orders.ts'
import { type Named, RecordSlots } from './record-slots.ts'

/** What a record has to have to be listed. */
export interface Listed extends Named {
  readonly followers: number
}

export interface Shape<R, C, O extends string> {
  /** What filters and facets look at, and a key that is equal exactly where that is. */
  cell(record: R): { key: string; cell: C }
  orders: ReadonlyMap<O | 'popular', Ordering<R>>
  /** What a record is found by, from its own JSON: nothing is kept twice for the day it changes. */
  document(record: R): SearchDocument
}

/** A record that comes, changes or goes. */
export interface Change<R> {
  id: string
  /** As it is from now on; null where it goes. */
  record: R | null
  /** What it is found by; null where that is as before or comes with the index (`takeIndex`), or where it goes. */
  document: SearchDocument | null
  /** The record is new, and its place in each order comes with the orders (`takeOrder`). */
  isOrdered?: boolean
}

/** @typeParam F what is counted beside a list: its facets. */
export class Collection<R extends Listed, C, O extends string, F extends Counted = never> {
  readonly #shape: Shape<R, C, O>
  readonly #index = new TermIndex()
  readonly #matcher = new Matcher(this.#index)
  readonly #cells = new FacetCells<C>()
  readonly #slots = new RecordSlots<R>()
  readonly #orders = new Map<O | 'popular', OrderedSlots<R>>()
  /** What was put since the last commit and changes lists or searches beside the orders. */
  readonly #changed = { cells: false, documents: false }
  #followers = new Float64Array(1024)
  /** Null until it is asked for after a change of the order by followers. */
  #followersRank: FollowersRank | null = null
  /** Without a query: they stand until an order or a cell changes. */
  readonly #lists = new KeptLists<F>()
  /** With one: until anything does that records are found, ranked or listed by. */
  readonly #searches = new KeptLists<F>()

  constructor(shape: Shape<R, C, O>) {
    this.#shape = shape
    for (const [name, ordering] of shape.orders) this.#orders.set(name, new OrderedSlots(ordering))
  }

  get size(): number {
    return this.#slots.size
  }

  /** Postings walked by searches so far: what tests hold bounded. */
  get work(): number {
    return this.#matcher.work
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
      if (hasChanged && name === 'popular') this.#followersRank = null
      listsChanged ||= hasChanged
    }
    if (listsChanged) this.#lists.clear()
    if (listsChanged || changed.documents) this.#searches.clear()
    changed.cells = false
    changed.documents = false
  }

  /** Takes a change in. Lists and searches are right again after `commit`. */
  put({ id, record, document, isOrdered = false }: Change<R>): void {
    const before = this.#slots.get(id)
    const slot = record ? this.#slots.put(record) : this.#slots.slotOf(id)
    if (slot === undefined) return
    if (document || !record) {
      this.#putDocument(slot, before ? this.#shape.document(before) : null, document)
    }
    const cellBefore = before ? this.#cells.leave(slot) : null
    if (record) {
      const { key, cell } = this.#shape.cell(record)
      if (this.#cells.enter(slot, key, cell) !== cellBefore) this.#changed.cells = true
      this.#setFollowers(slot, record.followers)
    } else {
      this.#slots.delete(id)
    }
    if (isOrdered && !before) return
    for (const order of this.#orders.values()) order.change(slot, before ?? null, record)
  }

  #putDocument(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    if (isSameDocument(before, after)) return
    this.#index.replace(slot, before, after)
    this.#changed.documents = true
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

  takeOrder(name: string, slots: Uint32Array<ArrayBuffer>) {
    this.#orders.get(name as O)?.take(slots)
  }

  /** Whether index and orders know as many slots as there are records: false where parts of them were left out. */
  get isIndexed(): boolean {
    const { length } = this.#slots.records
    const areOrdered = [...this.#orders.values()].every(({ slots }) => isPermutation(slots, length))
    return areOrdered && this.#index.slotCount === length
  }

  /** Has the record's slug name it, and no other that had it before. */
  takeSlug(record: R) {
    this.#slots.takeSlug(record)
  }

  /** Before the record changes or goes. */
  releaseSlug(record: R) {
    this.#slots.releaseSlug(record)
  }

  #setFollowers(slot: number, followers: number) {
    if (slot >= this.#followers.length) {
      const larger = new Float64Array(slot * 2)
      larger.set(this.#followers)
      this.#followers = larger
    }
    this.#followers[slot] = followers
  }

  #order(name: O | 'popular'): Slots {
    return this.#orders.get(name)?.slots ?? new Uint32Array(0)
  }

  /**
   * One page of what the query and the filter leave, in the order asked for; by relevance where
   * there is a query and no order. A page far back costs what the first does.
   */
  list(q: string, filter: Filter<C> | null, order: O | null, page: number, limit: number) {
    const { slots, total } = this.#listed(q, filter, order, page * limit)
    const records: R[] = []
    for (const slot of slots.subarray((page - 1) * limit, page * limit)) {
      const record = this.#slots.records[slot]
      if (record) records.push(record)
    }
    return { records, total }
  }

  /** @returns at least so many of the slots as `count` says, and how many there are in all. */
  #listed(q: string, filter: Filter<C> | null, order: O | null, count: number) {
    if (q !== '' && order === null) {
      const ranking = this.#ranking(q, filter)
      return { slots: ranking.first(count), total: ranking.length }
    }
    const all = this.#order(order ?? 'popular')
    if (q === '' && !filter) return { slots: all, total: all.length }
    const slots = this.#kept(q).slots(JSON.stringify([q, filter?.key ?? '', order]), () => {
      const wanted = q === '' ? null : marked(this.#found(q), this.#slots.records.length)
      return this.#cells.selected(all, wanted, filter)
    })
    return { slots, total: slots.length }
  }

  /** What the query matches and the filter leaves, by relevance (D36). */
  #ranking(q: string, filter: Filter<C> | null): Ranking {
    return this.#searches.ranking(JSON.stringify([q, filter?.key]), () => {
      this.#followersRank ??= followersRank(this.#order('popular'), this.#followers)
      const matches = filter
        ? only(this.#ranking(q, null).matches, this.#cells.accepts(filter))
        : this.#matcher.match(parseQuery(q), this.#followersRank)
      return new Ranking(matches, this.#followersRank)
    })
  }

  /** Everything that the query matches, in no order. */
  #found(q: string): Slots {
    return this.#ranking(q, null).matches.slots
  }

  #kept(q: string): KeptLists<F> {
    return q === '' ? this.#lists : this.#searches
  }

  /**
   * The facets of a list.
   * @param filter its key: with the query all that they depend on.
   * @param count from how many of the query's matches (of all records where it is empty) each cell has.
   */
  facets(q: string, filter: string, count: (populations: Population<C>[]) => F): F {
    return this.#kept(q).facets(JSON.stringify([q, filter]), () =>
      count(this.#cells.populations(q === '' ? null : this.#found(q))),
    )
  }
}
