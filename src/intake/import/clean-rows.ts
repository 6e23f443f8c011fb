/** Cleans the rows of a source: every value as it is stored. */
import type { DateEvidence, DateInFigures, DateOrder } from './fields/date-orders.ts'
import type { Fields, Values } from './fields/types.ts'
import {
  type ColumnOfFile,
  InvalidValue,
  isNothing,
  leaveNothingOut,
  type Warn,
} from './fields/values.ts'
import { findingOf, type Place, refusedRow } from './findings.ts'
import { hasKey } from './keyless.ts'
import type { OddValues } from './questions.ts'
import type { SourceRow } from './read.ts'
import type { CleanRow, RecordSchema } from './schema.ts'
import type { Finding } from './summary.ts'

/** A field's value that can't be stored, or only in part. */
interface BadValue {
  field: string
  error: InvalidValue
}

/** Settings of the operator, and collectors of what is met. */
export interface Reading {
  /** The order of day, month and year in all of its dates. */
  dateOrder?: DateOrder | undefined
  dateEvidence?: DateEvidence
  oddValues?: OddValues
  /** Values of fields for rows that have nothing in them. */
  fill?: Readonly<Record<string, string>> | undefined
}

/**
 * Cleans the rows of one source, one by one. A bad value refuses its row where the field is essential or `isStrict`;
 * else the row goes on as if it didn't have the field, with a warning.
 */
export function rowCleaner(
  { fields: known, settle = (values) => values }: RecordSchema,
  isStrict: boolean,
  onUnknownField: (name: string) => void,
  { dateOrder, dateEvidence, oddValues, fill }: Reading = {},
) {
  let place: Place = { number: 0 }
  const clean = valuesCleaner(known, isStrict, dateOrder, (field, date) =>
    dateEvidence?.add(field, place, date),
  )
  return (source: SourceRow): { row: CleanRow } | { refusal: Finding } => {
    const { number, line } = source
    place = { number, line }
    if ('refusal' in source) {
      return { refusal: refusedRow(place, source.refusal.field, source.refusal) }
    }
    const fields = fill ? filled(source.fields, fill) : source.fields
    for (const name of Object.keys(fields)) {
      if (!Object.hasOwn(known, name)) onUnknownField(name)
    }
    // A fill value is in no unit of the file.
    const factorOf = (field: string) =>
      fields[field] === source.fields[field] ? source.factors?.[field] : undefined
    const { values, bad, cut } = clean(fields, factorOf)
    for (const [field, value] of Object.entries(values)) {
      if (source.factors?.[field] === undefined) oddValues?.add(field, value, place)
    }
    if (bad.length + cut.length === 0) return { row: { ...place, values: settle(values) } }
    const saying = ({ field, error }: BadValue) => {
      const { message, alike, part = fields[field] } = error
      return { field, message, alike, part: known[field]?.isPrivate ? undefined : part }
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

/** A row's fields, with values for those in which it has nothing. */
function filled(
  fields: Readonly<Record<string, unknown>>,
  fill: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const missing = Object.entries(fill).filter(
    ([field]) => fields[field] === undefined || isNothing(fields[field]),
  )
  return missing.length === 0 ? fields : { ...fields, ...Object.fromEntries(missing) }
}

/** Cleans the values of a row: `bad` can't be stored, of `cut` a part can't. */
function valuesCleaner(
  known: Fields,
  isStrict: boolean,
  order: DateOrder | undefined,
  onDate: (field: string, date: DateInFigures) => void,
) {
  const cleaners = Object.entries(known)
  let current = ''
  const column: ColumnOfFile = { order, onOrders: (date) => onDate(current, date) }
  return (
    fields: Readonly<Record<string, unknown>>,
    factorOf: (field: string) => number | undefined,
  ) => {
    const values: Values = {}
    const bad: BadValue[] = []
    const cut: BadValue[] = []
    const warn: Warn = isStrict ? leaveNothingOut : (error) => cut.push({ field: current, error })
    for (const [field, { clean }] of cleaners) {
      if (!Object.hasOwn(fields, field)) continue
      current = field
      try {
        column.factor = factorOf(field)
        const value = clean(fields[field], warn, column)
        if (value !== undefined) values[field] = value
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error
        bad.push({ field, error })
      }
    }
    return { values, bad, cut }
  }
}
