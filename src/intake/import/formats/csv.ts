/** CSV with any of four delimiters, in constant memory. */
import { pipeline, Readable } from 'node:stream'
import { type Options, parse } from 'csv-parse'
import { parse as parseNow } from 'csv-parse/sync'
import { unguarded } from '../../../csv.ts'
import { BlankLines, LONGEST_ROW, type RawRow, tooBlank } from './bytes.ts'

/** Delimiters; the first one wins a tie. */
const DELIMITERS = [',', ';', '\t', '|'] as const

/** First line by which spreadsheets name the delimiter. */
const DELIMITER_LINE = /^"?sep=(?<delimiter>[,;\t|])"?(?:\r\n|\n|\r|$)/i

const LENIENT = {
  relax_column_count: true,
  // A stray quote is a character; without this the parser loses the row after it.
  relax_quotes: true,
  skip_empty_lines: true,
} satisfies Options

/** Most rows of titles and notes above a header: LinkedIn's exports begin with some. */
export const MOST_TITLES = 20
/** Known columns that make a header of a row below the first: a title may happen to be the name of one. */
const LEAST_KNOWN = 2

/** No row of LONGEST_ROW characters has more bytes. Blank cells have no characters, but memory. */
const LONGEST_BYTES = 4 * LONGEST_ROW

/** A formula that gives the text in its quotes: programs write it so that spreadsheets keep leading zeros and long numbers. */
const TEXT_FORMULA = /^\s*="((?:[^"]|"")*)"\s*$/

/** The text of a cell, without what keeps spreadsheets from computing or cutting it. */
export function textOf(cell: string): string {
  const formula = TEXT_FORMULA.exec(cell)
  return formula ? (formula[1] ?? '').replaceAll('""', '"') : unguarded(cell)
}

/** Dialect of a CSV file, recognised by its beginning. */
interface Dialect {
  delimiter: string
  record_delimiter: string[]
  /** Rows above the header. */
  titles: number
  /** Bytes of the first line that names the delimiter. */
  skip: number
}

/**
 * Reads the rows of a CSV file, its header first, without titles above it.
 * @param known counts the known columns of a header: the delimiter is the one by which it has most of them. Guesses by
 * how often a character occurs take commas in prose and lists for delimiters; a header's names can't be mistaken
 * @throws Error where a quote is never closed, a row is far too long or too much of the file is blank, after the rows
 * before it
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  head: Buffer,
  known: (header: readonly string[]) => number,
): AsyncGenerator<RawRow> {
  const { skip, titles, ...dialect } = dialectOf(head.toString(), known)
  const blank = new BlankLines()
  let brokenAt: number | undefined
  let blankAt: number | undefined
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
  // A row without an end is not read on: a small packed file could hold gigabytes of it, or of empty cells.
  async function* untilBroken() {
    let [rows, length, emptyLines] = [0, 0, 0]
    for await (const chunk of without(skip, chunks)) {
      const { records, empty_lines, lines } = parser.info
      if (!blank.add(empty_lines - emptyLines, 0)) {
        blankAt ??= lines
        return
      }
      emptyLines = empty_lines
      if (records + empty_lines > rows) [rows, length] = [records + empty_lines, 0]
      length += chunk.length
      if (length > LONGEST_BYTES) brokenAt ??= lines
      if (brokenAt !== undefined) return
      yield chunk
    }
  }
  pipeline(Readable.from(untilBroken()), parser, () => {})
  // With `info`, the parser gives each record together with where it stands.
  const records: AsyncIterable<Located> = parser
  const lineOf = lineCounter(skip > 0 ? 1 : 0)
  let count = -titles
  for await (const located of records) {
    if (brokenAt !== undefined && located.info.lines >= brokenAt) break
    const line = lineOf(located)
    const { record: cells } = located
    if (isBlank(cells)) {
      if (blank.add(1, cells.join().length)) continue
      blankAt ??= line
      break
    }
    count++
    if (count <= 0) continue
    yield { line, cells: cells.map(textOf) }
  }
  if (blankAt !== undefined) throw tooBlank(blankAt)
  if (brokenAt !== undefined) {
    throw new Error(
      `broken at row ${Math.max(count, 1)}: a quote that is never closed, or more than ${LONGEST_ROW} characters`,
    )
  }
}

const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '')

interface Located {
  record: string[]
  info: { lines: number; empty_lines: number }
}

/**
 * Computes the line where each record begins. The parser gives the line where it ends, and counts a CR LF inside quotes
 * twice.
 * @param before lines that the parser doesn't see
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

/**
 * Recognises the dialect: the delimiter by which the first row has most known columns, then most columns; where it has none by any,
 * the one by which a row below titles has.
 */
function dialectOf(head: string, known: (header: readonly string[]) => number): Dialect {
  const said = DELIMITER_LINE.exec(head)
  const skip = said?.[0].length ?? 0
  const text = head.slice(skip)
  const record_delimiter = lineBreaksOf(text)
  const delimiters = said?.groups?.delimiter ? [said.groups.delimiter] : DELIMITERS
  const ways = delimiters.map((delimiter) => {
    const rows = rowsOf(text, delimiter, record_delimiter)
    const titles = titlesAbove(rows, known)
    const header = rows[titles] ?? []
    return { delimiter, titles, known: known(header), cells: header.length }
  })
  const top = ways.filter((way) => way.titles === 0 && way.known > 0)
  const [best] = (top.length > 0 ? top : ways).sort(
    (a, b) => b.known - a.known || b.cells - a.cells,
  )
  const { delimiter = ',', titles = 0 } = best ?? {}
  return { delimiter, record_delimiter, titles, skip }
}

/** Counts the titles above a header among the first rows of a table. */
export function titlesAbove(
  rows: readonly (readonly string[])[],
  known: (header: readonly string[]) => number,
): number {
  if (known(rows[0] ?? []) > 0) return 0
  return Math.max(
    rows.findIndex((row) => known(row) >= LEAST_KNOWN),
    0,
  )
}

/** Old programs on the Mac end rows by CR alone, also where cells in quotes hold LF. */
function lineBreaksOf(text: string): string[] {
  const unquoted = text.replace(/"(?:[^"]|"")*"?/g, '')
  return unquoted.includes('\r') && !unquoted.includes('\n') ? ['\r'] : ['\r\n', '\n']
}

/** First rows by a delimiter, without blank ones: as many as may be titles, or one where a cell reaches beyond the head. */
function rowsOf(text: string, delimiter: string, record_delimiter: string[]): string[][] {
  for (const to of [MOST_TITLES + 1, 1]) {
    try {
      const rows: string[][] = parseNow(text, { ...LENIENT, delimiter, record_delimiter, to })
      return rows.map((cells) => cells.map(textOf)).filter((cells) => !isBlank(cells))
    } catch {
      // Fewer rows may do.
    }
  }
  return []
}

async function* without(bytes: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let skip = bytes
  for await (const chunk of chunks) {
    yield chunk.subarray(skip)
    skip = Math.max(0, skip - chunk.length)
  }
}
