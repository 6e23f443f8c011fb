/** @jsxImportSource hono/jsx */
/**
 * `/operator/confirm?act=ACTION&on=SUBJECT&of=ITEM`: the one page that every irreversible action goes through.
 * It says what will happen, asks for the password and a code once more, and then does it.
 */

import type { Form as Fields } from '../../site/http/form.ts'
import {
  type FormErrors,
  fieldText,
  notFound,
  tooManyAttempts,
  withFormErrors,
} from '../../site/http/form-errors.ts'
import type { Page, Reply } from '../../site/http/page.ts'
import { QuietLink, Submit } from '../../site/ui/actions.tsx'
import { CodeField } from '../../site/ui/fields.tsx'
import { Form, PasswordField } from '../../site/ui/form.tsx'
import {
  CONFIRM_PATH,
  type Confirmation,
  IRREVERSIBLE_ACTIONS,
  type IrreversibleAction,
  type LoadConfirmation,
  type Target,
} from '../ui/confirmation.tsx'
import { type OperatorContext, operatorPage } from '../ui/frame.tsx'
import { ACCOUNT_CONFIRMATIONS } from './accounts/account-confirmations.tsx'
import { PERSON_CONFIRMATIONS } from './directory/person-confirmations.tsx'
import { PAYMENT_CONFIRMATIONS } from './payments/payment.tsx'
import { BACKUP_CONFIRMATIONS } from './system/backups.tsx'

const CONFIRMATIONS: Readonly<Record<IrreversibleAction, LoadConfirmation>> = {
  ...ACCOUNT_CONFIRMATIONS,
  ...PAYMENT_CONFIRMATIONS,
  ...PERSON_CONFIRMATIONS,
  ...BACKUP_CONFIRMATIONS,
}

/** The action that the address or the form names, with its texts. */
interface Request extends Target {
  action: IrreversibleAction
  confirmation: Confirmation
}

export async function confirmPage(context: OperatorContext): Promise<Page> {
  return pageOf(context, await readRequest(context, new URLSearchParams(context.query)))
}

export async function confirm(context: OperatorContext, form: Fields): Promise<Reply> {
  const request = await readRequest(context, form)
  const again = (errors: FormErrors) => pageOf(context, request, errors)
  return withFormErrors(form, again, async () => {
    // The form is checked before the code, because a code counts once.
    const act = request.confirmation.prepare(form)
    const proof = { password: fieldText(form, 'password'), code: fieldText(form, 'code') }
    const { secondFactor } = context.application.users
    const check = await secondFactor.prove(context.session, proof, context.address)
    if (check.outcome === 'limited') throw tooManyAttempts(check.retryAfter)
    const reply = await act()
    if (!reply) throw notFound(request.confirmation.noun)
    return reply
  })
}

/** @throws PageError 404 for an unknown action, or a subject that doesn't exist (any more) */
async function readRequest(context: OperatorContext, sent: Fields): Promise<Request> {
  const action = IRREVERSIBLE_ACTIONS.find((each) => each === sent.get('act'))
  if (!action) throw notFound('act')
  const target = { subject: idIn(sent, 'on'), item: idIn(sent, 'of') }
  return { action, ...target, confirmation: await CONFIRMATIONS[action](context, target) }
}

const idIn = (sent: Fields, field: string) => sent.get(field)?.toLowerCase() ?? ''

function pageOf(
  context: OperatorContext,
  { action, subject, item, confirmation }: Request,
  errors?: FormErrors,
): Page {
  const { title, lead, label, back, fields } = confirmation
  return operatorPage(
    context,
    { title, heading: `${title}?`, shape: 'text', area: back },
    <>
      <p class="lead">{lead}</p>
      <Form context={context} action={CONFIRM_PATH}>
        <input type="hidden" name="act" value={action} />
        <input type="hidden" name="on" value={subject} />
        <input type="hidden" name="of" value={item} />
        {fields?.(errors)}
        <PasswordField label="Your password" errors={errors} />
        <CodeField of="either" errors={errors} />
        <p class="actions">
          <Submit tone="danger">{label}</Submit>
          <QuietLink href={context.href(back)}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}
