/** CSV as spreadsheets read it (RFC 4180). */

/** What makes a spreadsheet take a cell for a formula; tab and line breaks because some drop them first. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
/** A number is what it seems to be, also below zero. */
const NUMBER = /^-?\d+(\.\d+)?$/

export type CsvValue = string | number | boolean | null | undefined

/**
 * One line with its line break. A text that a spreadsheet would run as a formula gets an apostrophe in front:
 * what others wrote into a record must never be executed.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: CsvValue): string {
  const text = String(value ?? '')
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}
