/** @jsxImportSource hono/jsx */
/** Records as a table whose heads sort it and whose rows open; on a phone each row is a card. */
import type { Child } from '../http/html.ts'
import { Monogram } from './badges.tsx'

export interface ListColumn {
  label: string
  /** The order that the head chooses, where there is one. */
  order?: string
  isNumber?: boolean
  /** At the right of the name on a card. */
  isEnd?: boolean
  /** Narrower windows leave it out: the record's own page has it. */
  isExtra?: boolean
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

export function ListTable({ label, columns, rows, order, sorted }: ListTableProps) {
  const classes = columns.map(({ isNumber, isEnd, isExtra }) =>
    [isNumber && 'number', isEnd && 'end', isExtra && 'extra'].filter(Boolean).join(' '),
  )
  return (
    <div class="table cards records">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <th
                scope="col"
                class={classes[i] || undefined}
                aria-sort={
                  column.order !== undefined && column.order === order
                    ? order === 'name'
                      ? 'ascending'
                      : 'descending'
                    : undefined
                }
              >
                {column.order ? <a href={sorted(column.order)}>{column.label}</a> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, select, picture, href, marks, text, cells }) => (
            <tr>
              <th scope="row">
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
              </th>
              {cells.map((cell, i) => (
                <td
                  class={classes[i + 1] || undefined}
                  data-label={columns[i + 1]?.isEnd ? undefined : columns[i + 1]?.label}
                >
                  {cell ?? <span class="quiet">–</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
