/** @jsxImportSource hono/jsx */
/** `/operator/confirm`: asks for the password and a code once more before what can't be undone. */

import type { Form as Fields } from '../../site/http/form.ts'
import {
  type FormErrors,
  fieldText,
  notFound,
  tooManyAttempts,
  withFormErrors,
} from '../../site/http/form-errors.ts'
import type { Page, Reply, SignedInContext } from '../../site/http/page.ts'
import { QuietLink, Submit } from '../../site/ui/actions.tsx'
import { CodeField } from '../../site/ui/fields.tsx'
import { Form, PasswordField } from '../../site/ui/form.tsx'
import {
  CONFIRM_PATH,
  DANGERS,
  type Danger,
  type DangerMaker,
  type DangerName,
  type Subject,
} from '../ui/dangers.tsx'
import { operatorPage } from '../ui/frame.tsx'
import { ACCOUNT_DANGERS } from './accounts/danger-acts.tsx'
import { DIRECTORY_DANGERS } from './directory/directory-dangers.tsx'
import { PAYMENT_DANGERS } from './payments/payment.tsx'
import { SYSTEM_DANGERS } from './system/backups.tsx'

const MAKERS: Readonly<Record<DangerName, DangerMaker>> = {
  ...ACCOUNT_DANGERS,
  ...PAYMENT_DANGERS,
  ...DIRECTORY_DANGERS,
  ...SYSTEM_DANGERS,
}

/** Target of the confirmation, which the form repeats. */
interface Asked extends Subject {
  name: DangerName
  danger: Danger
}

export async function confirmPage(context: SignedInContext): Promise<Page> {
  return pageOf(context, await askedIn(context, new URLSearchParams(context.query)))
}

export async function confirm(context: SignedInContext, form: Fields): Promise<Reply> {
  const asked = await askedIn(context, form)
  const again = (errors: FormErrors) => pageOf(context, asked, errors)
  return withFormErrors(form, again, async () => {
    // Before the code, which is good for one act.
    const act = asked.danger.prepare(form)
    const proof = { password: fieldText(form, 'password'), code: fieldText(form, 'code') }
    const { secondFactor } = context.application.users
    const proved = await secondFactor.prove(context.session, proof, context.address)
    if (proved.outcome === 'limited') throw tooManyAttempts(proved.retryAfter)
    const reply = await act()
    if (!reply) throw notFound(asked.danger.what)
    return reply
  })
}

/** @throws PageError 404 for what is not there, or not any more */
async function askedIn(context: SignedInContext, sent: Fields): Promise<Asked> {
  const name = DANGERS.find((danger) => danger === sent.get('act'))
  if (!name) throw notFound('act')
  const subject = { on: idIn(sent, 'on'), of: idIn(sent, 'of') }
  return { name, ...subject, danger: await MAKERS[name](context, subject) }
}

const idIn = (sent: Fields, field: string) => sent.get(field)?.toLowerCase() ?? ''

function pageOf(
  context: SignedInContext,
  { name, on, of, danger }: Asked,
  errors?: FormErrors,
): Page {
  return operatorPage(
    context,
    { title: danger.title, heading: `${danger.title}?`, shape: 'text', area: danger.back },
    <>
      <p class="lead">{danger.lead}</p>
      <Form context={context} action={CONFIRM_PATH}>
        <input type="hidden" name="act" value={name} />
        <input type="hidden" name="on" value={on} />
        <input type="hidden" name="of" value={of} />
        {danger.fields?.(errors)}
        <PasswordField label="Your password" errors={errors} />
        <CodeField of="either" errors={errors} />
        <p class="actions">
          <Submit tone="danger">{danger.label}</Submit>
          <QuietLink href={context.href(danger.back)}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}
