/** Rows as the text of a file that the import reads back without loss. */
import { type CsvValue, csvLine } from '../../csv.ts'
import { plainFigure } from '../import/fields/figures.ts'
import type { Row } from './moment.ts'

export type Format = 'jsonl' | 'csv'

/** The text of all rows, some of them at a time. */
export async function* textOf(
  format: Format,
  columns: readonly string[],
  slices: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(columns)
  const lineOf = format === 'csv' ? csvLineOf(columns) : jsonLineOf(columns)
  for await (const rows of slices) yield rows.map(lineOf).join('')
}

const jsonLineOf = (columns: readonly string[]) => (row: Row) =>
  `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])))}\n`

const csvLineOf = (columns: readonly string[]) => (row: Row) =>
  csvLine(columns.map((column) => cellOf(column, row[column])))

/** What the import takes for the end of an item, or for a list in JSON. */
const NEEDS_JSON = /[|;,]|^[[{]/

/** Lists of texts with `|` between their items, or as JSON where an item holds what separates; objects as JSON. */
function cellOf(column: string, value: unknown): CsvValue {
  if (Array.isArray(value)) {
    // Blank would mean that the roles follow from the job title.
    if (value.length === 0) return column === 'roles' ? '[]' : ''
    const isPlain = value.every((item) => typeof item === 'string' && !NEEDS_JSON.test(item))
    return isPlain ? value.join('|') : JSON.stringify(value)
  }
  if (typeof value === 'number') return plainFigure(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvValue)
}
