/** @jsxImportSource hono/jsx */
/** The link to the page that asks before an act is done. */
import type { Child } from '../../site/http/html.ts'
import type { PageContext } from '../../site/http/page.ts'
import type { Act } from '../acts/act.ts'

export const CONFIRM = '/operator/confirm'

/** @param on what the act's page shows @param of a part of that */
export const confirmPath = (act: string, on: string, of = ''): string =>
  `${CONFIRM}?${new URLSearchParams({ act, on, ...(of && { of }) })}`

interface ConfirmLinkProps {
  context: PageContext
  act: Pick<Act, 'name'>
  on: string
  of?: string
  /** Text for screen readers. */
  label?: string
  /** True if it stands among buttons and looks like one. */
  isButton?: boolean
  children?: Child
}

export function ConfirmLink({ context, act, on, of, label, isButton, children }: ConfirmLinkProps) {
  return (
    <a
      href={context.href(confirmPath(act.name, on, of))}
      class={isButton ? 'button quiet' : undefined}
      aria-label={label}
    >
      {children}
    </a>
  )
}
