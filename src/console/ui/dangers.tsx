/** @jsxImportSource hono/jsx */
/** Irreversible actions: the link, and the page that asks for confirmation. */

import type { Form as Fields } from '../../site/http/form.ts'
import type { FormErrors } from '../../site/http/form-errors.ts'
import type { Child } from '../../site/http/html.ts'
import type { Reply, SignedInContext } from '../../site/http/page.ts'

export const CONFIRM_PATH = '/operator/confirm'

/** The names of all of them. Each area of pages makes its own, and `confirm.tsx` joins them. */
export const DANGERS = [
  'take-back',
  'stop-plan',
  'revoke-key',
  'revoke-keys',
  'end-sessions',
  'reset-link',
  'factor-off',
  'verify',
  'refund',
  'erase',
  'erase-asked',
  'request-done',
  'request-refused',
  'answer',
  'download-backup',
] as const
export type DangerName = (typeof DANGERS)[number]

/** To what something is done. */
export interface Subject {
  /** The id of an account, or of what else the area has pages of. */
  on: string
  /** The id of one of several that it has, as a grant, a key or a person; '' where it is done to the whole. */
  of: string
}

/** An irreversible action: the texts of its page, and the action. */
export interface Danger {
  /** Without its question mark. */
  title: string
  lead: Child
  /** Label of the button. */
  label: string
  /** Noun for the 404 message: "key", "grant". */
  what: string
  /** Where “Cancel” leads. */
  back: string
  fields?: (errors: FormErrors | undefined) => Child
  /** Checks the form's own fields. @returns what does it: undefined where there was nothing to do it to. @throws FieldError */
  prepare: (form: Fields) => () => Promise<Reply | undefined>
}

/** @throws PageError 404 for what is not there, or not any more */
export type DangerMaker = (context: SignedInContext, subject: Subject) => Promise<Danger>

const confirmPath = (danger: DangerName, on: string, of?: string): string =>
  `${CONFIRM_PATH}?${new URLSearchParams({ act: danger, on, ...(of && { of }) })}`

interface DangerLinkProps {
  context: SignedInContext
  danger: DangerName
  on: string
  of?: string
  label?: string
  /** Whether it stands among buttons and looks like one. */
  isButton?: boolean
  children?: Child
}

/** Leads to the page that asks once more. @param label for screen readers */
export function DangerLink({
  context,
  danger,
  on,
  of,
  label,
  isButton = false,
  children,
}: DangerLinkProps) {
  return (
    <a
      href={context.href(confirmPath(danger, on, of))}
      class={isButton ? 'button quiet' : undefined}
      aria-label={label}
    >
      {children}
    </a>
  )
}
