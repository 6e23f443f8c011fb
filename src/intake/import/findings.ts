/** Findings: refused rows, and values that were left out, with where they stand in the file. */
import type { Fields } from './fields/types.ts'
import { holdsEmail, type InvalidValue } from './fields/values.ts'
import type { SourceRow } from './read.ts'
import type { CleanRow } from './schema.ts'
import { ERASED, type Finding, type Reason, type Severity } from './summary.ts'

/** Characters of a value that a finding shows. */
const LONGEST_SHOWN = 200

export type Place = Pick<CleanRow, 'number' | 'line'>

/** Makes a finding of an error about a row, or about a value that was left out. */
export function findingOf(
  severity: Severity,
  { number, line }: Place,
  { field, message, part, alike }: Pick<InvalidValue, 'field' | 'message' | 'part' | 'alike'>,
): Finding {
  const value = shownValue(part)
  return { severity, row: number, line, field: field ?? null, reason: message, alike, value }
}

/** Makes a refusal of a row, as a whole where `field` is null. */
export const refusedRow = (
  { number, line }: Place,
  field: string | null,
  { reason, alike }: Reason,
): Finding => ({ severity: 'refused', row: number, line, field, reason, alike })

const ADDRESS = '(an e-mail address)'

/** Tells whether `shownValue` showed all of a value. */
export const isWhole = (shown: string): boolean =>
  shown.length <= LONGEST_SHOWN && shown !== ADDRESS

/** A value as it is, unless it holds an e-mail address: as an externalId, which CRMs make of it. */
export const withoutAddress = (value: unknown): unknown =>
  holdsEmail(textOf(value) ?? '') ? ADDRESS : value

const textOf = (value: unknown) => (typeof value === 'string' ? value : jsonOf(value))

/** Shortens a value for a finding; an e-mail address is private in whichever column it stands. */
export function shownValue(value: unknown): string | undefined {
  const text = value === null ? undefined : textOf(value)
  if (text === undefined) return undefined
  return holdsEmail(text) ? ADDRESS : beginningOf(text, LONGEST_SHOWN)
}

const LONGEST_LABEL = 80

/** Parts of a row that its findings show. */
export interface ShownRow {
  /** The public name of a company or person, else a key. */
  label?: string | undefined
  /** The value of the field at fault, unless that is a private channel. */
  value?: string | undefined
}

/** Tells what a finding shows of its row: nothing of an erased person's. */
export function shownOf(
  known: Fields,
  { field, reason }: Finding,
  row: SourceRow | undefined,
): ShownRow {
  if (!row || !('fields' in row) || reason === ERASED) return {}
  const { name, fullName, firstName, lastName, company } = row.fields
  const { domain, slug, twitterHandle, externalId } = row.fields
  const isText = (part: unknown) => typeof part === 'string' && part.trim() !== ''
  const names = [firstName, lastName].filter(isText).join(' ')
  const labels = [name, fullName, names, company, domain, slug, twitterHandle, externalId]
  const label = shownValue(labels.find(isText))?.slice(0, LONGEST_LABEL)
  const isPublic = field !== null && !known[field]?.isPrivate
  return { label, value: isPublic ? shownValue(row.fields[field]) : undefined }
}

/** Cuts a text to `most` characters. */
export const beginningOf = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`

/** A value as JSON; undefined for what has none, as a list within ten thousand others. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
