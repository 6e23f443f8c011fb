/**
 * Cleaning one value of a source row. A cleaner gives what to store, or throws `InvalidValue`. Reasons
 * never quote a value, for a row may hold private channels; those of dates and numbers name what the value may mean.
 */
import { isUuid } from '../../../database/uuid.ts'
import { parseJson } from '../formats/json.ts'
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

/**
 * One of a closed set, case ignored; blanks and `_` stand for `-`.
 * @param others further words, each with what it means.
 */
export const oneOf = (
  allowed: readonly string[],
  others: ReadonlyMap<string, string> = new Map(),
) =>
  parsed(100, (written) => {
    const given = written.toLowerCase().replace(/[ _]+/g, '-')
    const word = others.get(given) ?? given
    if (!allowed.includes(word)) throw new InvalidValue(`not one of ${allowed.join(', ')}`)
    return word
  })

/** `true` or `false`; nothing is null, the third state. An `x` is not taken: it stands for yes and for no. */
export const yesOrNo: Cleaner = (value) => (typeof value === 'boolean' ? value : yesOrNoText(value))

const yesOrNoText = parsed(100, (written) => {
  const word = written.replace(/\ufe0f/g, '')
  if (/^(?:true|t|yes|y|1|[✓✔✅☑])$/iu.test(word)) return true
  if (/^(?:false|f|no|n|0|[✗✘❌☐])$/iu.test(word)) return false
  throw new InvalidValue('neither yes nor no')
})

export const uuid = parsed(100, (written) => {
  if (!isUuid(written)) throw new InvalidValue('not a UUID')
  return written.toLowerCase()
})

const SEPARATORS = ['|', ';', ',']
const LONGEST_LIST = 100_000

/**
 * Items of an array, of JSON text of one, or of text with one separator between them: the first of `|`, `;` and `,` that
 * stands in it. So `Acme, Inc.|Beta` has two items. Where there is no bar, a line break separates too. Each item is taken
 * once; nothing is `[]`.
 */
export const list =
  (item: Cleaner, mostItems: number): Cleaner =>
  (value) => {
    const items = new Set<Stored>()
    for (const one of itemsOf(value)) {
      const stored = item(one)
      if (stored !== null && stored !== undefined) items.add(stored)
      if (items.size > mostItems) throw new InvalidValue(`more than ${mostItems} items`)
    }
    return [...items]
  }

/** Names of companies in a list: in `Acme, Inc., Beta` there are two. @throws InvalidValue */
export const companiesIn = (value: unknown): unknown[] => itemsOf(value, withLegalForms)

/**
 * The items of a list before they are cleaned.
 * @param joined puts together what commas cut.
 * @throws InvalidValue
 */
function itemsOf(
  value: unknown,
  joined: (items: string[]) => string[] = (items) => items,
): unknown[] {
  if (Array.isArray(value)) return value
  const written = cleanText(value, LONGEST_LIST)
  if (written === null) return []
  if (/^[[{]/.test(written)) return jsonList(written)
  const separator = SEPARATORS.find((mark) => written.includes(mark))
  if (separator === '|') return written.split(separator)
  // The lines of the cell: `written` has none any more.
  const lines =
    typeof value === 'string' ? value.trim().split(/\s*[\r\n\u2028\u2029]\s*/) : [written]
  const items = lines.flatMap((line) => (separator === undefined ? [line] : line.split(separator)))
  return separator === ',' ? joined(items) : items
}

/** What stands behind a comma in a company's name, and is no company itself. */
const LEGAL_FORM =
  /^(?:inc|incorporated|llc|l\.l\.c|llp|lp|l\.p|ltd|limited|corp|corporation|co|gmbh|ag|kg|s\.?a|s\.?r\.?l|s\.?a\.?s|b\.?v|n\.?v|pte|pty|plc|oy|ab|a\.?s|k\.k)\.?(?: (?:ltd|limited|inc|co)\.?)?$/i

/** `Acme, Inc., Beta` are two companies. */
function withLegalForms(items: readonly string[]): string[] {
  const whole: string[] = []
  for (const item of items) {
    const before = whole.at(-1)
    if (before !== undefined && LEGAL_FORM.test(item.trim()))
      whole[whole.length - 1] = `${before},${item}`
    else whole.push(item)
  }
  return whole
}

function jsonList(written: string): unknown[] {
  try {
    const given = parseJson(written)
    if (Array.isArray(given)) return given
  } catch {
    // Told below, as of JSON that is no list; the parser's own words quote the value.
  }
  throw new InvalidValue('not a JSON list, though it begins like JSON')
}

/** @throws InvalidValue */
export function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidValue('not an object')
  }
  return { ...value }
}
