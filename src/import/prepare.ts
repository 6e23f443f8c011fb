/** A source row made into a candidate: every value clean, an identity in any case. */
import { Unfit } from './clean.ts'
import type { Candidate, Kind, Values } from './kind.ts'
import type { SourceRow } from './rows.ts'
import type { Refusal } from './summary.ts'

export type Prepared = { candidate: Candidate } | { refusal: Refusal }

/**
 * Prepares the rows of one source, in order. It counts rows that bring no id, externalId or slug by
 * their name: the second "Ann Example" of a file is the second one again when the file comes again.
 */
export class Preparer {
  readonly #kind: Kind
  readonly #onUnknownField: (name: string) => void
  /** Grows with the number of different names among rows without a key, and by nothing else. */
  readonly #namesSeen = new Map<string, number>()

  constructor(kind: Kind, onUnknownField: (name: string) => void) {
    this.#kind = kind
    this.#onUnknownField = onUnknownField
  }

  prepare(row: SourceRow): Prepared {
    if ('refusal' in row) return { refusal: row.refusal }
    const { number, fields } = row
    for (const name of Object.keys(fields)) {
      if (!Object.hasOwn(this.#kind.fields, name)) this.#onUnknownField(name)
    }
    const values: Values = {}
    let refusal: Refusal | undefined
    for (const [field, clean] of Object.entries(this.#kind.fields)) {
      if (!Object.hasOwn(fields, field)) continue
      try {
        const value = clean(fields[field])
        if (value !== undefined) values[field] = value
      } catch (error) {
        if (!(error instanceof Unfit)) throw error
        refusal ??= { row: number, field, reason: error.message }
      }
    }
    // A refused row is counted too, so that the rows after it keep their identity once it is mended.
    this.#identify(values)
    return refusal ? { refusal } : { candidate: { number, values } }
  }

  /** Gives a row without any key an externalId made from its name and the name's count so far. */
  #identify(values: Values) {
    if (values.id !== undefined || values.externalId !== undefined || values.slug !== undefined) {
      return
    }
    const name = this.#kind.nameKey(values)
    const count = (this.#namesSeen.get(name) ?? 0) + 1
    this.#namesSeen.set(name, count)
    values.externalId = `by-name:${name}#${count}`
  }
}
