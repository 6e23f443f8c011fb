/** @jsxImportSource hono/jsx */
/** Filters in force, each a link that removes it. */

/** @param filters each with the address of the page without it */
export function ActiveFilters({ filters }: { filters: readonly { text: string; href: string }[] }) {
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
    </ul>
  )
}
