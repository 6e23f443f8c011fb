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

/** What is read of a longer row to find its end: without one, a small packed file could keep an import reading for hours. */
const LONGEST_SKIPPED = 8 * LONGEST_ROW

/** @throws Error where a row that begins at `line` has come to `length` without an end. */
export function checkSkipped(line: number, length: number) {
  if (length <= LONGEST_SKIPPED) return
  throw new Error(
    `broken at line ${line}: a row of more than ${LONGEST_SKIPPED / LONGEST_ROW} MB; its line breaks or closing marks are missing`,
  )
}
