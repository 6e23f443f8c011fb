/** What the import has to know of each kind of record. */
import { getTableColumns, type Table } from 'drizzle-orm'
import type { Stored } from './clean.ts'
import type { Fields } from './fields.ts'
import type { KindName } from './summary.ts'

/** Cleaned values by field; a field that the row doesn't give is absent. */
export type Values = Record<string, Stored>

/** A row whose every value is clean. */
export interface Candidate {
  number: number
  values: Values
}

/** What is looked up of a stored record: enough to identify it and to see what a row changes. */
export interface StoredRecord {
  id: string
  externalId: string | null
  slug: string | null
  firstName?: string | null
  lastName?: string | null
  jobTitle?: string | null
}

/** A candidate that is known to be new or known to be stored, its references replaced by ids. */
export interface Planned {
  candidate: Candidate
  id: string
  stored: StoredRecord | undefined
  values: Values
}

export interface Kind {
  name: KindName
  fields: Fields
  /** False: its records have no slug (rounds). */
  hasSlug: boolean
  /** A company always has a slug; a person whose name has no Latin letter has none. */
  fallbackSlug: string | undefined
  /** What a new record has where its row says nothing. */
  defaults: Values
  /** What the slug is made from, best first. */
  slugSources(values: Values): Stored[]
  /** What identifies a row without id, externalId and slug, together with how often it came before. */
  nameKey(values: Values): string
  /** Companies that the row names by id, externalId or slug. */
  references(values: Values): string[]
  /** The values to write. @throws Unfit where a reference is unknown or the record would be incomplete. */
  complete(
    values: Values,
    stored: StoredRecord | undefined,
    companyId: (reference: string) => string | undefined,
  ): Values
  /** SQL: $1 is JSON `{"ids", "externalIds", "slugs"}`; gives StoredRecords. */
  find: string
  /** SQL: $1 is a JSON array of `input`; writes them all and gives one row, `{created, updated}`. */
  write: string
  /** One element for `write`: has at least `id`, `new` and `row`. */
  input(planned: Planned): Stored
}

/** Field → column, for the fields of `table` that a row of this kind writes. */
export function columnsOf(table: Table, fields: readonly string[]): ReadonlyMap<string, string> {
  const columns = Object.entries(getTableColumns(table))
  return new Map(
    columns.filter(([field]) => fields.includes(field)).map(([field, { name }]) => [field, name]),
  )
}

/** The values whose field has a column, by column. */
export function rowOf(values: Values, columns: ReadonlyMap<string, string>): Values {
  const row: Values = {}
  for (const [field, column] of columns) {
    const value = values[field]
    if (value !== undefined) row[column] = value
  }
  return row
}

/** `r.a, r.b` */
export function prefixed(alias: string, columns: Iterable<string>): string {
  return [...columns].map((column) => `${alias}.${column}`).join(', ')
}
