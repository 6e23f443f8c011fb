/** Records that a store takes in together. */
import type { Round } from './company.ts'
import type { SavedCompany } from './company-record.ts'
import type { SavedPerson } from './person.ts'
import type { Rows, TableName } from './rows.ts'

/** Rows by id as the database has them now; an id without a row is a record that is gone. */
export type RowsById = { [T in TableName]: Map<string, Rows[T] | null> }

/** Records as a snapshot has them, all of them new. */
export type SavedById = {
  companies: Map<string, SavedCompany>
  rounds: Map<string, Round>
  people: Map<string, SavedPerson>
}

/** Rows or saved records. */
export type RecordsById = {
  [T in TableName]: Map<string, Rows[T] | null> | SavedById[T]
}

export interface Batch extends RecordsById {
  /** The records are new, and their search index comes beside them instead of being made of them. */
  isIndexed?: boolean
  /** So do their orders. */
  isOrdered?: boolean
  /** The records are a load's: their texts go to pages. */
  isLoaded?: boolean
}
