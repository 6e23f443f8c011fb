/** The export, the inverse of the import: the directory's records as files that the import reads. */

import { type CsvValue, csvLine } from '../../csv.ts'
import type { Database } from '../../database/client.ts'
import { plainFigure } from '../import/fields/figures.ts'
import { KINDS, type KindName } from '../import/summary.ts'
import { ExportedFile } from './files.ts'
import { type Reading, type Row, readMoment } from './moment.ts'
import { type Selection, selectionOf } from './selection.ts'

/** A file to be written. */
export interface Target {
  /** `-`: standard output. */
  path: string
  format: Format
  isGzipped: boolean
}

interface ExportOptions extends Reading {
  /** People with their private channels, in a file that only its owner may read. */
  withChannels?: boolean
  /** Replace files that are there. */
  force?: boolean
  /** Aborting leaves no file. */
  signal?: AbortSignal
}

/** Rows of each file that was written. */
export type Counts = Partial<Record<KindName, number>>

interface Output {
  kind: KindName
  format: Format
  selection: Selection
  file: ExportedFile
}

/**
 * Writes the files named, all as of one moment, each in the order of its records' ids. Two exports of the same state
 * are the same bytes. Either all files are written or, where anything fails before the last is whole, none.
 * @throws FileRefused, ChangedMeanwhile, DatabaseUnavailable, AbortError, the system's errors.
 */
export async function exportFiles(
  database: Database,
  targets: Partial<Record<KindName, Target>>,
  { withChannels = false, force = false, signal, ...reading }: ExportOptions,
): Promise<Counts> {
  const outputs: Output[] = []
  try {
    for (const kind of KINDS) {
      const target = targets[kind]
      if (!target) continue
      const { path, format, isGzipped } = target
      const isPrivate = withChannels && kind === 'people'
      const file = await ExportedFile.open(path, { isGzipped, isPrivate, force })
      outputs.push({ kind, format, selection: selectionOf(kind, withChannels), file })
    }
    const counts = await readMoment(database, reading, async (read) => {
      const counts: Counts = {}
      for (const { kind, format, selection, file } of outputs) {
        const rows = counted(read(selection), (total) => {
          counts[kind] = total
        })
        await file.write(textOf(format, selection.columns, rows), signal)
      }
      return counts
    })
    signal?.throwIfAborted()
    for (const { file } of outputs) await file.complete()
    for (const { file } of outputs) await file.place()
    return counts
  } catch (error) {
    await Promise.all(outputs.map(({ file }) => file.discard()))
    throw error
  }
}

async function* counted(
  slices: AsyncIterable<readonly Row[]>,
  onTotal: (total: number) => void,
): AsyncGenerator<readonly Row[]> {
  let total = 0
  onTotal(total)
  for await (const rows of slices) {
    total += rows.length
    onTotal(total)
    yield rows
  }
}

export type Format = 'jsonl' | 'csv'

/** The text of all rows, some of them at a time. */
async function* textOf(
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

/** An item with a separator in it, or one that looks like a list in JSON. */
const NEEDS_JSON = /[|;,]|^[[{]/

/** Lists of texts with `|` between their items, or as JSON where an item holds what separates; objects as JSON. */
function cellOf(column: string, value: unknown): CsvValue {
  if (Array.isArray(value)) {
    // A blank cell would mean that the roles follow from the job title.
    if (value.length === 0) return column === 'roles' ? '[]' : ''
    const isPlain = value.every((item) => typeof item === 'string' && !NEEDS_JSON.test(item))
    return isPlain ? value.join('|') : JSON.stringify(value)
  }
  if (typeof value === 'number') return plainFigure(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvValue)
}
