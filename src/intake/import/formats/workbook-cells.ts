/** Texts of a workbook's cells: dates, percentages and currencies are formats of numbers there, and a text has them in it. */
import { plainFigure } from '../fields/figures.ts'
import { NOT_COMPUTED } from '../fields/values.ts'

/** A cell as the sheet has it. */
export interface WorkbookCell {
  /** `s` shared text, `str` and `inlineStr` text, `b` yes or no, `e` error, `d` date, else a number. */
  type: string
  /** Number format, by `formatsOf`. */
  format: CellFormat | undefined
  /** Blank without a value. */
  value: string
  /** Undefined where the value is no result. */
  formula: string | undefined
}

/** What a number format says beyond how many digits are shown; undefined for nothing. */
export type CellFormat = 'date' | 'percent' | { currency: string } | undefined

/** Number formats that have no code in the file. */
const BUILT_IN_DATES = /^(?:1[4-9]|2[0-2]|2[7-9]|3[0-6]|4[5-7]|5[0-8])$/
const BUILT_IN_PERCENT = /^(?:9|10)$/

/** Reads a number format: its code, or its number where the file has no code. */
export function formatOf(id: string, code: string | undefined): CellFormat {
  if (code === undefined) {
    return BUILT_IN_DATES.test(id) ? 'date' : BUILT_IN_PERCENT.test(id) ? 'percent' : undefined
  }
  const [positive = ''] = code.split(';')
  const currency = /\[\$([^\]-]+)/.exec(positive)?.[1] ?? /\p{Sc}/u.exec(positive)?.[0]
  if (currency !== undefined && !/^(?:\$|US\$|USD)$/i.test(currency.trim())) {
    return { currency: currency.trim() }
  }
  // Texts, escaped characters, colours and conditions; elapsed hours are no date.
  const marks = positive.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|General/gi, '')
  return /[dmyhs]/i.test(marks) ? 'date' : marks.includes('%') ? 'percent' : undefined
}

const DAY_MS = 86_400_000
/** Day 0 of both calendars of workbooks. */
const SERIAL_START = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }
/** The first day that Excel and the calendar number alike, and the end of Excel's calendar. */
const [FIRST_DAY, LAST_DAY] = [61, 2_958_466]

export type Calendar = keyof typeof SERIAL_START

/** The text of a cell; a formula of a text, `="00123"`, as CSV has it. */
export function cellText(
  { type, format, value, formula }: WorkbookCell,
  calendar: Calendar,
): string {
  if (value === '' && formula !== undefined && type !== 'str') {
    return formula.startsWith('"') ? `=${formula}` : NOT_COMPUTED
  }
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type !== '' && type !== 'n') return value
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number)) return value
  // The digits stay as they are: an externalId that lost some is refused for that.
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER) return value
  if (format === 'date' && number >= FIRST_DAY && number < LAST_DAY)
    return dateText(number, calendar)
  if (format === 'percent') return `${plainFigure(rounded(number * 100))}%`
  const figure = plainFigure(rounded(number))
  return typeof format === 'object' ? `${format.currency} ${figure}` : figure
}

/** Spreadsheets compute with 15 digits, and store what the processor makes of it. */
const rounded = (number: number) =>
  Number.isInteger(number) ? number : Number(number.toPrecision(15))

function dateText(serial: number, calendar: Calendar): string {
  const at = new Date(SERIAL_START[calendar] + Math.round(serial * DAY_MS)).toISOString()
  return at.endsWith('T00:00:00.000Z') ? at.slice(0, 10) : at
}

/** Decodes `_x000D_`, by which workbooks write characters that XML can't hold. */
export const unescaped = (text: string): string =>
  text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
