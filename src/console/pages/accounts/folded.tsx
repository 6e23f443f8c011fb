/** @jsxImportSource hono/jsx */
/** A part of an account's page that can be unfolded. On a phone all parts together would be many screens long. */

import type { Child } from '../../../site/http/html.ts'
import { Part } from '../../../site/ui/part.tsx'
import { figure } from '../../../site/ui/text.tsx'

/** The longest list that is shown unfolded. */
const FEW = 3

interface FoldedProps {
  id: string
  title: Child
  /** The number of things that are listed. */
  count?: number
  isOpen?: boolean
  children?: Child
}

/** A part under its heading, with its count. Folded unless `isOpen`. */
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
