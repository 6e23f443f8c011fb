/** Rows that a store takes in together. */
import type { Rows, TableName } from './rows.ts'

/** Rows by id as the database has them now; an id without a row is a record that is gone. */
export type RowsById = { [T in TableName]: Map<string, Rows[T] | null> }

export interface Batch extends RowsById {
  /** The records are new, and their search index comes beside them instead of being made of them. */
  isIndexed?: boolean
  /** The records are a load's: their texts go to pages. */
  isLoaded?: boolean
}
