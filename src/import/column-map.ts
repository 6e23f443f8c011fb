/** What the operator says that columns mean: `--map "Their column=field"`. */

/** One mapping; a field of `null` says that the column is to be ignored. */
export interface Mapping {
  column: string
  field: string | null
  /** How the operator gave it, for errors: `--map "Firma=name"`. */
  given: string
}

/** Mappings for all files of an import: one holds for each file that has its column. */
export class ColumnMap {
  readonly #mappings: readonly Mapping[]
  readonly #used = new Set<Mapping>()

  constructor(mappings: readonly Mapping[]) {
    this.#mappings = mappings
  }

  /**
   * The field of a column, `null` where it is to be ignored, `undefined` where nothing is said of it for a file with these
   * fields. The column's exact name comes first, then one of the same letters and digits.
   */
  use(column: string, fields: readonly string[]): string | null | undefined {
    const fitting = this.#mappings.filter(({ field }) => field === null || fields.includes(field))
    const mapping =
      fitting.find((one) => one.column === column.trim()) ??
      fitting.find((one) => lettersOf(one.column) === lettersOf(column) && lettersOf(column) !== '')
    if (!mapping) return undefined
    this.#used.add(mapping)
    return mapping.field
  }

  /** Mappings whose column no file had so far. */
  unused(): Mapping[] {
    return this.#mappings.filter((mapping) => !this.#used.has(mapping))
  }
}

/** A name's letters and digits alone, in lower case. */
export const lettersOf = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
