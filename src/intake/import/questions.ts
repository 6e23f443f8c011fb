/**
 * Columns most of whose values can't be what their field means, as amounts of a round that are below 10,000 dollars. They are stored
 * as they are, and the operator is asked: nothing is guessed.
 */
import { targetText } from './column-meanings.ts'
import type { Fields } from './fields/types.ts'
import type { Stored } from './fields/values.ts'

/** A column of a file that the operator is asked about. */
export interface ColumnQuestion {
  field: string
  column: string
  /** How many of its values are odd, of how many. */
  count: number
  of: number
  /** The oddity in words: `amounts are below $10,000`. */
  oddity: string
  /** The unit that they may have, where it is one: `{ name: 'millions', factor: 1e6 }`. */
  unit?: Unit | undefined
  /** The first of them. */
  value: string | number
  row: number
  line?: number | undefined
}

export interface Unit {
  name: string
  factor: number
}

/** Units that amounts are written in, the largest first, each with the number below which most values are then. */
export const UNITS: readonly (Unit & { below: number })[] = [
  { name: 'millions', factor: 1e6, below: 1_000 },
  { name: 'thousands', factor: 1e3, below: 10_000 },
]

/** Fewer values tell nothing of a column. */
const LEAST_VALUES = 3
/** The share of odd values from which a column is asked about. */
const MOST_OF_THEM = 0.8

interface Odd {
  of: number
  count: number
  /** Odd numbers below what each of `UNITS` says. */
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

  /** Notes a value as it is stored. */
  add(
    field: string,
    value: Stored | undefined,
    { number, line }: { number: number; line?: number | undefined },
  ) {
    const doubt = this.#fields[field]?.doubt
    if (!doubt || (typeof value !== 'string' && typeof value !== 'number')) return
    const known = this.#odd.get(field) ?? {
      ...{ of: 0, count: 0, below: UNITS.map(() => 0), first: undefined },
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
        ...{ field, column: columnOf(field), count, of, oddity: doubt.oddity, ...first },
        ...(doubt.hasUnit && unit && { unit: { name: unit.name, factor: unit.factor } }),
      }
    })
  }
}

/** The oddity of a column, as a sentence without its end. */
export const oddityText = ({ field, count, of, oddity, row, line, value }: ColumnQuestion) =>
  `${field}: ${count} of ${of} ${oddity} (first: ${value} in ${line === undefined ? `row ${row}` : `line ${line}`})`

/** The question as whoever types commands reads it, with what to type. */
export function questionText(question: ColumnQuestion): string {
  const { field, column, unit } = question
  const mapped = (factor: number) => `--map "${column}=${targetText({ field, factor })}"`
  const cure = unit
    ? `are they in ${unit.name}? If so, import again with ${mapped(unit.factor)}; if not, ${mapped(1)} says that they are right`
    : `is "${column}" the right column? If not, --map "${column}=" leaves it out`
  return `${oddityText(question)}: ${cure}`
}
