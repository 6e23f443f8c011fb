/**
 * Opens the files of an import and reads them as rows with fields, in constant memory. The beginning of each file is
 * read before anything of any is stored. A row that can't be read is a refusal; a file that can't be read on throws.
 */

import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import { type ColumnMap, Columns, ColumnsClash } from './column-meanings.ts'
import { isArchive, type RawRow, readHead, transcode, unpacked } from './formats/bytes.ts'
import { readCsv } from './formats/csv.ts'
import { readJson, readJsonLines } from './formats/json.ts'
import { readWorkbook } from './formats/workbook-rows.ts'
import { FIELDS } from './kinds.ts'
import { KINDS, type KindName, type Reason, type Refusal } from './summary.ts'

export interface Source {
  stream: Readable
  /** Absent: recognised by the file's beginning. */
  format?: Format | undefined
  /** Sheet of a workbook; absent for the first that isn't hidden. */
  sheet?: string | undefined
  /** Only the header and the first rows are wanted. */
  isBeginning?: boolean
}

/**
 * A row with its number (a CSV header and blank lines don't count) and the line where it begins, both from 1. A row in
 * memory has no line.
 */
export type SourceRow = { number: number; line?: number } & (
  | {
      fields: Readonly<Record<string, unknown>>
      /** Column names by field, where they differ. */
      columns?: Readonly<Record<string, string>> | undefined
      /** Multipliers of numbers by field. */
      factors?: Readonly<Record<string, number>> | undefined
    }
  | { refusal: Refusal }
)

/** A source after its beginning was read. */
export interface OpenedSource {
  /** True where a header names all columns. */
  hasHeader: boolean
  rows: AsyncGenerator<SourceRow>
}

/** Web pages and XML, often a page that asks to sign in first. */
const MARKUP = /^\s*<(?:!doctype|html|head|body|table|svg|\?xml)\b/i

/** Control characters, which text files don't hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/

/** Length of the beginning that shows format, delimiter and header. */
const HEAD_BYTES = 65_536

/** Rows before their columns are named; of a table the header is the first. */
interface RawSource {
  /** True for CSV and workbooks. */
  isTable: boolean
  head: Buffer
  raw: AsyncGenerator<RawRow>
}

/**
 * Reads a source's beginning and recognises its format.
 * @param columns known columns, by which a header is found
 * @throws as `openSource`
 */
export async function openRaw(
  { stream, format, sheet, isBeginning }: Source,
  columns: Columns,
  onBytes: (bytes: number) => void = () => {},
): Promise<RawSource> {
  const known = (header: readonly string[]) => knownIn(header, columns)
  let isWorkbook = false
  const file = await unpacked(stream, (bytes) => {
    // The rows of a workbook come when all of its bytes are read.
    if (!isWorkbook) onBytes(bytes)
  })
  isWorkbook = isArchive(file)
  if (isWorkbook) {
    return {
      isTable: true,
      head: Buffer.alloc(0),
      raw: readWorkbook(file.chunks, { sheet, isBeginning }, known, onBytes),
    }
  }
  if (sheet !== undefined) throw new Error('no workbook, so it has no sheets: leave out --sheet')
  const { head, chunks } = await readHead(transcode(file), HEAD_BYTES)
  if (MARKUP.test(head.toString('latin1', 0, 1_000))) {
    throw new Error('not rows but a web page or XML: save the table itself as CSV')
  }
  const shape = recognise(head, format, (key) => columns.isField(key))
  if (shape !== 'csv') {
    const raw = shape === 'lines' ? readJsonLines(chunks, head) : readJson(chunks, shape.rowDepth)
    return { isTable: false, head, raw }
  }
  return { isTable: true, head, raw: readCsv(chunks, head, known) }
}

const knownIn = (header: readonly string[], columns: Columns): number =>
  header.filter((column) => columns.isField(column.trim())).length

/** Names in a header; empty where it can't be read. */
export const headerOf = (first: RawRow): string[] =>
  'cells' in first ? first.cells.map((name) => name.trim()) : []

/**
 * Reads a source's beginning: its format and, of a table, its header.
 * @param onBytes called with each chunk's length, for progress
 * @throws Error where the format is wrong, or the stream's error. So does `rows`
 */
export async function openSource(
  source: Source,
  columns: Columns,
  onBytes?: (bytes: number) => void,
): Promise<OpenedSource> {
  const { isTable, head, raw } = await openRaw(source, columns, onBytes)
  if (!isTable) return { hasHeader: false, rows: objectRows(raw, columns) }
  const { value: first } = await raw.next()
  if (!first) return { hasHeader: false, rows: cellRows(raw, [], columns) }
  const header = headerOf(first)
  if (knownIn(header, columns) === 0) throw new Error(noHeader(head, columns))
  // Checked here, so that two columns of one field fail before any row of any file is stored.
  columns.meaningsOf(header)
  return { hasHeader: true, rows: cellRows(raw, header, columns) }
}

/** Explains why a file has no header. Its text is not quoted: it may be somebody's row. */
function noHeader(head: Buffer, { fields }: Columns): string {
  const text = head.toString('latin1')
  if (CONTROL.test(text)) return 'no header: not text. A table is read as CSV or JSON, also gzipped'
  if (/^\s*[[{]/.test(text)) return 'no header: not CSV but JSON. Name the file .json or .jsonl'
  return `no header: the first line names none of ${fields.join(', ')}; other names go by --map "Their column=field"`
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
    if (!('cells' in row)) {
      if ('reason' in row) yield refusedRow(number, row.line, { reason: row.reason })
      continue
    }
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

/** Joined files repeat the header. */
const HEADING = 'repeats the header: remove this row'

const KEYS = ['id', 'externalId', 'slug']

/** Marks the last row of a file that was read whole. */
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

/** Renames an object's keys to fields. */
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

export interface OpenedFile {
  kind: KindName
  columns: Columns
  /** True where a header names all columns; else each row brings its own. */
  hasHeader: boolean
  rows: AsyncGenerator<SourceRow>
  bytes(): number
}

/** Words for a record that files put before a column's name: `round_date`, `Company Domain`. */
const RECORD_WORDS: Readonly<Record<KindName, readonly string[]>> = {
  companies: ['company', 'organization', 'organisation', 'account', 'project', 'firm'],
  people: ['person', 'people', 'contact', 'member', 'lead'],
  rounds: ['round', 'deal', 'funding', 'financing', 'raise', 'investment', 'transaction'],
}

/** Columns of files of a kind. */
export const columnsOf = (kind: KindName, map?: ColumnMap): Columns =>
  new Columns(
    new Map(Object.entries(FIELDS[kind]).map(([field, { aliases }]) => [field, aliases])),
    map,
    RECORD_WORDS[kind],
  )

/**
 * Opens companies, then people, then rounds.
 * @param mapOf mappings of a kind, with those remembered of its source
 * @throws Error naming the kind whose format, encoding or header can't be read; or a mapping whose column is in no
 * header. Keys of JSON are known when all rows are read: `checkMap` looks then
 */
export async function openFiles(
  sources: Partial<Record<KindName, Source>>,
  map?: ColumnMap,
  mapOf: (kind: KindName) => ColumnMap | undefined = () => map,
): Promise<OpenedFile[]> {
  const files: OpenedFile[] = []
  let areColumnsKnown = true
  for (const kind of KINDS) {
    const source = sources[kind]
    if (!source) continue
    let bytes = 0
    const columns = columnsOf(kind, mapOf(kind))
    const opened = openSource(source, columns, (count) => {
      bytes += count
    })
    const { rows, hasHeader } = await opened.catch((error) => {
      throw new Error(`${kind}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      })
    })
    areColumnsKnown &&= hasHeader
    files.push({ kind, columns, hasHeader, rows, bytes: () => bytes })
  }
  if (areColumnsKnown) checkMap(map)
  return files
}

/** @throws Error naming a mapping whose column no file has. */
export function checkMap(map: ColumnMap | undefined) {
  const [unused] = map?.unused() ?? []
  if (unused) throw new Error(`${unused.given}: no file has a column "${unused.column}"`)
}

/** Shape of a text; `rowDepth` is the number of brackets around each row of JSON. */
export type Shape = 'csv' | 'lines' | { rowDepth: number }

/** Format by a file's name or by the caller. */
export type Format = 'jsonl' | 'json' | 'csv'

const FORMATS: Readonly<Record<string, Format>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'json',
  '.csv': 'csv',
  '.tsv': 'csv',
}

/** Format by the ending of a name, without `.gz`; undefined for other endings. */
export const formatOf = (name: string): Format | undefined =>
  FORMATS[extname(name.toLowerCase().replace(/\.gz$/, ''))]

/**
 * Recognises the shape of a text by its beginning.
 * @param isField tells whether a key is a field of a row: an object that has one is a row, not an answer around rows
 */
export function recognise(
  head: Buffer,
  format: Format | undefined,
  isField: (key: string) => boolean,
): Shape {
  if (format === 'csv') return 'csv'
  const text = head.toString('latin1')
  const start = text.search(/\S/)
  if (text[start] === '[') return { rowDepth: 1 }
  if (format === 'jsonl') return 'lines'
  if (text[start] !== '{') return format === 'json' && start >= 0 ? 'lines' : 'csv'
  const [first = '', blank, next] = text.slice(start).split(/(\s*[\r\n]\s*)/, 3)
  const keys = keysOf(head.subarray(start, start + first.length))
  if (keys && (next || keys.some(isField))) return 'lines'
  // The next line of JSON Lines opens an object, and so may a row of an answer, whose list is open by then.
  const isNextObject = next?.startsWith('{') === true
  const rowDepth = depthInAnswer(isNextObject ? `${first}${blank}{` : text, isField)
  if (rowDepth !== undefined) return { rowDepth }
  return next && !isNextObject ? { rowDepth: 0 } : 'lines'
}

/** Keys of an object; `undefined` for other text. */
function keysOf(text: Buffer): string[] | undefined {
  try {
    return Object.keys(JSON.parse(text.toString()))
  } catch {
    return undefined
  }
}

/** Tokens: strings, each with the colon of a key; brackets; a list with the beginning of its first value. */
const TOKENS = /(?<string>"(?:[^"\\]|\\.)*")(?<colon>\s*:)?|[{}\]]|\[(?=\s*(?<next>[{\]])|)/g

/**
 * Finds the depth of the rows in an answer: 2 in `{"data": [{…}]}`, 3 in `{"data": {"people": [{…}]}}`. An empty list counts
 * where there is no other. `undefined` for an object that has a field itself.
 */
function depthInAnswer(text: string, isField: (key: string) => boolean): number | undefined {
  let depth = 0
  let empty: number | undefined
  for (const found of text.matchAll(TOKENS)) {
    const { string, colon, next } = found.groups ?? {}
    const [token] = found
    if (string !== undefined) {
      if (depth === 1 && colon !== undefined && isField(unquoted(string))) return undefined
    } else if (token === '}' || token === ']') depth--
    else {
      depth++
      if (token === '[' && next === '{') return depth
      if (token === '[' && next === ']') empty ??= depth
    }
  }
  return empty
}

function unquoted(string: string): string {
  try {
    return String(JSON.parse(Buffer.from(string, 'latin1').toString()))
  } catch {
    return ''
  }
}

const WORDS = new Set([
  ...[
    'total',
    'totals',
    'grand total',
    'subtotal',
    'sub total',
    'sum',
    'total rows',
    'total records',
  ],
  ...['total count', 'total people', 'total contacts', 'total companies', 'total rounds'],
  ...['summe', 'gesamt', 'gesamtsumme', 'insgesamt', 'somme', 'total général', 'totale', 'totaal'],
  ...[
    'suma',
    'soma',
    'summa',
    'razem',
    'toplam',
    'итого',
    'всего',
    '合計',
    '合计',
    '总计',
    '總計',
    '합계',
    '총계',
  ],
])

/** `3`, `$400M`, `1.200,50 €`, `USD 12`, `85 %`. */
const FIGURE =
  /^[-(]?(?:\p{Sc}|[A-Z]{3} )? ?\d[\d.,'’ ]*(?:[kmb]n?|mio\.?|mln)? ?(?:%|\p{Sc}|[A-Z]{3})?\)?$/iu

/**
 * Recognises the line of totals below a table, as `Total;3`, by the last row's cells: the first that is filled is a word
 * for it, the others are figures, and there is at least one. A person of this name who has anything else, or a key, is
 * none.
 * @param isKey tells whether a column holds keys of records
 */
export function isTotals(cells: readonly string[], isKey: (column: number) => boolean): boolean {
  const filled = [...cells.entries()].flatMap(([column, cell]) => {
    const text = cell.replace(/\s+/g, ' ').trim()
    return text === '' ? [] : [{ column, text }]
  })
  const [label, ...others] = filled
  if (!label || others.some(({ column }) => isKey(column))) return false
  const word = label.text
    .toLowerCase()
    .replace(/[\d.,:()#= ]+/g, ' ')
    .trim()
  return (
    WORDS.has(word) &&
    others.every(({ text }) => FIGURE.test(text)) &&
    (others.length > 0 || /\d/.test(label.text))
  )
}

export const TOTALS =
  'a line of totals, as it is the last row and has only figures beside a word for it; if it is a record, give it an externalId'
