/** Cleaners for JSON: small objects and lists of them. */
import { RISK_LEVELS } from '../../contract/vocabulary.ts'
import { type Cleaner, cleanText, InvalidValue, text } from './clean.ts'
import { time } from './dates.ts'
import { parseJson } from './json.ts'
import { xHandle } from './links.ts'
import { list, oneOf } from './values.ts'

/** An array or object, or JSON text of one (a CSV cell). */
function structure(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  const written = cleanText(value, 100_000)
  if (written === null) return null
  try {
    return parseJson(written)
  } catch {
    throw new InvalidValue('not JSON')
  }
}

/** A list of objects, each a record of a few fields; nothing is `[]`. */
export const objectsIn = (value: unknown, mostItems: number): Record<string, unknown>[] =>
  listIn(value, mostItems).map(asObject)

/** A list; nothing is `[]`. */
export function listIn(value: unknown, mostItems: number): unknown[] {
  const given = structure(value) ?? []
  if (!Array.isArray(given)) throw new InvalidValue('not a list')
  if (given.length > mostItems) throw new InvalidValue(`more than ${mostItems} items`)
  return given
}

/** @throws InvalidValue */
export function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidValue('not an object')
  }
  return { ...value }
}

const MOST_PAST_HANDLES = 100
const MOST_REASONS = 50

/** `[{"handle", "seenAt"}]`, put oldest first. */
export const handleHistory: Cleaner = (value) => {
  const seen = objectsIn(value, MOST_PAST_HANDLES).map((fields) => {
    const handle = xHandle(fields.handle)
    const seenAt = time(fields.seenAt)
    if (handle === null || seenAt === null) throw new InvalidValue('handle or seenAt missing')
    return { handle, seenAt }
  })
  return seen.sort((a, b) => (a.seenAt < b.seenAt ? -1 : a.seenAt > b.seenAt ? 1 : 0))
}

const level = oneOf(RISK_LEVELS)
const reasons = list(text(500), MOST_REASONS)

/** `null` or `{"level", "reasons"}`. */
export const twitterRisk: Cleaner = (value) => {
  const given = structure(value)
  if (given === null) return null
  const fields = asObject(given)
  const stored = level(fields.level)
  if (stored === null) throw new InvalidValue('level missing')
  return { level: stored, reasons: reasons(fields.reasons) ?? [] }
}
