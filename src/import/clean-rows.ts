/** Cleans the rows of a source: every value as it is stored. */
import { InvalidValue, leaveNothingOut, type Warn } from './clean.ts'
import type { Fields } from './fields/field.ts'
import { findingOf, refusedRow } from './findings.ts'
import { hasKey } from './keyless.ts'
import type { SourceRow } from './read.ts'
import type { CleanRow, RecordSchema, Values } from './schema.ts'
import type { Finding } from './summary.ts'

/** A value of a field that can't be stored, or not whole. */
interface BadValue {
  field: string
  error: InvalidValue
}

/**
 * Cleans the rows of one source, one by one. A bad value refuses its row where the field is essential or `isStrict`;
 * else the row goes on as if it didn't have the field, with a warning (D125).
 */
export function rowCleaner(
  { fields: known, settle = (values) => values }: RecordSchema,
  isStrict: boolean,
  onUnknownField: (name: string) => void,
) {
  const clean = valuesCleaner(known, isStrict)
  return (source: SourceRow): { row: CleanRow } | { refusal: Finding } => {
    const { number, line } = source
    const place = { number, line }
    if ('refusal' in source) {
      return { refusal: refusedRow(place, source.refusal.field, source.refusal.reason) }
    }
    const { fields } = source
    for (const name of Object.keys(fields)) {
      if (!Object.hasOwn(known, name)) onUnknownField(name)
    }
    const { values, bad, cut } = clean(fields)
    if (bad.length + cut.length === 0) return { row: { ...place, values: settle(values) } }
    const saying = ({ field, error }: BadValue) => {
      const { message, part = fields[field] } = error
      return { field, message, part: known[field]?.isPrivate ? undefined : part }
    }
    const isKnownByKey = hasKey(values)
    const isNamed = Boolean(values.firstName || values.lastName)
    const fatal = bad.find(({ field }) => {
      const isEssential = known[field]?.isEssential
      if (isEssential === 'withoutKey') return isStrict || !isKnownByKey
      if (isEssential === 'withoutNames') return isStrict || !isNamed
      return isStrict || isEssential !== undefined
    })
    if (fatal) return { refusal: findingOf('refused', place, saying(fatal)) }
    const warnings = [...bad, ...cut].map((one) => findingOf('warning', place, saying(one)))
    return { row: { ...place, values: settle(values), warnings } }
  }
}

/** Gives the clean values of a row: `bad` are those that can't be stored, `cut` those of which a part can't. */
function valuesCleaner(known: Fields, isStrict: boolean) {
  const cleaners = Object.entries(known)
  return (fields: Readonly<Record<string, unknown>>) => {
    const values: Values = {}
    const bad: BadValue[] = []
    const cut: BadValue[] = []
    let current = ''
    const warn: Warn = isStrict ? leaveNothingOut : (error) => cut.push({ field: current, error })
    for (const [field, { clean }] of cleaners) {
      if (!Object.hasOwn(fields, field)) continue
      current = field
      try {
        const value = clean(fields[field], warn)
        if (value !== undefined) values[field] = value
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error
        bad.push({ field, error })
      }
    }
    return { values, bad, cut }
  }
}
