/** @jsxImportSource hono/jsx */
/** What can't be undone, and the page that asks once more before it. */

import type { Child } from '../http/html.ts'
import type { SignedInContext } from '../http/page.ts'

export const CONFIRM_PATH = '/operator/confirm'

export const DANGERS = [
  'take-back',
  'stop-plan',
  'revoke-key',
  'revoke-keys',
  'end-sessions',
  'reset-link',
  'factor-off',
] as const
export type Danger = (typeof DANGERS)[number]

/** @param of the id of the account's grant, key or person that it is done to, where it is one of several */
const confirmPath = (danger: Danger, account: string, of?: string): string =>
  `${CONFIRM_PATH}?${new URLSearchParams({ act: danger, account, ...(of && { of }) })}`

interface DangerLinkProps {
  context: SignedInContext
  danger: Danger
  account: string
  of?: string
  label?: string
  children?: Child
}

/** Leads to the page that asks once more. @param label for screen readers */
export function DangerLink({ context, danger, account, of, label, children }: DangerLinkProps) {
  return (
    <a href={context.href(confirmPath(danger, account, of))} aria-label={label}>
      {children}
    </a>
  )
}
