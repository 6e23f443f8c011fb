/**
 * Cleaners of single values. A cleaner returns what to store, or throws `InvalidValue`. Reasons never quote a value, for
 * a row may hold private channels; those of dates and numbers name the possible readings.
 */
import { uuidOf } from '../../../database/uuid.ts'
import { parseJson } from '../formats/json.ts'
import type { DatesOfFile } from './date-orders.ts'

/** A value to store, as JSON. */
export type Stored = string | number | boolean | null | Stored[] | { [name: string]: Stored }

/**
 * Takes a raw value (from CSV always a string) and returns what to store. `null` is "nothing" and clears the field;
 * `undefined` leaves the field as if the row didn't have it.
 */
export type Cleaner = (value: unknown, warn?: Warn, column?: ColumnOfFile) => Stored | undefined

/** Settings of a value's column. */
export interface ColumnOfFile extends DatesOfFile {
  /** Multiplier of its numbers. */
  factor?: number | undefined
}

/** Called with each part left out of a value, as one investor of a list. */
export type Warn = (leftOut: InvalidValue) => void

/** A value, or a row for the sake of `field`, can't be stored. The message gives the reason without quoting it. */
export class InvalidValue extends Error {
  readonly field: string | undefined
  /** The part of the value at fault, where it is not the whole; never of a private field. */
  readonly part: unknown
  /** Common part of reasons that differ in readings, records or rows alone: they are counted as one. */
  readonly alike: string | undefined

  constructor(reason: string, { field, part, alike }: Partial<InvalidValue> = {}) {
    super(reason)
    this.field = field
    this.part = part
    this.alike = alike
  }
}

/** A `Warn` for strict imports. @throws InvalidValue */
export const leaveNothingOut: Warn = (leftOut) => {
  throw leftOut
}

/** Returns the result of `work`; an InvalidValue goes to `warn` instead. */
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
 * Returns the items of a list that can be stored; `warn` gets the others.
 * @throws InvalidValue of the last one where none can be stored: then the list as a whole says nothing
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

/** Tells whether a text holds an e-mail address, which is private wherever it stands. */
export const holdsEmail = (written: string): boolean => EMAIL.test(written)

/** Spellings of "nothing" in a cell. */
const NOTHING = /^([-\u2013\u2014]+|n\/a|n\. ?a\.)$/i

/** Errors of formulas in spreadsheets. */
const BROKEN_FORMULA =
  /^(?:#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|ERROR!)|Err:5\d\d)$/i

export const isNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && isBlank(value.trim()))

const isBlank = (written: string) => written === '' || NOTHING.test(written)

/** Cell of a workbook whose formula no spreadsheet has computed: a blank would clear the field. */
export const NOT_COMPUTED = '#NOT COMPUTED!'

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
  // Readers put U+FFFD for bytes that are not UTF-8: stored, the damage would last.
  if (raw.includes('\ufffd'))
    throw new InvalidValue(
      'is not UTF-8, or was damaged on its way (U+FFFD): save the file as UTF-8',
    )
  // Composed first, because that can make ASCII letters, and last, because marks may have come together: cleaning
  // once is enough.
  const text = raw
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .replace(STRAY_JOINER, '')
    .replace(/ {2,}/g, ' ')
    .trim()
    .normalize('NFC')
  if (isBlank(text)) return null
  if (text === NOT_COMPUTED) {
    throw new InvalidValue(
      'a formula without its result: open the file in a spreadsheet and save it',
    )
  }
  if (BROKEN_FORMULA.test(text)) {
    throw new InvalidValue("a spreadsheet's formula that failed: mend it, or empty the cell")
  }
  if (text.length > limit) throw new InvalidValue(`longer than ${limit} characters`)
  return text
}

export const text = (limit: number) => parsed(limit, (written) => written)

/** Makes a cleaner that parses text of at most `limit` characters; nothing is null. */
export const parsed =
  <T extends Stored>(limit: number, parse: (written: string) => T) =>
  (value: unknown): T | null => {
    const written = cleanText(value, limit)
    return written === null ? null : parse(written)
  }

/**
 * Makes a cleaner of a closed set, case ignored; blanks and `_` stand for `-`.
 * @param others further words with their meanings
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
  const id = uuidOf(written)
  if (id === undefined) throw new InvalidValue('not a UUID')
  return id
})

const SEPARATORS = ['|', ';', ',']
const LONGEST_LIST = 100_000

/**
 * Makes a cleaner of lists: an array, JSON text of one, or text with one separator between items, the first of `|`, `;`
 * and `,` in it. So `Acme, Inc.|Beta` has two items. Without a bar, a line break separates too. Each item is taken once;
 * nothing is `[]`.
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

/** Splits a list of companies: `Acme, Inc., Beta` are two. @throws InvalidValue */
export const companiesIn = (value: unknown): unknown[] => itemsOf(value, withLegalForms)

/**
 * Splits a list without cleaning its items.
 * @param joined rejoins items that commas cut
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
  // Split from `value`, because `written` has no line breaks any more.
  const lines =
    typeof value === 'string' ? value.trim().split(/\s*[\r\n\u2028\u2029]\s*/) : [written]
  const items = lines.flatMap((line) => (separator === undefined ? [line] : line.split(separator)))
  return separator === ',' ? joined(items) : items
}

/** Legal forms behind a comma in a company's name. */
const LEGAL_FORM =
  /^(?:inc|incorporated|llc|l\.l\.c|llp|lp|l\.p|ltd|limited|corp|corporation|co|gmbh|ag|kg|s\.?a|s\.?r\.?l|s\.?a\.?s|b\.?v|n\.?v|pte|pty|plc|oy|ab|a\.?s|k\.k)\.?(?: (?:ltd|limited|inc|co)\.?)?$/i

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
    // Refused below, without the parser's message, which quotes the value.
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
