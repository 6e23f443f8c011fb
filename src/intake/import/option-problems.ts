/** Problems of what an operator says for a whole file: the fields that columns mean, and values that fill blanks. */
import { type Target, unitProblem } from './column-meanings.ts'
import type { DateOrder } from './fields/date-orders.ts'
import { type ColumnOfFile, InvalidValue } from './fields/values.ts'
import { FIELDS } from './kinds.ts'
import { columnsOf } from './read.ts'
import type { KindName } from './summary.ts'

/** Explains why no column can mean this field; undefined where one can. */
export function targetProblem(kinds: readonly KindName[], target: Target): string | undefined {
  const having = kindsWith(kinds, target.field)
  if (having.length === 0) return noField(kinds, target.field)
  const [problem] = having.flatMap(
    (kind) => unitProblem(target, FIELDS[kind][target.field]?.isFigure) ?? [],
  )
  return problem
}

/** Keys can't be filled: the same value in many rows would make one record of them all. */
const KEYS = ['id', 'externalId', 'slug']

/** Explains why a value can't fill the blanks of a field; undefined where it can. */
export function fillProblem(
  kinds: readonly KindName[],
  field: string,
  value: string,
  order?: DateOrder,
): string | undefined {
  const having = kindsWith(kinds, field)
  if (KEYS.includes(field)) return "a key is a single record's, and can't be filled"
  if (having.length === 0) return noField(kinds, field)
  if (having.some((kind) => FIELDS[kind][field]?.isPrivate))
    return "a private channel is a single person's, and can't be filled"
  if (value.trim() === '') return 'give the value to fill in'
  return having.map((kind) => valueProblem(kind, field, value, { order })).find(Boolean)
}

/** Explains why a value, given as a cell of CSV, can't be stored in a field; undefined where it can. */
export function valueProblem(
  kind: KindName,
  field: string,
  value: string,
  column: ColumnOfFile,
): string | undefined {
  try {
    FIELDS[kind][field]?.clean(value, undefined, column)
  } catch (error) {
    if (error instanceof InvalidValue) return error.message
    throw error
  }
}

/** The kinds whose files have a field. */
export const kindsWith = (kinds: readonly KindName[], field: string): KindName[] =>
  kinds.filter((kind) => Object.hasOwn(FIELDS[kind], field))

function noField(kinds: readonly KindName[], field: string): string {
  const [near] = kinds.flatMap((kind) => columnsOf(kind).likely(field) ?? [])
  const meant = near === undefined ? '' : ` (did you mean ${near}?)`
  const fields = kinds.map((kind) => `${kind} have ${Object.keys(FIELDS[kind]).join(', ')}`)
  return `${kinds.join(' and ')} have no field "${field}"${meant}: ${fields.join('; ')}`
}
