/**
 * A file of any of the formats as rows with fields, in constant memory. A row that can't be read is given as a refusal; a
 * file that can't be read on is thrown.
 */
import type { Readable } from 'node:stream'
import { decode, type RawRow, readHead } from './formats/bytes.ts'
import { readCsv } from './formats/csv.ts'
import { readJsonLines, readJsonList } from './formats/json.ts'
import { type Format, recognise, type Shape } from './formats/recognise.ts'
import { type Columns, ColumnsClash } from './header.ts'
import type { Reason, Refusal } from './summary.ts'
import { isTotals, TOTALS } from './totals.ts'

export { type Format, formatOf } from './formats/recognise.ts'

export interface Source {
  stream: Readable
  /** Absent: told by the file's beginning. */
  format?: Format | undefined
}

/**
 * A row by its place among the rows (a CSV header and blank lines don't count), and by the line where it begins in its
 * file; both from 1. A row in memory has no line.
 */
export type SourceRow = { number: number; line?: number } & (
  | {
      fields: Readonly<Record<string, unknown>>
      /** Columns by field, where the file's name for it is another. */
      columns?: Readonly<Record<string, string>> | undefined
      /** By how much the numbers of fields are multiplied. */
      factors?: Readonly<Record<string, number>> | undefined
    }
  | { refusal: Refusal }
)

/** A source whose beginning is read. */
export interface OpenedSource {
  /** Whether all of its columns are known already, by a header. */
  hasHeader: boolean
  rows: AsyncGenerator<SourceRow>
}

/** What was saved as a page, or is the page of a site that asks to sign in first. */
const MARKUP = /^\s*<(?:!doctype|html|head|body|table|svg|\?xml)\b/i

/** What no text has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/

/** Bytes by which format, delimiter and header are told. */
const HEAD_BYTES = 65_536

/** A source's rows as its file has them, its header among those of CSV. */
interface RawSource {
  isCsv: boolean
  /** The file's beginning. */
  head: Buffer
  raw: AsyncGenerator<RawRow>
}

/**
 * Reads a source's beginning, which tells its format; `columns` say what its header may be.
 * @throws as `openSource`
 */
export async function openRaw(
  { stream, format }: Source,
  columns: Columns,
  onBytes?: (bytes: number) => void,
): Promise<RawSource> {
  const { head, chunks } = await readHead(decode(stream, onBytes), HEAD_BYTES)
  if (MARKUP.test(head.toString('latin1', 0, 1_000))) {
    throw new Error('not rows but a web page or XML: save the table itself as CSV')
  }
  const shape = recognise(head, format, (key) => columns.isField(key))
  if (shape !== 'csv') return { isCsv: false, head, raw: readJson(shape, chunks, head) }
  return { isCsv: true, head, raw: readCsv(chunks, head, (header) => knownIn(header, columns)) }
}

const knownIn = (header: readonly string[], columns: Columns): number =>
  header.filter((column) => columns.isField(column.trim())).length

/** What stands in a header's cells; nothing where it can't be read. */
export const headerOf = (first: RawRow): string[] =>
  'cells' in first ? first.cells.map((name) => name.trim()) : []

/**
 * Reads a source's beginning: its format and, of CSV, its header.
 * @param onBytes told of each chunk's length, for progress.
 * @throws Error where its format is not what it should be, or what the stream fails with. So does `rows`.
 */
export async function openSource(
  source: Source,
  columns: Columns,
  onBytes?: (bytes: number) => void,
): Promise<OpenedSource> {
  const { isCsv, head, raw } = await openRaw(source, columns, onBytes)
  if (!isCsv) return { hasHeader: false, rows: objectRows(raw, columns) }
  const { value: first } = await raw.next()
  if (!first) return { hasHeader: false, rows: cellRows(raw, [], columns) }
  const header = headerOf(first)
  if (knownIn(header, columns) === 0) throw new Error(noHeader(head, columns))
  // Two columns of one field are an error: before any row of any file is stored.
  columns.meaningsOf(header)
  return { hasHeader: true, rows: cellRows(raw, header, columns) }
}

/** Why a file that is no JSON has no header. What it holds is not quoted: it may be somebody's row. */
function noHeader(head: Buffer, { fields }: Columns): string {
  const text = head.toString('latin1')
  if (CONTROL.test(text)) return 'no header: not text. A table is read as CSV or JSON, also gzipped'
  if (/^\s*[[{]/.test(text)) return 'no header: not CSV but JSON. Name the file .json or .jsonl'
  return `no header: the first line names none of ${fields.join(', ')}; other names go by --map "Their column=field"`
}

function readJson(
  shape: Exclude<Shape, 'csv'>,
  chunks: AsyncIterable<Buffer>,
  head: Buffer,
): AsyncGenerator<RawRow> {
  if (shape === 'lines') return readJsonLines(chunks, head)
  return readJsonList(chunks, head, shape === 'objects' ? undefined : shape.listAt)
}

async function* cellRows(
  raw: AsyncIterable<RawRow>,
  header: readonly string[],
  known: Columns,
): AsyncGenerator<SourceRow> {
  const { names, columns, factors } = known.meaningsOf(header)
  const isKey = (column: number) => KEYS.includes(names[column] ?? '')
  const heading = header.map(folded)
  const isName = (cell: string, column: number) => folded(cell) === heading[column]
  const isHeading = (cells: readonly string[]) =>
    heading.every((_, column) => isName(cells[column] ?? '', column)) ||
    (cells.filter(isFilled).length > 1 &&
      cells.every((cell, column) => !isFilled(cell) || isName(cell, column)))
  let number = 0
  for await (const { row, isLast } of withLast(raw)) {
    number++
    if (!('cells' in row)) continue
    const { line, cells } = row
    if (isHeading(cells)) {
      yield refusedRow(number, line, { reason: HEADING })
      continue
    }
    if (isLast && isTotals(cells, isKey)) {
      yield refusedRow(number, line, { reason: TOTALS })
      continue
    }
    if (cells.length !== header.length && !isFitting(cells, header)) {
      yield refusedRow(number, line, {
        reason: `${cells.length} cells, the header has ${header.length}`,
        alike: 'not as many cells as the header',
      })
      continue
    }
    const fields: Record<string, string> = {}
    for (let i = 0; i < names.length; i++) {
      const name = names[i]
      const cell = cells[i] ?? ''
      // Spreadsheets write columns without a name beside the table.
      if (typeof name === 'string' && (name !== '' || !isBlank(cell))) fields[name] = cell
    }
    yield { number, line, fields, columns, factors }
  }
}

const folded = (cell: string) => cell.trim().toLowerCase()

/** Files that were put together have one for each. */
const HEADING = 'repeats the header: remove this row'

const KEYS = ['id', 'externalId', 'slug']

/** Rows, and whether each is the last of a whole file. */
async function* withLast(
  raw: AsyncIterable<RawRow>,
): AsyncGenerator<{ row: RawRow; isLast: boolean }> {
  let held: RawRow | undefined
  try {
    for await (const row of raw) {
      if (held) yield { row: held, isLast: false }
      held = row
    }
  } catch (error) {
    if (held) yield { row: held, isLast: false }
    throw error
  }
  if (held) yield { row: held, isLast: true }
}

async function* objectRows(raw: AsyncIterable<RawRow>, known: Columns): AsyncGenerator<SourceRow> {
  let number = 0
  for await (const row of raw) {
    number++
    if ('fields' in row) yield { number, line: row.line, ...namedFields(number, row.fields, known) }
    else if ('reason' in row) yield refusedRow(number, row.line, { reason: row.reason })
  }
}

/** An object's values by field. */
function namedFields(number: number, object: Readonly<Record<string, unknown>>, known: Columns) {
  const keys = Object.keys(object)
  if (known.arePlain(keys)) return { fields: object }
  try {
    const { names, columns, factors } = known.meaningsOf(keys)
    const entries = names.map((name, i) => [name, object[keys[i] ?? '']] as const)
    return {
      fields: Object.fromEntries(entries.filter(([name]) => name !== null)),
      columns,
      factors,
    }
  } catch (error) {
    if (!(error instanceof ColumnsClash)) throw error
    return { refusal: { row: number, field: null, reason: error.message } }
  }
}

/** Spreadsheets write blank cells beyond the header. */
const isFitting = (cells: readonly string[], header: readonly string[]) =>
  cells.length > header.length && cells.slice(header.length).every(isBlank)

const isBlank = (cell: string) => cell.trim() === ''
const isFilled = (cell: string) => !isBlank(cell)

function refusedRow(number: number, line: number, reason: Reason): SourceRow {
  return { number, line, refusal: { row: number, field: null, ...reason } }
}
