/** @jsxImportSource hono/jsx */
import type { Child, Html } from '../http/html.ts'
import { figure } from './text.tsx'

interface SectionProps {
  id: string
  title: Child
  count?: number
  children?: Child
}

/** A part of a page under its heading. @param id the fragment that links name @param count the number of things listed */
export function Section({ id, title, count, children }: SectionProps): Html {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title}
        {count === undefined ? null : <span class="quiet"> {figure(count)}</span>}
      </h2>
      {children}
    </section>
  )
}
