/** Cleans the rows of a source: every value as it is stored. */
import { InvalidValue } from './clean.ts'
import type { SourceRow } from './read.ts'
import type { CleanRow, RecordSchema, Values } from './schema.ts'
import type { Refusal } from './summary.ts'

/** Cleans the rows of one source, one by one. */
export function rowCleaner(
  { fields: known, settle = (values) => values }: RecordSchema,
  onUnknownField: (name: string) => void,
) {
  return (source: SourceRow): { row: CleanRow } | { refusal: Refusal } => {
    if ('refusal' in source) return source
    const { number, fields } = source
    for (const name of Object.keys(fields)) {
      if (!Object.hasOwn(known, name)) onUnknownField(name)
    }
    const values: Values = {}
    let refusal: Refusal | undefined
    for (const [field, { clean }] of Object.entries(known)) {
      if (!Object.hasOwn(fields, field)) continue
      try {
        const value = clean(fields[field])
        if (value !== undefined) values[field] = value
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error
        refusal ??= { row: number, field, reason: error.message }
      }
    }
    return refusal ? { refusal } : { row: { number, values: settle(values) } }
  }
}
