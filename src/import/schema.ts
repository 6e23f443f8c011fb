/** What the import knows of each kind of record. */
import type { Stored } from './clean.ts'
import type { Fields } from './fields.ts'

/** Clean values by field; a field that the row leaves out is absent. */
export type Values = Record<string, Stored>

/** A row whose every value is clean. */
export interface CleanRow {
  number: number
  values: Values
}

/** The columns of a stored record that identify it and decide what a row changes. */
export interface StoredRecord {
  id: string
  externalId: string | null
  slug: string | null
  firstName?: string | null
  lastName?: string | null
  jobTitle?: string | null
}

/** A row whose record is known: a stored one, or a new one with its id. References are ids. */
export interface IdentifiedRow {
  source: CleanRow
  id: string
  stored: StoredRecord | undefined
  values: Values
}

export interface RecordSchema {
  fields: Fields
  /** The slug of a record whose name has no Latin letter; a person has none then. */
  fallbackSlug?: string
  /** Values of a new record whose row leaves these fields out. */
  defaults: Values
  /** Texts to make a slug from, the best first; none for rounds, which have no slug. */
  slugSources(values: Values): Stored[]
  /** Identifies a row without id, externalId and slug, together with how many rows before had the same key. */
  nameKey(values: Values): string
  /** The companies that the row names, each by id, externalId or slug. */
  references(values: Values): string[]
  /** The values to write. @throws InvalidValue where a reference is unknown or the record would be incomplete. */
  complete(
    values: Values,
    stored: StoredRecord | undefined,
    companyId: (reference: string) => string | undefined,
  ): Values
  /** SQL that selects StoredRecords; $1 is JSON `{"ids", "externalIds", "slugs"}`. */
  find: string
  /** SQL that writes a batch; $1 is a JSON array of `input`. It returns one row, `{created, updated}`. */
  write: string
  /** One element of $1 for `write`, with at least `id`, `new` and `row`. */
  input(row: IdentifiedRow): Stored
}
