/** CSV as spreadsheets read it (RFC 4180). */

/** A spreadsheet runs cells that begin so as formulas; some drop a tab or a line break before they look. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
/** Negative numbers begin with `-` too, and are safe. */
const NUMBER = /^-?\d+(\.\d+)?$/

export type CsvValue = string | number | boolean | null | undefined

/** One line with its line break. A text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: CsvValue): string {
  const text = String(value ?? '')
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}
