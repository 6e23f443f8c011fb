/** CSV with any of four delimiters, in constant memory. */
import { pipeline, Readable } from 'node:stream'
import { type Options, parse } from 'csv-parse'
import { parse as parseNow } from 'csv-parse/sync'
import { unguarded } from '../../csv.ts'
import { LONGEST_ROW, type RawRow } from './raw-row.ts'

/** The first one is taken where nothing tells them apart. */
const DELIMITERS = [',', ';', '\t', '|'] as const

/** What spreadsheets write as a first line to say the delimiter. */
const DELIMITER_LINE = /^"?sep=(?<delimiter>[,;\t|])"?(?:\r\n|\n|\r|$)/i

const LENIENT = {
  relax_column_count: true,
  // A stray quote is a character; without this the parser loses the row after it.
  relax_quotes: true,
  skip_empty_lines: true,
} satisfies Options

/** How a CSV file is written, as its beginning tells. */
interface Dialect {
  delimiter: string
  record_delimiter: string[]
  /** Length in bytes of a first line that says the delimiter. */
  skip: number
}

/**
 * The rows of a CSV file, its header first.
 * @param known how many columns of a header are known: the delimiter is the one by which it has most of them. Guesses
 *   by how often a character occurs take commas in prose and lists for delimiters; a header's names can't be mistaken.
 * @throws Error where a quote is never closed, after the rows before it.
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  head: Buffer,
  known: (header: readonly string[]) => number,
): AsyncGenerator<RawRow> {
  const { skip, ...dialect } = dialectOf(head.toString(), known)
  let brokenAt: number | undefined
  const parser = parse({
    ...LENIENT,
    ...dialect,
    info: true,
    max_record_size: LONGEST_ROW,
    // Else the error overtakes rows that were parsed before it.
    skip_records_with_error: true,
    on_skip: (error) => {
      brokenAt ??= Number(error?.lines)
      return undefined
    },
  })
  pipeline(Readable.from(without(skip, chunks)), parser, () => {})
  // With `info`, the parser gives each record together with where it stands.
  const records: AsyncIterable<Located> = parser
  const lineOf = lineCounter(skip > 0 ? 1 : 0)
  let count = 0
  for await (const located of records) {
    if (brokenAt !== undefined && located.info.lines >= brokenAt) break
    const line = lineOf(located)
    const { record: cells } = located
    if (cells.every((cell) => cell.trim() === '')) continue
    count++
    yield { line, cells: cells.map(unguarded) }
  }
  if (brokenAt !== undefined) {
    throw new Error(
      `broken at row ${Math.max(count, 1)}: a quote that is never closed, or more than ${LONGEST_ROW} characters`,
    )
  }
}

interface Located {
  record: string[]
  info: { lines: number; empty_lines: number }
}

/**
 * Tells the line where each record begins. The parser tells where it ends, and counts a CR LF inside quotes twice.
 * @param before lines that the parser doesn't see.
 */
function lineCounter(before: number) {
  let last = { lines: 0, empty_lines: 0 }
  let excess = -before
  return ({ record, info }: Located): number => {
    const { lines, empty_lines } = info
    const blank = empty_lines - last.empty_lines
    const isOneLine = lines - last.lines - blank === 1
    last = { lines, empty_lines }
    if (isOneLine) return lines - excess
    const text = record.join('\0')
    const counted = text.match(/[\r\n]/g)?.length ?? 0
    const line = lines - counted - excess
    excess += counted - (text.match(/\r\n|\r|\n/g)?.length ?? 0)
    return line
  }
}

function dialectOf(head: string, known: (header: readonly string[]) => number): Dialect {
  const said = DELIMITER_LINE.exec(head)
  const record_delimiter = head.includes('\r') && !head.includes('\n') ? ['\r'] : ['\r\n', '\n']
  if (said) {
    const { delimiter = ',' } = said.groups ?? {}
    return { delimiter, record_delimiter, skip: said[0].length }
  }
  let best = { delimiter: ',', known: -1, cells: 0 }
  for (const delimiter of DELIMITERS) {
    const header = headerOf(head, delimiter, record_delimiter)
    const found = { delimiter, known: known(header), cells: header.length }
    if (found.known > best.known || (found.known === best.known && found.cells > best.cells)) {
      best = found
    }
  }
  return { delimiter: best.delimiter, record_delimiter, skip: 0 }
}

/** The first record as a delimiter splits it; none where it can't be read so. */
function headerOf(head: string, delimiter: string, record_delimiter: string[]): string[] {
  try {
    const [header] = parseNow(head, { ...LENIENT, delimiter, record_delimiter, to: 1 })
    return Array.isArray(header) ? header.map(String) : []
  } catch {
    return []
  }
}

async function* without(bytes: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let skip = bytes
  for await (const chunk of chunks) {
    yield chunk.subarray(skip)
    skip = Math.max(0, skip - chunk.length)
  }
}
