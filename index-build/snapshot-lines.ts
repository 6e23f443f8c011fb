/** What a snapshot holds, and the lines that it stands in. Arrays stand behind the lines (`byte-area.ts`). */
import type { Area, AreaPlace, AreaWriter } from './byte-area.ts'
import type { NumbersPart } from './number-lists.ts'
import type { IndexPart } from './term-index.ts'

export type SnapshotKind = 'company' | 'round' | 'person'

/** Texts of many records, one after the other. */
export interface SnapshotPage {
  bytes: Uint8Array<ArrayBuffer>
  isAscii: boolean
}

/** Records of a kind, in the order of their slots. */
export interface SnapshotRows {
  kind: SnapshotKind
  rows: readonly { id: string }[]
  /** On which their texts stand. */
  pages: readonly SnapshotPage[]
}

/** A part of the index of the records of a kind, all of which come before it. */
export interface SnapshotIndexPart {
  kind: Exclude<SnapshotKind, 'round'>
  index: IndexPart
}

/** One order of the records of a kind, all of which come before it: their slots. */
export interface SnapshotOrder {
  kind: Exclude<SnapshotKind, 'round'>
  order: string
  slots: Uint32Array
}

export type SnapshotContent = SnapshotRows | SnapshotIndexPart | SnapshotOrder

/** A content's line, as a value of JSON: with the places of its arrays. */
export function lineOf(value: SnapshotContent, area: AreaWriter): object {
  if ('order' in value) return { ...value, slots: area.place(value.slots) }
  if ('index' in value) {
    return { ...value, index: eachNumbers(value.index, (numbers) => numbersLine(numbers, area)) }
  }
  const pages = value.pages.map(({ bytes, isAscii }) => ({ bytes: area.place(bytes), isAscii }))
  return { kind: value.kind, columns: columnsOf(value.rows), pages }
}

interface Line {
  kind: SnapshotKind
  columns: Columns
  pages: { bytes: AreaPlace; isAscii: boolean }[]
  index: Record<string, unknown>
  order: string
  slots: AreaPlace
}

/** The content of a line. @throws Error where it has another shape, or names arrays that the area doesn't have */
export function contentOf(line: Partial<Line>, area: Area): SnapshotContent {
  const { kind, columns, pages, index, order, slots } = line as Line
  if (index !== undefined) {
    const parts = eachNumbers(index, (numbers) => numbersOf(numbers, area))
    return { kind, index: parts } as SnapshotIndexPart
  }
  if (order !== undefined) return { kind, order, slots: area.numbers(slots) } as SnapshotOrder
  const textPages = pages.map(({ bytes, isAscii }) => ({ bytes: area.texts(bytes), isAscii }))
  return { kind, rows: rowsOf(columns), pages: textPages }
}

/** A part of an index with each of its `NumbersPart` as `make` makes it; texts stay. */
function eachNumbers(index: object, make: (numbers: never) => object): object {
  const parts = Object.entries(index).map(([name, part]) => [
    name,
    typeof part === 'string' ? part : make(part as never),
  ])
  return Object.fromEntries(parts)
}

type NumbersLine = { page: AreaPlace } | { lists: AreaPlace; free: number[][] }

function numbersLine(part: NumbersPart, area: AreaWriter): NumbersLine {
  if ('page' in part) return { page: area.place(part.page) }
  return { lists: area.place(part.lists), free: part.free }
}

function numbersOf(line: NumbersLine, area: Area): NumbersPart {
  if ('page' in line) return { page: area.numbers(line.page) }
  return { lists: area.numbers(line.lists), free: line.free }
}

/** By field, its value in each row. The names of the fields in each row would nearly double the records' text. */
type Columns = Record<string, unknown[]>

function columnsOf(rows: readonly object[]): Columns {
  const columns: Columns = {}
  for (const name of Object.keys(rows[0] ?? {})) {
    columns[name] = rows.map((row) => row[name as keyof typeof row])
  }
  return columns
}

/** @throws Error where its records have no columns, or columns of several lengths. */
function rowsOf(columns: Columns): { id: string }[] {
  const fields = Object.entries(columns)
  const rows: Record<string, unknown>[] = Array.from(columns.id ?? [], () => ({}))
  for (const [name, values] of fields) {
    if (values.length !== rows.length) throw new Error(`${name} of ${values.length} records`)
  }
  for (const [place, row] of rows.entries()) {
    for (const [name, values] of fields) row[name] = values[place]
  }
  return rows as { id: string }[]
}
