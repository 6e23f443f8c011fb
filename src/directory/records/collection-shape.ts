/** Types of a collection: its records, changes and queries. */
import type { SearchDocument } from '../../../index-build/documents.ts'
import type { Slots } from './facet-cells.ts'
import type { Column, Wanted, Within } from './facets.ts'
import type { Ordering } from './orders.ts'
import type { Named } from './record-slots.ts'

/** Fields that a listed record needs. */
export interface Listed extends Named {
  readonly followers: number
}

export interface Shape<R, C, O extends string> {
  /** Values that filters and facets look at, with a key that is equal exactly where they are. */
  cell(record: R): { key: string; cell: C }
  orders: ReadonlyMap<O | 'popular', Ordering<R>>
  /** Facets by name, for narrowing and counting. */
  facets: Readonly<Record<string, Column<R>>>
  /** Searchable text, read from the record's own JSON so that it isn't kept twice. */
  document(record: R): SearchDocument
}

/** A record that comes, changes or goes. */
export interface Change<R> {
  id: string
  /** New record; null to delete it. */
  record: R | null
  /** New searchable text; null if it is unchanged, comes with the index (`takeIndex`), or the record is deleted. */
  document: SearchDocument | null
  /** The record is new, and its place in each order comes with the orders (`takeOrder`). */
  isOrdered?: boolean
}

/** Condition that selects some of the records. */
export interface Narrowing {
  /** Equal exactly where they are the same. */
  key: string
  accepts(): (slot: number) => boolean
  /** @param among per slot 1 where it counts; null: all do */
  select(order: Slots, among: Uint8Array | null): Slots
  /** The first so many of all, and how many there are in all; null where that is not soon found. */
  first?(order: Slots, count: number): { slots: Slots; total: number } | null
}

export interface Browse<O> {
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
