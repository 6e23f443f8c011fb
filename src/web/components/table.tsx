/** @jsxImportSource hono/jsx */
/** A table, which scrolls sideways where the page is narrow. */
import type { Child } from '../http/html.ts'

/** A column's label; numbers are aligned to the right. */
export type Column = string | { label: string; isNumber?: boolean }

/** A column of numbers. */
export function numbers(label: string): Column {
  return { label, isNumber: true }
}

const labelOf = (column: Column) => (typeof column === 'string' ? column : column.label)
const classOf = (column: Column | undefined) =>
  typeof column === 'object' && column.isNumber ? 'number' : undefined

interface TableProps {
  label: string
  columns: readonly Column[]
  rows?: readonly (readonly Child[])[]
  /** Further rows. */
  children?: Child
}

/** @param rows cells in the order of the columns; the first cell names its row */
export function Table({ label, columns, rows = [], children }: TableProps) {
  return (
    <section class="table" tabindex={0} aria-label={`Table: ${label}`}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)}>
                {labelOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([head, ...cells]) => (
            <tr>
              <th scope="row">{head}</th>
              {cells.map((cell, i) => (
                <td class={classOf(columns[i + 1])}>{cell}</td>
              ))}
            </tr>
          ))}
          {children}
        </tbody>
      </table>
    </section>
  )
}
