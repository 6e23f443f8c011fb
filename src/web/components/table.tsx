/** @jsxImportSource hono/jsx */
/** A table, which scrolls sideways where the page is narrow. */
import type { Child } from '../http/html.ts'

/** A column's label; numbers are aligned to the right. */
type Column = string | { label: string; isNumber?: boolean }

/** A column of numbers. */
export const numbers = (label: string): Column => ({ label, isNumber: true })

interface TableProps {
  label: string
  columns: readonly Column[]
  rows?: readonly (readonly Child[])[]
  /** Further rows. */
  children?: Child
}

/** @param rows cells in the order of the columns; the first cell names its row */
export function Table({ label, columns, rows = [], children }: TableProps) {
  const heads = columns.map((column) => (typeof column === 'string' ? { label: column } : column))
  const classes = heads.map(({ isNumber }) => (isNumber ? 'number' : undefined))
  return (
    <section class="table" tabindex={0} aria-label={`Table: ${label}`}>
      <table>
        <thead>
          <tr>
            {heads.map((head, i) => (
              <th scope="col" class={classes[i]}>
                {head.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([head, ...cells]) => (
            <tr>
              <th scope="row">{head}</th>
              {cells.map((cell, i) => (
                <td class={classes[i + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
          {children}
        </tbody>
      </table>
    </section>
  )
}
