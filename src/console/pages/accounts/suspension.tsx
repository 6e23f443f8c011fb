/** @jsxImportSource hono/jsx */
/** Suspending an account and letting it go on, on the operator's page of it. Both are undone by a second act, so no code is asked for. */
import type { Account } from '../../../money/accounts/accounts.ts'
import { validLine } from '../../../people/users/validation.ts'
import { type FormActions, type FormErrors, fieldText } from '../../../site/http/form-errors.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Field, Form, IdempotencyField } from '../../../site/ui/form.tsx'
import { Moment } from '../../../site/ui/text.tsx'
import { MAX_REASON, resumeAccount, suspendAccount } from '../../acts/accounts.ts'
import { performedOnce } from '../../ui/frame.tsx'
import { accountPath } from '../../ui/paths.ts'
import { done, doneOnce } from './done.ts'
import { Folded } from './folded.tsx'

interface SuspensionProps {
  context: SignedInContext
  account: Account
}

/** Stands first on the page of an account that is suspended. */
export function Suspension({ context, account }: SuspensionProps) {
  const { id, suspendedAt, suspensionReason } = account
  if (suspendedAt === null) return null
  return (
    <aside class="notice bad" aria-label="Suspension">
      <p>
        <strong>Suspended</strong> since <Moment at={suspendedAt} /> (UTC).{' '}
        <bdi>{suspensionReason}</bdi>
      </p>
      <Form context={context} action={accountPath(id)} class="inline">
        <IdempotencyField />
        <Submit action="resume" tone="quiet">
          Resume
        </Submit>
      </Form>
    </aside>
  )
}

/** Suspends, or changes the reason. */
export function SuspendForm({
  context,
  account,
  errors,
}: SuspensionProps & { errors: FormErrors | undefined }) {
  const { id, suspensionReason } = account
  const isSuspended = suspensionReason !== null
  return (
    <Folded
      id="suspend"
      title={isSuspended ? 'Change the reason' : 'Suspend'}
      isOpen={errors?.form.get('action') === 'suspend'}
    >
      <Form context={context} action={accountPath(id)}>
        <IdempotencyField />
        <Field
          name="reason"
          label="Reason"
          value={suspensionReason ?? undefined}
          autocomplete="off"
          maxlength={MAX_REASON}
          hint="The customer reads it on every page: say why, and what to do."
          errors={errors}
        />
        {isSuspended ? null : (
          <p class="note">
            From then on every call is refused, and whoever acts for the account reveals, makes and
            orders nothing. Nothing is lost; its plan and payments go on unless you end them.
          </p>
        )}
        <Submit action="suspend" tone={isSuspended ? undefined : 'danger'}>
          {isSuspended ? 'Save' : 'Suspend'}
        </Submit>
      </Form>
    </Folded>
  )
}

/** Each counts once: a form that is sent again after somebody resumed the account doesn't suspend it anew. */
export const SUSPENSION_ACTIONS: FormActions = {
  async suspend(context, form) {
    const reason = validLine('reason', fieldText(form, 'reason'), MAX_REASON)
    const act = suspendAccount(context.id, reason)
    return doneOnce(context, 'suspended', await performedOnce(context, form, act))
  },
  async resume(context, form) {
    const { isRepeated, result } = await performedOnce(context, form, resumeAccount(context.id))
    if (isRepeated) return done(context, 'before', true)
    // Somebody else may have resumed it first.
    return done(context, result ? 'resumed' : 'running', true)
  },
}
