/** @jsxImportSource hono/jsx */
/** Records as a table whose heads sort it and whose rows open; on a phone each row is a card. */
import type { Child } from '../http/html.ts'
import { Monogram } from './badges.tsx'
import { type ColumnHead, Table } from './page-parts.tsx'

export interface ListColumn extends Omit<ColumnHead, 'href' | 'sorted'> {
  /** The order that the head chooses, where there is one. */
  order?: string
}

export interface ListRow {
  name: string
  /** The box that selects it. */
  select?: Child
  /** The address of its picture, where there is one. */
  picture: string | undefined
  href: string
  /** Beside the name. */
  marks?: Child
  /** Below it. */
  text?: Child
  /** Cells after the first, in the order of the columns; null if not on record. */
  cells: readonly Child[]
}

interface ListTableProps {
  label: string
  columns: readonly ListColumn[]
  rows: readonly ListRow[]
  /** The order that the list is in. */
  order: string | undefined
  /** Returns the list's address in another order. */
  sorted(order: string): string
}

export function ListTable({ label, columns, rows, order: current, sorted }: ListTableProps) {
  const direction = current === 'name' ? 'ascending' : 'descending'
  const heads = columns.map(({ order, ...head }): ColumnHead => {
    if (order === undefined) return head
    return { ...head, href: sorted(order), sorted: order === current ? direction : undefined }
  })
  return (
    <Table
      label={label}
      isRecords
      columns={heads}
      rows={rows.map((row) => [
        <Subject row={row} />,
        ...row.cells.map((cell) => cell ?? <span class="quiet">–</span>),
      ])}
    />
  )
}

function Subject({ row: { name, select, picture, href, marks, text } }: { row: ListRow }) {
  return (
    <div class="subject">
      {select}
      <Monogram name={name} picture={picture} />
      <div>
        <a class="name" href={href}>
          <bdi>{name}</bdi>
        </a>{' '}
        {marks}
        {text ? <p>{text}</p> : null}
      </div>
    </div>
  )
}
