/**
 * Cleaning one value of a source row. A cleaner gives what to store, or throws `InvalidValue`. Reasons
 * never quote a value, for a row may hold private channels; those of dates and numbers name what the value may mean.
 */
import type { DatesOfFile } from './date-orders.ts'

/** What can be stored, as JSON. */
export type Stored = string | number | boolean | null | Stored[] | { [name: string]: Stored }

/**
 * Takes a value as the source has it (from CSV always a string) and gives what to store. `null` is
 * "nothing" and clears the field; `undefined` means as if the row didn't have the field.
 */
export type Cleaner = (value: unknown, warn?: Warn, column?: ColumnOfFile) => Stored | undefined

/** The column of a value, as its cleaner needs it. */
export interface ColumnOfFile extends DatesOfFile {
  /** By how much its numbers are multiplied, as the operator said. */
  factor?: number | undefined
}

/** Told what was left out of a value that is stored without it, as one investor of a list. */
export type Warn = (leftOut: InvalidValue) => void

/** A value, or a row for the sake of `field`, can't be stored. The message says why, without quoting it. */
export class InvalidValue extends Error {
  readonly field: string | undefined
  /** The part of the field's value that is at fault, where it is not the whole; never of a private field. */
  readonly part: unknown
  /** What the reason has in common with others that differ in readings, records or rows alone: they are counted as one. */
  readonly alike: string | undefined

  constructor(reason: string, { field, part, alike }: Partial<InvalidValue> = {}) {
    super(reason)
    this.field = field
    this.part = part
    this.alike = alike
  }
}

/** For `Warn`, where nothing may be left out. @throws InvalidValue */
export const leaveNothingOut: Warn = (leftOut) => {
  throw leftOut
}

/** What `work` gives; an InvalidValue goes to `warn` instead. */
export function orWarn<T>(warn: Warn, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    warn(error)
    return undefined
  }
}

/**
 * The items of a list that can be stored; `warn` is told of the others.
 * @throws InvalidValue, of the last one, where none can: then the list as a whole says nothing.
 */
export function soundOf<T, U>(items: readonly T[], clean: (item: T) => U, warn: Warn): U[] {
  const leftOut: InvalidValue[] = []
  const sound: U[] = []
  for (const item of items) {
    orWarn(
      (error) => leftOut.push(error),
      () => sound.push(clean(item)),
    )
  }
  const last = sound.length === 0 ? leftOut.pop() : undefined
  leftOut.forEach(warn)
  if (last) throw last
  return sound
}

/** Zero-width and direction marks, soft hyphens and control characters: nobody typed them on purpose. */
const INVISIBLE = /[\p{Cc}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069]/gu
/** Joiners shape emoji and Indic or Persian letters; next to ASCII or an edge they are dirt. */
const STRAY_JOINER = /(?<!\P{ASCII})[\u200c\u200d]+|[\u200c\u200d]+(?!\P{ASCII})/gu
/** A local part, so that `medium.com/@acme` is none. */
const EMAIL = /[\p{L}\p{N}._%+-]@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/u

/** Whether an e-mail address stands in a text: it is private wherever it stands. */
export const holdsEmail = (written: string): boolean => EMAIL.test(written)

/** What people write into a cell to say that there is nothing. */
const NOTHING = /^([-\u2013\u2014]+|n\/a|n\. ?a\.)$/i

/** What spreadsheets write into a cell whose formula fails. */
const BROKEN_FORMULA =
  /^(?:#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|ERROR!)|Err:5\d\d)$/i

/** Whether a value says that there is nothing. */
export const isNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && isBlank(value.trim()))

const isBlank = (written: string) => written === '' || NOTHING.test(written)

const ROUNDED = 'too long a number to keep all of its digits: write it in quotes'

/**
 * Text as it can be shown on one line: NFC, white space and line breaks collapsed, zero-width
 * characters gone, trimmed. Blank, dashes alone, `n/a` and `n.a.` are null. `limit` is in UTF-16 units.
 */
export function cleanText(value: unknown, limit: number): string | null {
  if (value === null || value === undefined) return null
  if (typeof value !== 'string' && typeof value !== 'number') throw new InvalidValue('not text')
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new InvalidValue(ROUNDED)
  const raw = String(value)
  if (raw.includes('\0')) throw new InvalidValue('contains NUL')
  if (!raw.isWellFormed()) throw new InvalidValue('is not well-formed Unicode')
  // Readers put U+FFFD where bytes are not UTF-8: stored, the damage would last.
  if (raw.includes('\ufffd'))
    throw new InvalidValue(
      'is not UTF-8, or was damaged on its way (U+FFFD): save the file as UTF-8',
    )
  // Composed first, as that can make ASCII letters, and last, as marks may have come together: cleaning once is enough.
  const text = raw
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .replace(STRAY_JOINER, '')
    .replace(/ {2,}/g, ' ')
    .trim()
    .normalize('NFC')
  if (isBlank(text)) return null
  if (BROKEN_FORMULA.test(text)) {
    throw new InvalidValue("a spreadsheet's formula that failed: mend it, or empty the cell")
  }
  if (text.length > limit) throw new InvalidValue(`longer than ${limit} characters`)
  return text
}

/** Text of at most `limit` characters. */
export const text = (limit: number) => parsed(limit, (written) => written)

/** Text of at most `limit` characters, parsed; nothing is null. */
export const parsed =
  <T extends Stored>(limit: number, parse: (written: string) => T) =>
  (value: unknown): T | null => {
    const written = cleanText(value, limit)
    return written === null ? null : parse(written)
  }

/** A field that can't be nothing. */
export const required =
  (cleaner: Cleaner): Cleaner =>
  (...given) => {
    const stored = cleaner(...given)
    if (stored === null || stored === undefined) throw new InvalidValue('missing')
    return stored
  }

/** A field that has a value of its own when it is cleared. */
export const orElse =
  (cleaner: Cleaner, fallback: Stored): Cleaner =>
  (...given) =>
    cleaner(...given) ?? fallback

/** A field that can't be cleared: nothing means that the stored value stays. */
export const orKeep =
  (cleaner: Cleaner): Cleaner =>
  (...given) =>
    cleaner(...given) ?? undefined
