/** Records of one kind, each known by a slot, with all that lists them: orders, facet cells, search index. */
import { LRUCache } from 'lru-cache'
import type { SearchDocument } from '../../index-build/documents.ts'
import { LargeMap } from '../../index-build/large-map.ts'
import { SLOTS_MAX, TermIndex } from '../../index-build/term-index.ts'
import { type FollowersRank, followersRank } from '../search/followers-rank.ts'
import { Matcher } from '../search/match.ts'
import type { Matches } from '../search/matches.ts'
import { OneLetter } from '../search/one-letter.ts'
import { parseQuery } from '../search/query.ts'
import { ranked } from '../search/rank.ts'
import { FacetCells, type Filter, type Slots } from './facet-cells.ts'
import { SortedList } from './sorted-list.ts'

/** What a record has to have to be listed. */
export interface Listed {
  readonly id: string
  readonly followers: number
}

export interface Shape<R, C, O extends string> {
  /** What filters and facets look at, and a key that is equal exactly where that is. */
  cell(record: R): { key: string; cell: C }
  /** Total orders: two different records never compare equal (D31). */
  orders: ReadonlyMap<O | 'popular', (a: R, b: R) => number>
  /** What a record is found by, from its own JSON: nothing is kept twice for the day it changes. */
  document(record: R): SearchDocument
}

/** A record that comes, changes or goes. */
export interface Change<R> {
  id: string
  /** As it is from now on; null where it goes. */
  record: R | null
  /** What it is found by; null where that is as before, or where it goes. */
  document: SearchDocument | null
}

/** A sorted list of slots, with those whose place is no longer right and those that need one. */
interface Order<R> {
  list: SortedList
  compare(a: R, b: R): number
  gone: Set<number>
  added: Set<number>
}

/** What is kept in answers ready for their next page, at most, in numbers of 4 bytes. */
const KEPT_MAX = 2_000_000

export class Collection<R extends Listed, C, O extends string> {
  readonly #shape: Shape<R, C, O>
  readonly #index = new TermIndex()
  readonly #matcher = new Matcher(this.#index)
  readonly #oneLetter = new OneLetter()
  readonly #cells = new FacetCells<C>()
  readonly #records: (R | undefined)[] = []
  readonly #slots = new LargeMap<number>()
  readonly #free: number[] = []
  readonly #orders = new Map<O | 'popular', Order<R>>()
  #isCommitted = true
  #followers = new Float64Array(1024)
  /** Null until it is asked for after a change of the order by followers. */
  #followersRank: FollowersRank | null = null
  /** Answers since the last change. */
  readonly #kept = new LRUCache<string, Slots>({
    maxSize: KEPT_MAX,
    sizeCalculation: (slots, key) => slots.length + Math.ceil(key.length / 2) + 50,
  })

  constructor(shape: Shape<R, C, O>) {
    this.#shape = shape
    for (const [name, compare] of shape.orders) {
      const list = new SortedList()
      this.#orders.set(name, { list, compare, gone: new Set(), added: new Set() })
    }
  }

  get size(): number {
    return this.#slots.size
  }

  /** Postings walked by searches so far: what tests hold bounded. */
  get work(): number {
    return this.#matcher.work
  }

  get(id: string): R | undefined {
    const slot = this.#slots.get(id)
    return slot === undefined ? undefined : this.#records[slot]
  }

  /**
   * Brings the orders and the index up to the records put since the last call. Yields after
   * about a millisecond of work: a load pauses there; where there are readers, it runs through.
   */
  *commit(): Generator<void> {
    if (this.#isCommitted) return
    for (const [name, order] of this.#orders) {
      if (order.gone.size + order.added.size === 0) continue
      yield* this.#reorder(order)
      if (name === 'popular') this.#followersRank = null
    }
    this.#kept.clear()
    this.#isCommitted = true
  }

  /** Takes a change in. Lists and searches are right again after `commit`. */
  put({ id, record, document }: Change<R>): void {
    this.#isCommitted = false
    const before = this.get(id)
    const slot = this.#slots.get(id) ?? this.#newSlot()
    if (document || !record) {
      const known = before ? this.#shape.document(before) : null
      this.#oneLetter.change(slot, known, document)
      this.#index.replace(slot, known, document)
    }
    if (before) this.#cells.leave(slot)
    this.#records[slot] = record ?? undefined
    if (record) {
      const { key, cell } = this.#shape.cell(record)
      this.#cells.enter(slot, key, cell)
      this.#slots.set(id, slot)
      this.#setFollowers(slot, record.followers)
    } else {
      this.#slots.delete(id)
      this.#free.push(slot)
    }
    for (const { compare, gone, added } of this.#orders.values()) {
      if (before && record && compare(before, record) === 0) continue
      if (before) gone.add(slot)
      if (record) added.add(slot)
    }
  }

  #newSlot(): number {
    const slot = this.#free.pop() ?? this.#records.length
    if (slot >= SLOTS_MAX) throw new Error(`more than ${SLOTS_MAX} records of a kind`)
    return slot
  }

  #setFollowers(slot: number, followers: number) {
    if (slot >= this.#followers.length) {
      const larger = new Float64Array(slot * 2)
      larger.set(this.#followers)
      this.#followers = larger
    }
    this.#followers[slot] = followers
  }

  *#reorder({ list, compare, gone, added }: Order<R>): Generator<void> {
    if (gone.size > 0) list.remove(this.#marked(gone))
    // A record that came may have gone again since.
    const entering = [...added].filter((slot) => this.#records[slot])
    gone.clear()
    added.clear()
    yield* list.insert(entering, (a, b) => {
      const [left, right] = [this.#records[a], this.#records[b]]
      return left && right ? compare(left, right) : a - b
    })
  }

  #order(name: O | 'popular'): Slots {
    return this.#orders.get(name)?.list.values ?? new Uint32Array(0)
  }

  /**
   * One page of what the query and the filter leave, in the order asked for; by relevance where
   * there is a query and no order. A page far back costs what the first does.
   */
  list(q: string, filter: Filter<C> | null, order: O | null, page: number, limit: number) {
    const slots = this.#listed(q, filter, order)
    const start = Math.min((page - 1) * limit, slots.length)
    const records: R[] = []
    for (const slot of slots.subarray(start, start + limit)) {
      const record = this.#records[slot]
      if (record) records.push(record)
    }
    return { records, total: slots.length }
  }

  #listed(q: string, filter: Filter<C> | null, order: O | null): Slots {
    const found = q === '' ? null : this.#found(q)
    const all = found && order === null ? found : this.#order(order ?? 'popular')
    if (!filter && (found === all || !found)) return all
    return this.#keep(JSON.stringify([q, filter?.key ?? '', order]), () => {
      const wanted = found && found !== all ? this.#marked(found) : null
      return this.#cells.selected(all, wanted, filter)
    })
  }

  #marked(slots: Iterable<number>): Uint8Array {
    const marks = new Uint8Array(this.#records.length)
    for (const slot of slots) marks[slot] = 1
    return marks
  }

  /** Everything that the query matches, by relevance (D36). */
  #found(q: string): Slots {
    return this.#keep(JSON.stringify([q]), () => {
      this.#followersRank ??= followersRank(this.#order('popular'), this.#followers)
      return ranked(this.#match(q, this.#followersRank), this.#followersRank)
    })
  }

  #match(q: string, followers: FollowersRank): Matches {
    const query = parseQuery(q)
    const letter = this.#oneLetter.letterOf(query)
    const kept = letter === null ? null : this.#oneLetter.matches(letter)
    if (kept) return kept
    const matches = this.#matcher.match(query, followers)
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
    return this.#cells.populations(q === '' ? null : this.#found(q))
  }
}
