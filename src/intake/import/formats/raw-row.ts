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

/** As many as Excel's longest sheet has rows. */
const MOST_BLANK_LINES = 1_048_576
/** As such a sheet has where each row is sixty blank cells. */
const MOST_BLANK_BYTES = 64 * LONGEST_ROW

/**
 * The blank lines of a file, and its rows of blank cells. Spreadsheets write many; a small packed file could have gigabytes of
 * them, and keep an import busy for an hour.
 */
export class BlankLines {
  #lines = 0
  #bytes = 0

  /** @returns whether the file has no more of them, with these, than an import reads */
  add(lines: number, bytes: number): boolean {
    this.#lines += lines
    this.#bytes += bytes
    return this.#lines <= MOST_BLANK_LINES && this.#bytes <= MOST_BLANK_BYTES
  }
}

/** @param line the one by which the file had too many blank lines */
export const tooBlank = (line: number): Error =>
  new Error(
    `broken at line ${line}: more than ${MOST_BLANK_LINES} blank lines, or more than ${MOST_BLANK_BYTES / LONGEST_ROW} MB of them; save the file without them`,
  )
