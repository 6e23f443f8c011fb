/** CSV as spreadsheets read it (RFC 4180). */

/** A spreadsheet runs cells that begin so as formulas; some drop a tab or a line break before they look. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
/** An apostrophe that was put in front of such a text, or of one that has apostrophes of its own there. */
const GUARDED = /^'+[=+\-@\t\r\n＝＋－＠]/
/** Negative numbers begin with `-` too, and are safe. */
const NUMBER = /^-?\d+(\.\d+)?$/

export type CsvValue = string | number | boolean | null | undefined

/** One line with its line break. A text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: CsvValue): string {
  const text = String(value ?? '')
  const isRisky = (FORMULA.test(text) && !NUMBER.test(text)) || GUARDED.test(text)
  const safe = isRisky ? `'${text}` : text
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A cell's text without the apostrophe that `csvLine`, like other programs, puts in front of a formula. */
export const unguarded = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell)
