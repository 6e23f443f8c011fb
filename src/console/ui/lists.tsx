/** @jsxImportSource hono/jsx */
/** Lists of the console's pages: each column beside what it shows of a row, and the tabs between lists. */
import type { Child } from '../../site/http/html.ts'
import type { PageContext } from '../../site/http/page.ts'
import { type Column, Table } from '../../site/ui/page-parts.tsx'

/** A column's head, and its cell in each row. */
export type Cells<T> = readonly (readonly [head: Column, cell: (row: T) => Child])[]

interface ListProps<T> {
  label: string
  rows: readonly T[]
  /** Stands in place of no rows. */
  none?: Child
  cells: Cells<T>
}

export function List<T>({ label, rows, none, cells }: ListProps<T>) {
  if (rows.length === 0) return none === undefined ? null : <p class="empty">{none}</p>
  return (
    <Table
      label={label}
      isCards
      columns={cells.map(([head]) => head)}
      rows={rows.map((row) => cells.map(([, cell]) => cell(row)))}
    />
  )
}

interface TabsProps {
  context: PageContext
  label: string
  /** Paths of the lists, with what each is called. */
  tabs: readonly (readonly [path: string, name: string])[]
  /** Path of the list that is shown. */
  current: string | undefined
}

export const Tabs = ({ context, label, tabs, current }: TabsProps) => (
  <nav class="kinds" aria-label={label}>
    {tabs.map(([path, name]) => (
      <a href={context.href(path)} aria-current={path === current ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
)
