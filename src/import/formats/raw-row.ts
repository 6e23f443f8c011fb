/** A row as its file has it. */

/**
 * `line` is where the row begins in the file, from 1. `reason` is why it can't be read; like every reason it never
 * quotes the row, which may hold private channels.
 */
export type RawRow =
  | { line: number; cells: readonly string[] }
  | { line: number; fields: Readonly<Record<string, unknown>> }
  | { line: number; reason: string }

/** Longest row in bytes (JSON) or characters (CSV). */
export const LONGEST_ROW = 1_048_576
