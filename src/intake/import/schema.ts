/** Types of records on their way through an import. */
import type { Fields, Values } from './fields/types.ts'
import { orWarn, type Stored, type Warn } from './fields/values.ts'
import type { Finding } from './summary.ts'

/** A row whose every value is clean. */
export interface CleanRow {
  number: number
  /** The line of the file on which it begins, where the format has lines. */
  line?: number | undefined
  values: Values
  /** Warnings about values that were left out. */
  warnings?: readonly Finding[]
}

/** The columns of a stored record that identify it and decide what a row changes. */
export interface StoredRecord {
  id: string
  externalId: string | null
  slug: string | null
  name?: string
  firstName?: string | null
  lastName?: string | null
  jobTitle?: string | null
}

/** A row with its record: a stored one, or a new one with its id. References are ids. */
export interface IdentifiedRow {
  /** The row without values that pins hold back, with warnings from identifying it. */
  source: CleanRow
  /** Values of the row, those that pins hold back among them. */
  given: Values
  id: string
  stored: StoredRecord | undefined
  values: Values
  /** Number of values that pins held back. */
  pinned: number
}

/** Finds the company that a field names (`company-references.ts`). @throws InvalidValue where there is not one. */
export type CompanyId = (reference: string, field: string) => string

/** Matching of rows without a key to records of a kind. */
export interface Matching {
  /** Kind, as in the change log. */
  kind: 'company' | 'person' | 'round'
  /** The fields that `names` reads of a row's record. */
  reads: readonly string[]
  /** Fields by whose values a record is known. */
  channels: readonly string[]
  /** Reason in a refusal of rows that can't be told apart. */
  words: string
  /** SQL that gives `{name, tells}` of each row of $1. */
  names: string
  /** SQL that gives the namesakes of the rows of $1, as `findNamesakes` returns them. */
  namesakes: string
  /** SQL that gives the `id` of every record that has one of the names in $1, a JSON list. */
  sameName: string
}

export interface RecordSchema {
  fields: Fields
  /** Replaces fields that stand for others, like a full name. */
  settle?(values: Values): Values
  /** SQL that selects StoredRecords, and a row's values by column; made by `recordTable`. */
  table: { find: string; findMerged: string; rowOf(values: Values): object }
  /** Fields that a new record must have. */
  required: readonly string[]
  /** Values of a new record whose row leaves these fields out. */
  defaults: Values
  /** Texts to make a slug from, the best first; empty for rounds, which have no slug. */
  slugSources(values: Values): (Stored | undefined)[]
  /** The slug of a record whose name has no Latin letter; a person has none then. */
  fallbackSlug?: string
  matching: Matching
  /**
   * The values to write. @throws InvalidValue where the record would be incomplete.
   * @param warn told of each reference that is unknown and left out.
   */
  complete(
    values: Values,
    stored: StoredRecord | undefined,
    companyId: CompanyId,
    warn: Warn,
  ): Values
  /** Values that `write` takes of a row beside the columns of the table, named as in `INPUT`. */
  details?(values: Values): object
  /**
   * SQL that gives the `place`, from 0, of each row of $1 that would replace a person for whom accounts have paid: no
   * channel that tells people apart is the same.
   */
  replaced?: string
  /** SQL that writes a batch; `INPUT` reads its parameters. It returns one row, `{created, updated, outdated}`. */
  write: string
  /** SQL that gives `{index, field, before, after, private}` of each value that `write` would change; $2 is how many at most. */
  differences: string
}

/**
 * Replaces the row's company by its id, as the column `company_id`. An unknown one is left out.
 * @throws InvalidValue where `warn` does
 */
export function withCompanyId(
  { company, ...others }: Values,
  companyId: CompanyId,
  warn: Warn,
): Values {
  if (company === undefined) return others
  if (company === null) return { ...others, companyId: null }
  const id = orWarn(warn, () => companyId(company, 'company'))
  return id === undefined ? others : { ...others, companyId: id }
}
