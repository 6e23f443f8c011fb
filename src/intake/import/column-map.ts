/** Meanings of columns, given by the operator: `--map "Their column=field"`, and in which unit: `--map "Raised=amountUsd*1e6"`. */

/** The field that a column means, and by how much its numbers are multiplied. */
export interface Target {
  field: string
  factor?: number | undefined
}

/** One mapping; a field of `null` says that the column is to be ignored. */
export interface Mapping {
  column: string
  field: string | null
  factor?: number | undefined
  /** How the operator gave it, for errors: `--map "Firma=name"`. */
  given: string
}

const FACTOR = /^\d+(?:\.\d+)?(?:e[+-]?\d{1,2})?$/i

/** Reads `amountUsd*1e6`. What stands behind `*` and is no number above zero makes the factor NaN. */
export function targetOf(text: string): Target {
  const [field = '', ...factors] = text.split('*').map((part) => part.trim())
  if (factors.length === 0) return { field }
  const written = factors.join('*')
  const factor = FACTOR.test(written) ? Number(written) : 0
  return { field, factor: factor > 0 ? factor : Number.NaN }
}

/** Why a column of this field can't have this factor; undefined where it can. */
export function unitProblem({ field, factor }: Target, isFigure = false): string | undefined {
  if (factor === undefined) return undefined
  if (!isFigure) return `${field} is not a number, so it takes no unit`
  if (Number.isNaN(factor)) return `give the unit as a number above zero, as in ${field}*1e6`
}

/** Writes what `targetOf` reads. */
export function targetText({ field, factor }: Target): string {
  if (factor === undefined) return field
  return `${field}*${factor >= 1_000 ? factor.toExponential().replace('+', '') : factor}`
}

/** Mappings for all files of an import: one holds for each file that has its column. */
export class ColumnMap {
  readonly #mappings: readonly Mapping[]
  readonly #first: ColumnMap | undefined
  readonly #used = new Set<Mapping>()

  /** @param first what it says of a column counts before these mappings */
  constructor(mappings: readonly Mapping[], first?: ColumnMap) {
    this.#mappings = mappings
    this.#first = first
  }

  /**
   * The field of a column, `null` where it is to be ignored, `undefined` where nothing is said of it for a file with these
   * fields. The column's exact name comes first, then one of the same letters and digits.
   */
  use(column: string, fields: readonly string[]): string | null | undefined {
    if (this.#first?.has(column, fields)) return this.#first.use(column, fields)
    const mapping = this.#find(column, fields)
    if (!mapping) return undefined
    this.#used.add(mapping)
    return mapping.field
  }

  /** By how much the numbers of a column are multiplied; undefined where nothing is said of that. */
  factorOf(column: string, fields: readonly string[]): number | undefined {
    if (this.#first?.has(column, fields)) return this.#first.factorOf(column, fields)
    return this.#find(column, fields)?.factor
  }

  /** Whether something is said of a column. */
  has(column: string, fields: readonly string[]): boolean {
    return this.#first?.has(column, fields) || this.#find(column, fields) !== undefined
  }

  #find(column: string, fields: readonly string[]): Mapping | undefined {
    const fitting = this.#mappings.filter(({ field }) => field === null || fields.includes(field))
    return (
      fitting.find((one) => one.column === column.trim()) ??
      fitting.find((one) => lettersOf(one.column) === lettersOf(column) && lettersOf(column) !== '')
    )
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
