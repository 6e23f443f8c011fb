/** @jsxImportSource hono/jsx */
/** `/settings/two-step/codes` makes new recovery codes, `/settings/two-step/off` turns the second step off: each by password and code. */
import { hasSecondFactor } from '../../../people/users/second-factor-store.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  type FormErrors,
  fieldText,
  tooManyAttempts,
  withFormErrors,
} from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { Confirmation } from '../../ui/actions.tsx'
import { CodeField } from '../../ui/fields.tsx'
import { PasswordField } from '../../ui/form.tsx'
import { personalPage } from '../../ui/page-parts.tsx'
import { recoveryCodesPage } from './recovery-codes.tsx'
import { TWO_STEP_PATH } from './two-step.tsx'

const CODES = {
  title: 'New recovery codes',
  heading: <>New recovery codes</>,
  action: `${TWO_STEP_PATH}/codes`,
  label: 'Make new codes',
  lead: 'You get ten new codes. Those that you have now work no more.',
  isDangerous: false,
}

const OFF = {
  title: 'Turn off two-step sign-in?',
  heading: (
    <>
      Turn off <span class="unbroken">two-step</span> <span class="unbroken">sign-in?</span>
    </>
  ),
  action: `${TWO_STEP_PATH}/off`,
  label: 'Turn off',
  lead: 'Your password alone signs in then, and your recovery codes work no more.',
  isDangerous: true,
}

export const codesPage = (context: SignedInContext) => ifOn(context, CODES)
export const offPage = (context: SignedInContext) => ifOn(context, OFF)

async function ifOn(context: SignedInContext, of: typeof CODES): Promise<Reply> {
  const isOn = await hasSecondFactor(context.application.database, context.session.user.id)
  return isOn ? proofForm(context, of) : redirect(context.href(TWO_STEP_PATH))
}

function proofForm(context: SignedInContext, of: typeof CODES, errors?: FormErrors): Page {
  return personalPage(
    { title: of.title, heading: of.heading },
    <>
      <p class="lead">{of.lead}</p>
      <Confirmation
        context={context}
        action={of.action}
        label={of.label}
        isDangerous={of.isDangerous}
      >
        <PasswordField label="Your password" errors={errors} isFirst />
        <CodeField of="either" errors={errors} />
      </Confirmation>
    </>,
  )
}

export function makeCodes(context: SignedInContext, form: Fields): Promise<Reply> {
  const again = (errors: FormErrors) => proofForm(context, CODES, errors)
  return withFormErrors(form, again, async () => {
    const { secondFactor } = context.application.users
    const done = await secondFactor.renewCodes(context.session, proofIn(form), context.address)
    if (done.outcome === 'limited') throw tooManyAttempts(done.retryAfter)
    return recoveryCodesPage(context, 'New recovery codes', done.codes)
  })
}

export function turnOff(context: SignedInContext, form: Fields): Promise<Reply> {
  const again = (errors: FormErrors) => proofForm(context, OFF, errors)
  return withFormErrors(form, again, async () => {
    const { secondFactor } = context.application.users
    const done = await secondFactor.turnOff(context.session, proofIn(form), context.address)
    if (done.outcome === 'limited') throw tooManyAttempts(done.retryAfter)
    return redirect(context.href(`${TWO_STEP_PATH}?said=off`))
  })
}

const proofIn = (form: Fields) => ({
  password: fieldText(form, 'password'),
  code: fieldText(form, 'code'),
})
