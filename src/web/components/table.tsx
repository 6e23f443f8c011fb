/** @jsxImportSource hono/jsx */
/** A table that scrolls by itself where the page is narrow. */
import type { Child, Html } from '../http/html.ts'

export interface Column {
  label: string
  isNumber?: boolean
}

/** @param rows cells in the columns' order; the first one names its row. */
export function Table({
  label,
  columns,
  rows,
}: {
  label: string
  columns: readonly Column[]
  rows: readonly (readonly Child[])[]
}): Html {
  return (
    <section class="table" tabindex={0} aria-label={`Table: ${label}`}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={column.isNumber ? 'number' : undefined}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([head, ...cells]) => (
            <tr>
              <th scope="row">{head}</th>
              {cells.map((cell, i) => (
                <td class={columns[i + 1]?.isNumber ? 'number' : undefined}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
