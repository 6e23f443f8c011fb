/** @jsxImportSource hono/jsx */
/** Links to the pages of a list or table: of one that is counted, and of one that nobody counts. */
import type { Child } from '../http/html.ts'
import { QuietLink } from './actions.tsx'
import { figure } from './text.tsx'

interface PagerProps {
  page: number
  totalPages: number
  /** A label for screen readers, if a page has several pagers. */
  label?: string
  /** The address of a page. */
  href: (page: number) => string
}

export function Pager({ page, totalPages, label = 'Pages', href }: PagerProps) {
  if (totalPages <= 1) return null
  return (
    <nav class="pager" aria-label={label}>
      {page > 1 ? (
        <a rel="prev" href={href(Math.min(page - 1, totalPages))}>
          Previous
        </a>
      ) : null}
      {around(page, totalPages).map((number, i, all) => (
        <>
          {number - (all[i - 1] ?? number - 1) > 1 ? <span class="gap">…</span> : null}
          <a
            href={href(number)}
            aria-label={`Page ${number}`}
            aria-current={number === page ? 'page' : undefined}
          >
            {figure(number)}
          </a>
        </>
      ))}
      {page < totalPages ? (
        <a rel="next" href={href(page + 1)}>
          Next
        </a>
      ) : null}
    </nav>
  )
}

interface PastTheEndProps {
  last: number
  /** The address of the last page. */
  href: string
  /** The count with its noun: "477 projects". */
  children?: Child
}

/** Stands instead of the rows of a page that there is not. */
export function PastTheEnd({ last, href, children }: PastTheEndProps) {
  return (
    <div class="empty">
      <p>
        There is no such page: the last of {children} is on page {figure(last)}.
      </p>
      <p>
        <QuietLink href={href}>Go to the last page</QuietLink>
      </p>
    </div>
  )
}

interface NewerOlderProps {
  /** The address of the page before this one; undefined where this is the first, or there is no way back. */
  newer?: string | undefined
  /** The address of the page behind this one; undefined where this is the last. */
  older?: string | undefined
}

/** Links of a list, newest first, whose pages nobody counts. */
export function NewerOlder({ newer, older }: NewerOlderProps) {
  if (newer === undefined && older === undefined) return null
  return (
    <nav class="pager" aria-label="Pages">
      {newer === undefined ? null : (
        <a rel="prev" href={newer}>
          Newer
        </a>
      )}
      {older === undefined ? null : (
        <a rel="next" href={older}>
          Older
        </a>
      )}
    </nav>
  )
}

/** Returns the first and the last page, the current one and its neighbours. */
function around(page: number, last: number): number[] {
  const near = [1, page - 1, page, page + 1].filter((number) => number >= 1 && number < last)
  return [...new Set([...near, last])]
}
