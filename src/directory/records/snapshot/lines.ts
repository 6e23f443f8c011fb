/** Lines of a snapshot. Arrays stand behind the lines (`byte-area.ts`). */
import type { IndexPart } from '../../../../index-build/term-index.ts'
import { type AreaArray, type AreaPlace, type AreaWriter, arrayAt } from './byte-area.ts'

export type SnapshotKind = 'company' | 'round' | 'person'

/** Records of a kind, in the order of their slots. */
export interface SnapshotRows {
  kind: SnapshotKind
  rows: readonly { id: string }[]
  /** The pages on which their texts stand, and by page whether all of it is ASCII. */
  arrays: readonly Uint8Array[]
  isAscii: readonly boolean[]
}

/** A part of the index of the records of a kind, all of which come before it. */
export type SnapshotIndexPart = IndexPart & { kind: Exclude<SnapshotKind, 'round'> }

/** One order of the records of a kind, all of which come before it. */
export interface SnapshotOrder {
  kind: Exclude<SnapshotKind, 'round'>
  order: string
  arrays: readonly [slots: Uint32Array]
}

export type SnapshotContent = SnapshotRows | SnapshotIndexPart | SnapshotOrder

/** A content as a value of JSON: with columns for rows, and places for arrays. */
export function lineOf(content: SnapshotContent, area: AreaWriter): object {
  const arrays = (content.arrays as readonly AreaArray[]).map((array) => area.place(array))
  if (!('rows' in content)) return { ...content, arrays }
  const { kind, rows, ...rest } = content
  return { kind, columns: columnsOf(rows), ...rest, arrays }
}

interface Line {
  kind: SnapshotKind
  columns?: Columns
  arrays: AreaPlace[]
}

/** The content of a line. @throws Error where it has another shape, or names arrays that the area doesn't have */
export function contentOf(
  { columns, arrays: places, ...rest }: Line,
  area: Uint8Array<ArrayBuffer>,
): SnapshotContent {
  const arrays: readonly AreaArray[] = places.map((place) => arrayAt(area, place))
  const rows = columns === undefined ? {} : { rows: rowsOf(columns) }
  return { ...rest, ...rows, arrays } as SnapshotContent
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
