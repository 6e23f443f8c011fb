/** What the import knows of each kind of record. */
import type { Stored } from './clean.ts'
import type { Fields } from './fields.ts'

/** One investor's part in a round, by id, externalId or slug. */
export type Investment = { investor: string; isLead: boolean }

/** Clean values by field; a field that the row leaves out is absent. */
export interface Values {
  id?: string
  externalId?: string
  slug?: string
  company?: string | null
  investors?: Investment[]
  [field: string]: Stored | undefined
}

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

/** Finds a company by id, externalId or slug. @throws InvalidValue where there is none. */
export type CompanyId = (reference: string, field: string, reason: string) => string

export interface RecordSchema {
  fields: Fields
  /** By `recordTable`: SQL that selects StoredRecords, and a row's values by column. */
  table: { find: string; rowOf(values: Values): object }
  /** Fields that a new record must have. */
  required: readonly string[]
  /** Values of a new record whose row leaves these fields out. */
  defaults: Values
  /** Texts to make a slug from, the best first; none for rounds, which have no slug. */
  slugSources(values: Values): (Stored | undefined)[]
  /** The slug of a record whose name has no Latin letter; a person has none then. */
  fallbackSlug?: string
  /** Identifies a row without id, externalId and slug, together with how many rows before had the same key. */
  nameKey(values: Values): string
  /** The values to write. @throws InvalidValue where a reference is unknown or the record would be incomplete. */
  complete(values: Values, stored: StoredRecord | undefined, companyId: CompanyId): Values
  /** What `write` takes of a row beside the columns of the table, by the names of `INPUT`. */
  details?(values: Values): object
  /** SQL that writes a batch; $1 is the JSON array that `INPUT` reads. It returns one row, `{created, updated}`. */
  write: string
}

/** Names the row's company by its id: a value of the column `company_id`. @throws InvalidValue */
export function withCompanyId({ company, ...others }: Values, companyId: CompanyId): Values {
  if (company === undefined) return others
  const id = company === null ? null : companyId(company, 'company', 'no such company')
  return { ...others, companyId: id }
}
