/** @jsxImportSource hono/jsx */
/** A part of an account's page that is opened when it is needed: all of them at once are many windows of a phone. */
import { Part } from '../../components/part.tsx'
import { figure } from '../../components/text.tsx'
import type { Child } from '../../http/html.ts'

/** Things that stand open: more of them are folded, and counted. */
const FEW = 3

interface FoldedProps {
  id: string
  title: Child
  /** The number of things that are listed. */
  count?: number
  isOpen?: boolean
  children?: Child
}

/** A part under its heading, with what it counts there. Closed unless it is said to be open. */
export function Folded({ id, title, count, isOpen = false, children }: FoldedProps) {
  return (
    <Part>
      <details class="folded" open={isOpen}>
        <summary>
          <h2 id={id}>
            {title}
            {count === undefined ? null : <span class="quiet"> {figure(count)}</span>}
          </h2>
        </summary>
        {children}
      </details>
    </Part>
  )
}

/** Whether a list is short enough to stand open. */
export const areFew = (things: readonly unknown[]): boolean =>
  things.length > 0 && things.length <= FEW
