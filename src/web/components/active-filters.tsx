/** @jsxImportSource hono/jsx */
/** Filters in force, each a link that removes it. */

interface ActiveFiltersProps {
  /** Each with the address of the page without it. */
  filters: readonly { text: string; href: string }[]
  /** The address of the page without all of them, where there is one. */
  clear?: string
}

export function ActiveFilters({ filters, clear }: ActiveFiltersProps) {
  if (filters.length === 0) return null
  return (
    <ul class="active" aria-label="Active filters">
      {filters.map(({ text, href }) => (
        <li>
          <a href={href} aria-label={`Remove ${text}`}>
            {text} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
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
