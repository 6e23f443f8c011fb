/** Findings: refused rows, and values that were left out, with where they stand in the file. */
import { holdsEmail, type InvalidValue } from './fields/values.ts'
import type { CleanRow } from './schema.ts'
import type { Finding, Reason, Severity } from './summary.ts'

/** Characters of a value that a finding shows. */
const LONGEST_SHOWN = 200

/** Where a row stands in its file. */
export type Place = Pick<CleanRow, 'number' | 'line'>

/** What an error says of a row, or of the value that it was stored without. */
export function findingOf(
  severity: Severity,
  { number, line }: Place,
  { field, message, part, alike }: Pick<InvalidValue, 'field' | 'message' | 'part' | 'alike'>,
): Finding {
  const value = shownValue(part)
  return { severity, row: number, line, field: field ?? null, reason: message, alike, value }
}

/** A row that is refused, as a whole where `field` is null. */
export const refusedRow = (
  { number, line }: Place,
  field: string | null,
  { reason, alike }: Reason,
): Finding => ({ severity: 'refused', row: number, line, field, reason, alike })

/** What stands for an e-mail address. */
const ADDRESS = '(an e-mail address)'

/** Whether a value that `shownValue` gave is all that the file has. */
export const isWhole = (shown: string): boolean =>
  shown.length <= LONGEST_SHOWN && shown !== ADDRESS

/** A value of a file as a finding shows it; an e-mail address is private in whichever column it stands. */
export function shownValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const text = typeof value === 'string' ? value : jsonOf(value)
  if (text === undefined) return undefined
  if (holdsEmail(text)) return ADDRESS
  return beginningOf(text, LONGEST_SHOWN)
}

/** A text, or its beginning where it has more characters than `most`. */
export const beginningOf = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`

/** Rows of programs may hold what JSON can't. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
