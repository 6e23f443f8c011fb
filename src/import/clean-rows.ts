/** Cleans the rows of a source: every value as it is stored, and a key for each row. */
import { InvalidValue } from './clean.ts'
import type { SourceRow } from './read.ts'
import type { CleanRow, RecordSchema, Values } from './schema.ts'
import type { Refusal } from './summary.ts'

/**
 * Cleans the rows of one source, in order. It counts rows without id, externalId and slug by their name:
 * the second "Ann Example" of a file is the second one again when the file is imported again.
 */
export function rowCleaner(
  { fields: cleaners, nameKey }: RecordSchema,
  onUnknownField: (name: string) => void,
) {
  /** Grows with the number of different names among rows without a key, and by nothing else. */
  const namesSeen = new Map<string, number>()

  /** Gives a row without any key an externalId made from its name and the name's count so far. */
  function ensureKey(values: Values) {
    if ((values.id ?? values.externalId ?? values.slug) !== undefined) return
    const name = nameKey(values)
    const count = (namesSeen.get(name) ?? 0) + 1
    namesSeen.set(name, count)
    values.externalId = `by-name:${name}#${count}`
  }

  return (source: SourceRow): { row: CleanRow } | { refusal: Refusal } => {
    if ('refusal' in source) return source
    const { number, fields } = source
    for (const name of Object.keys(fields)) {
      if (!Object.hasOwn(cleaners, name)) onUnknownField(name)
    }
    const values: Values = {}
    let refusal: Refusal | undefined
    for (const [field, clean] of Object.entries(cleaners)) {
      if (!Object.hasOwn(fields, field)) continue
      try {
        const value = clean(fields[field])
        if (value !== undefined) values[field] = value
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error
        refusal ??= { row: number, field, reason: error.message }
      }
    }
    // A refused row is counted too, so that the rows after it keep their identity once it is corrected.
    ensureKey(values)
    return refusal ? { refusal } : { row: { number, values } }
  }
}
