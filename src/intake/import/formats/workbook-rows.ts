/** Rows of a workbook's sheet as a table's, its header first. */
import { BlankLines, checkSkipped, LONGEST_ROW, type RawRow, tooBlank } from './bytes.ts'
import { MOST_TITLES, textOf, titlesAbove } from './csv.ts'
import { BROKEN, type OpenedSheet, openSheet, readXml, type SheetChoice } from './workbook.ts'
import { cellText, unescaped } from './workbook-cells.ts'

/** Rows and columns of the largest sheet. */
const [MOST_ROWS, MOST_COLUMNS] = [1_048_576, 16_384]

interface SheetRow {
  line: number
  cells: string[]
}

/**
 * Reads the rows of a sheet, its header first, without titles above it.
 * @param known counts the known columns of a header
 * @param onBytes called with the packed bytes that were read, by the share of the sheet that was
 * @throws Error as `openSheet`, and where a row is far too long or too much of the sheet is blank
 */
export async function* readWorkbook(
  packed: AsyncIterable<Buffer>,
  choice: SheetChoice,
  known: (header: readonly string[]) => number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<RawRow> {
  const opened = await openSheet(packed, choice)
  if (!choice.isBeginning) await opened.sharedTexts.readTo(Number.POSITIVE_INFINITY)
  const table = { width: MOST_COLUMNS }
  const rows = filledRows(opened, table, onBytes)
  const first: SheetRow[] = []
  while (first.length <= MOST_TITLES) {
    const { value, done } = await rows.next()
    if (done) break
    first.push(value)
  }
  const header = titlesAbove(
    first.map(({ cells }) => cells),
    known,
  )
  const width = first[header]?.cells.length ?? 0
  table.width = width
  for (const row of first.slice(header)) yield tableRow(row, width)
  for await (const row of rows) yield tableRow(row, width)
}

/** Sheets leave out blank cells at the end of a row. */
function tableRow({ line, cells }: SheetRow, width: number): RawRow {
  const length = cells.reduce((sum, cell) => sum + cell.length, 0)
  if (length > LONGEST_ROW) return { line, reason: `longer than ${LONGEST_ROW} characters` }
  while (cells.length < width) cells.push('')
  return { line, cells: cells.map(textOf) }
}

/**
 * The columns of the header. Cells behind them stand in the next one, because one in the last column of a million rows would have each
 * filled up to it.
 */
interface TableShape {
  width: number
}

/** Rows that aren't blank. A value of merged cells counts for each row that they cover. */
async function* filledRows(
  sheet: OpenedSheet,
  table: Readonly<TableShape>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<SheetRow> {
  const merge = merging(await readMerges(sheet.chunks()), table)
  const blank = new BlankLines()
  const reader = new RowReader(sheet, table)
  try {
    for await (const bytes of readXml(sheet.chunks(), reader)) {
      onBytes((sheet.packedBytes * bytes) / sheet.bytes)
      for (const row of await reader.take(bytes)) {
        if (row.cells.some((cell) => cell.trim() !== '')) {
          merge(row)
          yield row
        } else if (!blank.add(1, 0)) throw tooBlank(row.line)
      }
    }
  } finally {
    await sheet.sharedTexts.close()
  }
}

/** Collects the rows of a sheet's XML. */
class RowReader {
  readonly #sheet: OpenedSheet
  readonly #table: Readonly<TableShape>
  #rows: SheetRow[] = []
  /** Cells whose shared text is to be filled in. */
  #shared: { cells: string[]; place: number; text: number }[] = []
  #row: SheetRow = { line: 0, cells: [] }
  #column = 0
  #cell = { type: '', style: -1 }
  #value = ''
  #formula: string | undefined
  #element = ''
  #isReading = false
  /** Bytes since the last row ended. */
  #bytes = 0

  constructor(sheet: OpenedSheet, table: Readonly<TableShape>) {
    this.#sheet = sheet
    this.#table = table
  }

  /** Returns the rows that ended. @throws Error where the one at hand is far too long */
  async take(bytes: number): Promise<SheetRow[]> {
    await this.#fillShared()
    const rows = this.#rows
    this.#rows = []
    this.#bytes = rows.length > 0 ? 0 : this.#bytes + bytes
    checkSkipped(this.#row.line, this.#bytes)
    return rows
  }

  async #fillShared() {
    const { sharedTexts } = this.#sheet
    for (const { cells, place, text: number } of this.#shared) {
      if (sharedTexts.at(number) === undefined) await sharedTexts.readTo(number)
      const text = sharedTexts.at(number)
      if (text === undefined) throw new Error(BROKEN)
      cells[place] = text
    }
    this.#shared = []
  }

  readonly open = (name: string, attributes: Readonly<Record<string, string>>) => {
    if (name === 'row') {
      const line = Number(attributes.r)
      this.#row = { line: line > 0 && line <= MOST_ROWS ? line : this.#row.line + 1, cells: [] }
      this.#column = 0
    } else if (name === 'c') {
      if (attributes.r !== undefined) this.#column = columnOf(attributes.r)
      this.#cell = { type: attributes.t ?? '', style: Number(attributes.s ?? -1) }
      this.#value = ''
      this.#formula = undefined
    } else if (name === 'f') this.#formula = ''
    else if (name === 'rPh') this.#isReading = true
    this.#element = name
  }

  readonly text = (part: string) => {
    if (this.#element === 'f') this.#formula += part
    else if (this.#element === 'v' || (this.#element === 't' && !this.#isReading))
      this.#value += part
  }

  readonly close = (name: string) => {
    this.#element = ''
    if (name === 'rPh') this.#isReading = false
    else if (name === 'c') this.#addCell()
    else if (name === 'row') this.#rows.push(this.#row)
  }

  #addCell() {
    const { type, style } = this.#cell
    const { formats, calendar } = this.#sheet
    const isShared = type === 's' && this.#value.trim() !== ''
    const text = cellText(
      { type, format: formats[style], value: this.#value, formula: this.#formula },
      calendar,
    )
    const column = this.#column++
    if ((text === '' && !isShared) || column < 0 || column >= MOST_COLUMNS) return
    const { cells } = this.#row
    const place = Math.min(column, this.#table.width)
    while (cells.length < place) cells.push('')
    if (isShared) this.#shared.push({ cells, place, text: Number(this.#value) })
    cells[place] = type === 'str' || type === 'inlineStr' ? unescaped(text) : text
  }
}

/** Column of a cell, from 0: `AB12` is 27. */
function columnOf(cell: string): number {
  let column = 0
  for (const letter of cell.toUpperCase()) {
    if (letter < 'A' || letter > 'Z') break
    column = column * 26 + letter.charCodeAt(0) - 64
  }
  return column - 1
}

/** Merged cells of one column, which have their value in the first row. */
interface Merge {
  column: number
  from: number
  to: number
}

const MERGE = /<(?:\w+:)?mergeCell\s[^>]*?ref="\$?([A-Z]{1,3})\$?(\d+):\$?[A-Z]{1,3}\$?(\d+)"/gi
/** Bytes in which a tag of a merge has room. */
const LONGEST_TAG = 256

/** Reads the merged cells of a sheet, which stand behind its rows: those of several rows, by the first. */
async function readMerges(chunks: AsyncIterable<Buffer>): Promise<Merge[]> {
  const merges: Merge[] = []
  let tail = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([tail, chunk])
    const end = bytes.includes('mergeCell') ? addMerges(bytes.toString('latin1'), merges) : 0
    tail = bytes.subarray(Math.max(end, bytes.length - LONGEST_TAG))
  }
  return merges.sort((a, b) => a.from - b.from)
}

/** @returns where the last of them ends */
function addMerges(text: string, merges: Merge[]): number {
  let end = 0
  for (const found of text.matchAll(MERGE)) {
    const [tag, column = '', from, to] = found
    end = found.index + tag.length
    if (from === to) continue
    merges.push({ column: columnOf(column), from: Number(from), to: Number(to) })
    if (merges.length > MOST_MERGES) throw new Error(TOO_MANY_MERGES)
  }
  return end
}

const MOST_MERGES = 100_000
const TOO_MANY_MERGES = `more than ${MOST_MERGES} groups of merged cells: take them apart, or save the sheet as CSV`

/** Returns a function that gives each row, in their order, the values of the merged cells that reach into it. */
function merging(merges: readonly Merge[], table: Readonly<TableShape>) {
  let next = 0
  let active: (Merge & { value: string })[] = []
  return ({ line, cells }: SheetRow) => {
    active = active.filter(({ to }) => to >= line)
    for (const { column, value } of active) {
      const place = Math.min(column, table.width)
      while (cells.length <= place) cells.push('')
      cells[place] ||= value
    }
    for (let merge = merges[next]; merge && merge.from <= line; merge = merges[++next]) {
      if (merge.to > line && merge.from === line)
        active.push({ ...merge, value: cells[merge.column] ?? '' })
    }
  }
}
