/** @jsxImportSource hono/jsx */
/** Filters in force, each a link that removes it. */

/** Shown, at most: each link names all the others, so that the addresses of hundreds would be megabytes. */
export const FILTERS_SHOWN = 20

interface ActiveFiltersProps {
  /** Each with the address of the page without it. */
  filters: readonly { text: string; href: string }[]
  /** The number of all, if not all are shown. */
  count?: number
  /** The address of the page without all of them, where there is one. */
  clear?: string
}

export function ActiveFilters({ filters, count = filters.length, clear }: ActiveFiltersProps) {
  if (filters.length === 0) return null
  const left = count - filters.length
  return (
    <ul class="active" aria-label="Active filters">
      {filters.map(({ text, href }) => (
        <li>
          <a href={href} aria-label={`Remove ${text}`}>
            <bdi>{text}</bdi> <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
      {left > 0 ? <li>and {left} more</li> : null}
      {clear && filters.length > 1 ? (
        <li>
          <a class="clear" href={clear}>
            Clear all
          </a>
        </li>
      ) : null}
    </ul>
  )
}
