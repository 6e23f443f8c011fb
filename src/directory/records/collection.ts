/** Records of one kind, each known by a slot, with all that lists them: orders, facets, search index. */

import { LRUCache } from 'lru-cache'
import type { SearchDocument } from '../../../index-build/documents.ts'
import { type IndexPart, TermIndex } from '../../../index-build/term-index.ts'
import { FollowersRank } from '../search/followers-rank.ts'
import { match } from '../search/match.ts'
import { type Matches, only } from '../search/matches.ts'
import { parseQuery } from '../search/query.ts'
import { Ranking } from '../search/rank.ts'
import {
  type Column,
  Facets,
  type FacetValue,
  isAnyWanted,
  type Narrowed,
  type Slots,
  VALUES_MAX,
  type Wanted,
  type Within,
} from './facets.ts'
import { marked, OrderedSlots } from './ordered-slots.ts'
import type { Ordering } from './orders.ts'
import { type Named, RecordSlots } from './record-slots.ts'

// Types of a collection: its records, changes and queries.

/** Fields that a listed record needs. */
interface Listed extends Named {
  readonly followers: number
}

interface Shape<R, O extends string> {
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
}

interface Query<O> {
  q: string
  wanted: Wanted
  /** Null: by relevance where there is a query, else the most followed first. */
  order: O | 'popular' | null
  page: number
  limit: number
}

interface Browse<O> extends Query<O> {
  /** The facet of which the values with this text alone are counted. */
  within?: Within | undefined
  /** The facets that are counted; all of them unless given. */
  facets?: readonly string[] | undefined
  /** The most values counted of a facet; default `VALUES_MAX`. */
  most?: number
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
const FACETS_KEPT = 50_000

export class KeptLists {
  #room = SLOTS_KEPT
  #slots = listsIn(SLOTS_KEPT)
  #rankings = rankingsIn(SLOTS_KEPT)
  /** The facets of a list, which all its pages share. */
  readonly #facets = new LRUCache<string, Counted, () => Counted>({
    maxSize: FACETS_KEPT,
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

export class Collection<R extends Listed, O extends string> {
  readonly #shape: Shape<R, O>
  readonly #index = new TermIndex()
  readonly #facets: Facets<R>
  readonly #slots = new RecordSlots<R>()
  readonly #orders = new Map<O | 'popular', OrderedSlots<R>>()
  /** Effects of changes since the last commit, beside the orders. */
  readonly #changed = { facets: false, documents: false }
  readonly #followers: FollowersRank
  /** Without a query: they stand until an order or a facet changes. */
  readonly #lists = new KeptLists()
  /** With one: until anything does that records are found, ranked or listed by. */
  readonly #searches = new KeptLists()

  constructor(shape: Shape<R, O>) {
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

  /** Brings the orders and the lists up to the records put since the last call. */
  commit(): void {
    const changed = this.#changed
    let listsChanged = changed.facets
    for (const [name, order] of this.#orders) {
      const hasChanged = order.commit(this.#slots.records)
      if (hasChanged && name === 'popular') this.#followers.orderChanged()
      listsChanged ||= hasChanged
    }
    if (listsChanged) this.#lists.clear(this.size)
    if (listsChanged || changed.documents) this.#searches.clear(this.size)
    Object.assign(changed, { facets: false, documents: false })
  }

  /** Takes a change in. Lists and searches are right again after `commit`. */
  put({ id, record, document }: Change<R>): void {
    const known = this.#slots.slotOf(id)
    const before = known === undefined ? undefined : this.#slots.records[known]
    const slot = record ? this.#slots.put(record, known) : known
    if (slot === undefined) return
    if (document || !record) {
      this.#putDocument(slot, before ? this.#shape.document(before) : null, document)
    }
    if (record) {
      if (this.#facets.enter(slot, record, before ?? null)) this.#changed.facets = true
      this.#followers.set(slot, record.followers)
    } else {
      this.#facets.leave(slot)
      this.#slots.delete(id)
    }
    for (const order of this.#orders.values()) order.change(slot, before ?? null, record)
  }

  #putDocument(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    if (this.#index.replace(slot, before, after)) this.#changed.documents = true
  }

  /** Takes the next part of an index of the same records, put in the order of their slots. */
  takeIndex(part: IndexPart) {
    this.#index.take(part)
    this.#changed.documents = true
  }

  /** True if the index has every record; false where parts of it were left out. */
  get isIndexed(): boolean {
    return this.#index.slotCount === this.#slots.records.length
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
   * One page of what the query and the wanted values leave, in the order asked for; by relevance where there is a query and no
   * order. A page far back costs what the first does.
   */
  list(query: Query<O>) {
    return this.#page(query, this.#narrowedBy(query.wanted))
  }

  #page({ q, wanted, order, page, limit }: Query<O>, narrowed: Narrowed<R>) {
    const { slots, total } = this.#listed({ q, wanted, order }, narrowed, page * limit)
    const records: R[] = []
    for (const slot of slots.subarray((page - 1) * limit, page * limit)) {
      const record = this.#slots.records[slot]
      if (record) records.push(record)
    }
    return { records, total }
  }

  /** The same with facets: the records that each value has under what is wanted of the others. */
  browse({ within, facets: names, most = VALUES_MAX, ...query }: Browse<O>) {
    const { q, wanted } = query
    const narrowed = this.#narrowedBy(wanted)
    const key = JSON.stringify([q, 'facets', wanted, names, within])
    const count = () => {
      const among = q === '' ? null : this.matches(q).slots
      return narrowed.count(among, names, within, most)
    }
    const facets = this.#kept(q).facets(key, count)
    return {
      ...this.#page(query, narrowed),
      facets: facets as Readonly<Record<string, readonly FacetValue[]>>,
    }
  }

  /** Every value of a facet, and how many of the records with the wanted values have each; the most frequent first. */
  everyValue(facet: string, wanted: Wanted): readonly FacetValue[] {
    const facets = this.#lists.facets(JSON.stringify(['every', facet, wanted]), () =>
      this.#narrowedBy(wanted).count(null, [facet], undefined, Number.POSITIVE_INFINITY),
    )
    return (facets[facet] ?? NO_VALUES) as readonly FacetValue[]
  }

  /** The values of one facet, and how many of these slots have each. */
  valuesOf(facet: string, slots: Slots): FacetValue[] {
    return this.#facets.valuesOf(facet, slots)
  }

  #narrowedBy(wanted: Wanted): Narrowed<R> {
    return this.#facets.narrowedBy(wanted, this.#slots.records.length)
  }

  /** @returns at least so many of the slots as `count` says, and how many there are in all. */
  #listed(
    { q, wanted, order }: Pick<Query<O>, 'q' | 'wanted' | 'order'>,
    narrowed: Narrowed<R>,
    count: number,
  ) {
    const isNarrowed = isAnyWanted(wanted)
    if (q !== '' && order === null) {
      const ranking = isNarrowed ? this.#narrowedRanking(q, wanted, narrowed) : this.#ranking(q)
      return { slots: ranking.first(count), total: ranking.length }
    }
    const all = this.order(order ?? 'popular')
    if (q === '' && !isNarrowed) return { slots: all, total: all.length }
    const slots = this.#kept(q).slots(JSON.stringify([q, wanted, order]), () =>
      narrowed.select(all, this.#among(q)),
    )
    return { slots, total: slots.length }
  }

  /** Matches of the query, by relevance. */
  #ranking(q: string): Ranking {
    return this.#searches.ranking(JSON.stringify([q]), () => {
      const matches = match(this.#index, parseQuery(q), this.#followers)
      return new Ranking(matches, this.#followers)
    })
  }

  /** Those of them that the wanted values leave. */
  #narrowedRanking(q: string, wanted: Wanted, narrowed: Narrowed<R>): Ranking {
    return this.#searches.ranking(JSON.stringify([q, wanted]), () => {
      return new Ranking(only(this.matches(q), narrowed.accepts()), this.#followers)
    })
  }

  /** Everything that the query matches, in no order. */
  matches(q: string): Matches {
    return this.#ranking(q).matches
  }

  /** Per slot 1 where the query matches; null where there is none, which matches everything. */
  #among(q: string): Uint8Array | null {
    return q === '' ? null : marked(this.matches(q).slots, this.#slots.records.length)
  }

  #kept(q: string): KeptLists {
    return q === '' ? this.#lists : this.#searches
  }
}
