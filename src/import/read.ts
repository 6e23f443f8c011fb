/**
 * A stream of JSON Lines or CSV as rows, in constant memory. A row that can't be read is given as
 * a refusal; a file that can't be read on is thrown.
 */
import { pipeline, Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { asObject } from './structures.ts'
import type { Refusal } from './summary.ts'

export type Format = 'jsonl' | 'csv'

export interface Source {
  stream: Readable
  /** Absent: JSON Lines if the first byte that isn't blank is `{`, else CSV. */
  format?: Format | undefined
}

export type SourceRow =
  | { number: number; fields: Readonly<Record<string, unknown>> }
  | { number: number; refusal: Refusal }

/** Longest row in bytes (JSON Lines) or characters (CSV). */
const LONGEST_ROW = 1_048_576

/**
 * The rows of a source, numbered from 1.
 * @param known the fields of the kind; a CSV header must name one of them.
 * @param onBytes told of each chunk's length, for progress.
 * @throws Error where its format is not what it should be, or what the stream fails with.
 */
export async function* readRows(
  source: Source,
  known: readonly string[],
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<SourceRow> {
  const [format, chunks] = await recognise(source, onBytes)
  yield* format === 'csv' ? readCsv(chunks, known) : readJsonLines(chunks)
}

/** Reads until the format is known, and gives the chunks from the start. */
async function recognise(
  { stream, format }: Source,
  onBytes: (bytes: number) => void,
): Promise<[Format, AsyncGenerator<Buffer>]> {
  const iterator = bytesOf(stream, onBytes)
  const read: Buffer[] = []
  let first = ''
  while (first === '') {
    const { done, value } = await iterator.next()
    if (done) break
    read.push(value)
    const text = value.toString('latin1').replace(/^\xef\xbb\xbf/, '')
    first = text.trimStart().slice(0, 1)
  }
  if (first === '[' && format !== 'csv') {
    throw new Error('a JSON array; expected JSON Lines: one object a line')
  }
  async function* chunks() {
    yield* read
    yield* iterator
  }
  return [format ?? (first === '{' ? 'jsonl' : 'csv'), chunks()]
}

async function* bytesOf(
  stream: Readable,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    onBytes(bytes.length)
    yield bytes
  }
}

async function* readJsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceRow> {
  let number = 0
  for await (const line of linesOf(chunks)) {
    // Trimming takes a byte order mark away too: ECMAScript counts it as white space.
    const text = line?.toString().trim()
    if (text === '') continue
    number++
    if (text === undefined) {
      yield refusedRow(number, `longer than ${LONGEST_ROW} bytes`)
      continue
    }
    const fields = parseObject(text)
    yield fields ? { number, fields } : refusedRow(number, 'not a JSON object')
  }
}

function refusedRow(number: number, reason: string): SourceRow {
  return { number, refusal: { row: number, field: null, reason } }
}

/** The parser's own message may quote the line, so it is dropped. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Lines without their line feed; `undefined` for one that is longer than LONGEST_ROW. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = []
  let length = 0
  const add = (part: Buffer) => {
    length += part.length
    if (length <= LONGEST_ROW) parts.push(part)
    else parts = []
  }
  const take = () => {
    const line = length <= LONGEST_ROW ? Buffer.concat(parts) : undefined
    parts = []
    length = 0
    return line
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end))
      yield take()
      start = end + 1
    }
    add(chunk.subarray(start))
  }
  if (length > 0) yield take()
}

async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  known: readonly string[],
): AsyncGenerator<SourceRow> {
  let brokenAt: number | undefined
  const parser = parse({
    bom: true,
    info: true,
    max_record_size: LONGEST_ROW,
    relax_column_count: true,
    // A stray quote is a character; without this the parser loses the row after it.
    relax_quotes: true,
    skip_empty_lines: true,
    // Else the error overtakes rows that were parsed before it.
    skip_records_with_error: true,
    on_skip: (error) => {
      brokenAt ??= Number(error?.lines)
      return undefined
    },
  })
  pipeline(Readable.from(chunks), parser, () => {})
  // With `info`, the parser gives each record together with where it stands.
  const records: AsyncIterable<{ record: string[]; info: { lines: number } }> = parser
  let header: string[] | undefined
  let number = 0
  for await (const { record, info } of records) {
    if (brokenAt !== undefined && info.lines >= brokenAt) break
    if (!header) {
      header = checkedHeader(record, known)
      continue
    }
    if (record.every((cell) => cell.trim() === '')) continue
    number++
    if (record.length === header.length) {
      yield { number, fields: Object.fromEntries(header.map((name, i) => [name, record[i]])) }
    } else {
      yield refusedRow(number, `${record.length} cells, the header has ${header.length}`)
    }
  }
  if (brokenAt !== undefined) {
    throw new Error(
      `broken at row ${number + 1}: a quote that is never closed, or more than ${LONGEST_ROW} characters`,
    )
  }
}

function checkedHeader(record: string[], known: readonly string[]): string[] {
  const header = record.map((name) => name.trim())
  if (!header.some((name) => known.includes(name))) {
    throw new Error(`no header: the first line names none of ${known.join(', ')}`)
  }
  if (new Set(header).size !== header.length) {
    throw new Error('the header names a column twice')
  }
  return header
}
