/** Cleaners for values that aren't free text: closed sets, yes and no, UUIDs and lists. */
import { isUuid } from '../../database/uuid.ts'
import { type Cleaner, cleanText, InvalidValue, parsed, type Stored } from './clean.ts'
import { parseJson } from './json.ts'

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
