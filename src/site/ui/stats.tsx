/** @jsxImportSource hono/jsx */
/** Large figures at the head of a profile. */
import type { Child } from '../http/html.ts'

export interface Stat {
  name: string
  /** A figure whose value is null is left out. */
  value: Child
  /** Small text below the figure. */
  note?: Child
}

export function Stats({ stats }: { stats: readonly Stat[] }) {
  const known = stats.filter(({ value }) => value !== null && value !== undefined)
  if (known.length === 0) return null
  return (
    <dl class="stats">
      {known.map(({ name, value, note }) => (
        <div>
          <dt>{name}</dt>
          <dd class="value">{value}</dd>
          {note ? <dd class="note">{note}</dd> : null}
        </div>
      ))}
    </dl>
  )
}
