/** What the import knows of each kind of record. */
import type { Fields, Values } from './fields/types.ts'
import { orWarn, type Stored, type Warn } from './fields/values.ts'
import type { Finding } from './summary.ts'

/** A row whose every value is clean. */
export interface CleanRow {
  number: number
  /** The line of the file on which it begins, where the format has lines. */
  line?: number | undefined
  values: Values
  /** The values that were left out of it. */
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

/** A row whose record is known: a stored one, or a new one with its id. References are ids. */
export interface IdentifiedRow {
  /** With the warnings of identifying it. */
  source: CleanRow
  id: string
  stored: StoredRecord | undefined
  values: Values
  /** How many of its values pins held back. */
  pinned: number
}

/** Finds the company that a field names (`company-references.ts`). @throws InvalidValue where there is not one. */
export type CompanyId = (reference: string, field: string) => string

/** What `keyless.ts` and `namesakes.ts` know of a kind of records. */
export interface Matching {
  /** As the change log has it. */
  kind: 'company' | 'person' | 'round'
  /** The fields that `names` reads of a row's record. */
  reads: readonly string[]
  /** Fields that no row changes by its name alone. */
  channels: readonly string[]
  /** For a refusal: why namesakes can't be told apart. */
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
  /** Puts fields that stand for others, like a full name, into those. */
  settle?(values: Values): Values
  /** By `recordTable`: SQL that selects StoredRecords, and a row's values by column. */
  table: { find: string; findMerged: string; rowOf(values: Values): object }
  /** Fields that a new record must have. */
  required: readonly string[]
  /** Values of a new record whose row leaves these fields out. */
  defaults: Values
  /** Texts to make a slug from, the best first; none for rounds, which have no slug. */
  slugSources(values: Values): (Stored | undefined)[]
  /** The slug of a record whose name has no Latin letter; a person has none then. */
  fallbackSlug?: string
  /** How a row without id, externalId and slug finds its record. */
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
  /** What `write` takes of a row beside the columns of the table, by the names of `INPUT`. */
  details?(values: Values): object
  /**
   * SQL that gives the `place`, from 0, of each row of $1 that would make of a record for which accounts have paid another one: no
   * channel that tells records apart is the same.
   */
  replaced?: string
  /** SQL that writes a batch; `INPUT` reads its parameters. It returns one row, `{created, updated, outdated}`. */
  write: string
  /** SQL that gives `{index, field, before, after, private}` of each value that `write` would change; $2 is how many at most. */
  differences: string
}

/**
 * Names the row's company by its id: a value of the column `company_id`. One that is unknown is left out.
 * @throws InvalidValue where `warn` does.
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
