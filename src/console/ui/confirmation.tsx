/** @jsxImportSource hono/jsx */
/** Irreversible actions: their names, the link to the page that asks for confirmation, and what each action tells that page. */

import type { Form as Fields } from '../../site/http/form.ts'
import type { FormErrors } from '../../site/http/form-errors.ts'
import type { Child } from '../../site/http/html.ts'
import type { Reply, SignedInContext } from '../../site/http/page.ts'
import type { OperatorContext } from './frame.tsx'

export const CONFIRM_PATH = '/operator/confirm'

/** Each folder of pages defines the confirmations of its own actions; `confirm.tsx` joins them. */
export const IRREVERSIBLE_ACTIONS = [
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
export type IrreversibleAction = (typeof IRREVERSIBLE_ACTIONS)[number]

/** The record that an action applies to. */
export interface Target {
  /** ID of an account, a payment, a person, a privacy request or a backup. */
  subject: string
  /** ID of a part of the subject, such as a grant, a key or a user; '' for the whole. */
  item: string
}

/** Texts of the confirmation page, and the action that follows. */
export interface Confirmation {
  /** Without its question mark. */
  title: string
  lead: Child
  /** Label of the button. */
  label: string
  /** Noun for the 404 message: "key", "grant". */
  noun: string
  /** Path that "Cancel" leads to. */
  back: string
  /** Fields of its own, above the password. */
  fields?: (errors: FormErrors | undefined) => Child
  /**
   * Checks those fields before the password and the code are.
   * @returns the action itself; its reply is undefined if the target is gone
   * @throws FieldError
   */
  prepare: (form: Fields) => () => Promise<Reply | undefined>
}

/** @throws PageError 404 for a target that doesn't exist (any more) */
export type LoadConfirmation = (context: OperatorContext, target: Target) => Promise<Confirmation>

interface ConfirmLinkProps {
  context: SignedInContext
  action: IrreversibleAction
  subject: string
  item?: string
  /** Text for screen readers. */
  label?: string
  /** Whether it stands among buttons and looks like one. */
  isButton?: boolean
  children?: Child
}

/** Link to the confirmation page of an action. */
export function ConfirmLink({
  context,
  action,
  subject,
  item,
  label,
  isButton = false,
  children,
}: ConfirmLinkProps) {
  const query = new URLSearchParams({ act: action, on: subject, ...(item && { of: item }) })
  return (
    <a
      href={context.href(`${CONFIRM_PATH}?${query}`)}
      class={isButton ? 'button quiet' : undefined}
      aria-label={label}
    >
      {children}
    </a>
  )
}
