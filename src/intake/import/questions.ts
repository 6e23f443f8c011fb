/**
 * Doubtful columns: most of their values are unlikely for the field, as amounts of a round below 10,000 dollars. They
 * are stored as they are, and the operator is asked: nothing is guessed.
 */
import { targetText } from './column-meanings.ts'
import type { Fields } from './fields/types.ts'
import type { Stored } from './fields/values.ts'

export interface ColumnQuestion {
  field: string
  column: string
  /** Number of odd values, and of all. */
  count: number
  of: number
  /** The oddity in words: `amounts are below $10,000`. */
  oddity: string
  /** Likely unit: `{ name: 'millions', factor: 1e6 }`. */
  unit?: Unit | undefined
  /** First odd value. */
  value: string | number
  row: number
  line?: number | undefined
}

interface Unit {
  name: string
  factor: number
}

/** Units of amounts, the largest first, each with the limit below which most values of such a column are. */
export const UNITS: readonly (Unit & { below: number })[] = [
  { name: 'millions', factor: 1e6, below: 1_000 },
  { name: 'thousands', factor: 1e3, below: 10_000 },
]

/** Least values that justify a question. */
const LEAST_VALUES = 3
/** Share of odd values that justifies a question. */
const MOST_OF_THEM = 0.8

interface Odd {
  of: number
  count: number
  /** Odd numbers below the limit of each of `UNITS`. */
  below: number[]
  first: Pick<ColumnQuestion, 'value' | 'row' | 'line'> | undefined
}

/** Collects the odd values of a file, field by field. */
export class OddValues {
  readonly #fields: Fields
  readonly #odd = new Map<string, Odd>()

  constructor(fields: Fields) {
    this.#fields = fields
  }

  add(
    field: string,
    value: Stored | undefined,
    { number, line }: { number: number; line?: number | undefined },
  ) {
    const doubt = this.#fields[field]?.doubt
    if (!doubt || (typeof value !== 'string' && typeof value !== 'number')) return
    const known = this.#odd.get(field) ?? {
      of: 0,
      count: 0,
      below: UNITS.map(() => 0),
      first: undefined,
    }
    this.#odd.set(field, known)
    known.of++
    if (!doubt.isOdd(value)) return
    known.count++
    known.first ??= { value, row: number, line }
    for (const [i, { below }] of UNITS.entries()) {
      if (typeof value === 'number' && value < below) known.below[i] = (known.below[i] ?? 0) + 1
    }
  }

  /** @param columnOf what the file calls a field */
  questions(columnOf: (field: string) => string): ColumnQuestion[] {
    return [...this.#odd].flatMap(([field, { of, count, below, first }]) => {
      const doubt = this.#fields[field]?.doubt
      if (!doubt || !first || of < LEAST_VALUES || count < of * MOST_OF_THEM) return []
      const unit = UNITS.find((_, i) => (below[i] ?? 0) * 2 > count)
      return {
        field,
        column: columnOf(field),
        count,
        of,
        oddity: doubt.oddity,
        ...first,
        ...(doubt.hasUnit && unit && { unit: { name: unit.name, factor: unit.factor } }),
      }
    })
  }
}

/** The oddity as a sentence without its end. */
export const oddityText = ({ field, count, of, oddity, row, line, value }: ColumnQuestion) =>
  `${field}: ${count} of ${of} ${oddity} (first: ${value} in ${line === undefined ? `row ${row}` : `line ${line}`})`

/** The question for the command line, with what to type. */
export function questionText(question: ColumnQuestion): string {
  const { field, column, unit } = question
  const mapped = (factor: number) => `--map "${column}=${targetText({ field, factor })}"`
  const cure = unit
    ? `are they in ${unit.name}? If so, import again with ${mapped(unit.factor)}; if not, ${mapped(1)} says that they are right`
    : `is "${column}" the right column? If not, --map "${column}=" leaves it out`
  return `${oddityText(question)}: ${cure}`
}
