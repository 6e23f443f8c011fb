/** CSV as spreadsheets read it (RFC 4180). */

/** The beginning of cells that spreadsheets run as formulas; some skip blanks, a tab or a line break first. */
const FORMULA = /^(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/
/** The beginning of a guarded cell: apostrophes before such a text. */
const GUARDED = /^'+(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/
/** Negative numbers begin with `-` too, and are safe. */
const NUMBER = /^-?\d+(\.\d+)?$/
/** Phone numbers begin with `+`, and are safe. */
const PHONE = /^\+(?:[ ()./-]*\d){7,15}$/
/** First character of a file from which spreadsheets know that it is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF'

/**
 * The beginning of another cell where a spreadsheet splits by semicolons or tabs: quotes don't keep the text together then,
 * because they stand in the middle of a cell.
 */
const INNER_FORMULA = /[;\t\r\n]["\s]*(?=('*[=+\-@＝＋－＠])?)/g
/** Takes a run of blanks whole where nothing is guarded behind it too: read again from each blank, a long one would hold the process up. */
const INNER_GUARDED = /([;\t\r\n]["\s]*)(?:'(?='*[=+\-@＝＋－＠]))?/g

export type CsvValue = string | number | boolean | null | undefined

/** One line with its line break. What a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: CsvValue): string {
  const text = String(value ?? '')
  const isRisky =
    (FORMULA.test(text) && !NUMBER.test(text) && !PHONE.test(text)) || GUARDED.test(text)
  const safe = (isRisky ? `'${text}` : text).replace(INNER_FORMULA, (gap, formula?: string) =>
    formula === undefined ? gap : `${gap}'`,
  )
  return /[",;\t\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A cell's text without the apostrophes that `csvLine`, like other programs, puts in front of formulas. */
export function unguarded(cell: string): string {
  const text = cell.replace(INNER_GUARDED, '$1')
  return GUARDED.test(text) ? text.slice(1) : text
}
