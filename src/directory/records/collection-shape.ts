/** What a collection is told of its records, of their changes and of what is asked for. */
import type { SearchDocument } from '../../../index-build/documents.ts'
import type { Slots } from './facet-cells.ts'
import type { Column, Wanted, Within } from './facets.ts'
import type { Ordering } from './orders.ts'
import type { Named } from './record-slots.ts'

/** What a record has to have to be listed. */
export interface Listed extends Named {
  readonly followers: number
}

export interface Shape<R, C, O extends string> {
  /** What filters and facets look at, and a key that is equal exactly where that is. */
  cell(record: R): { key: string; cell: C }
  orders: ReadonlyMap<O | 'popular', Ordering<R>>
  /** What pages narrow and count lists by, by name. */
  facets: Readonly<Record<string, Column<R>>>
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

/** Which of the records are listed. */
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
