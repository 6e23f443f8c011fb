/** @jsxImportSource hono/jsx */
/** `/settings/two-step`: turns on that signing in asks for a code of an app, and leads to what can be changed of it. */
import { type SecondFactor, secondFactorOf } from '../../../people/users/second-factor-store.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  type FormActions,
  type FormErrors,
  fieldText,
  runAction,
  tooManyAttempts,
} from '../../http/form-errors.ts'
import type { Html } from '../../http/html.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { ButtonLink, QuietLink, Submit } from '../../ui/actions.tsx'
import { CodeField } from '../../ui/fields.tsx'
import { Form, PasswordField } from '../../ui/form.tsx'
import { Code, Flash, Notice, personalPage } from '../../ui/page-parts.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Day, plural } from '../../ui/text.tsx'
import { recoveryCodesPage } from './recovery-codes.tsx'

export const TWO_STEP_PATH = '/settings/two-step'

/** Recovery codes that are few enough to say so. */
const FEW = 3

const MESSAGES = {
  off: 'Two-step sign-in is off. Your password alone signs in.',
  on: 'Two-step sign-in is on.',
  late: 'That took more than an hour, or was begun anew elsewhere. Begin again.',
}

const ACTIONS: FormActions = { begin, on: turnOn }

export async function twoStepPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { application, session } = context
  const factor = await secondFactorOf(application.database, session.user.id)
  const begun = factor ? undefined : await application.users.secondFactor.begun(session)
  return personalPage(
    { title: 'Two-step sign-in' },
    <>
      <Flash context={context} messages={MESSAGES} />
      {factor ? <IsOn context={context} factor={factor} /> : null}
      {begun ? <Begun context={context} begun={begun} errors={errors} /> : null}
      {factor || begun ? null : <IsOff context={context} errors={errors} />}
      <p class="beside">
        <a href={context.href('/settings')}>Back to settings</a>
      </p>
    </>,
  )
}

interface StateProps {
  context: SignedInContext
  errors?: FormErrors | undefined
}

function IsOff({ context, errors }: StateProps) {
  return (
    <>
      <p class="lead">
        It is off. When it is on, signing in asks for your password and then for a code, which an
        authenticator app or a password manager shows.
      </p>
      <p>
        Whoever learns your password can’t sign in without your phone. API keys work on as before.
      </p>
      <Form context={context} action={TWO_STEP_PATH}>
        <PasswordField label="Your password" errors={errors} />
        <Submit action="begin">Set up</Submit>
      </Form>
    </>
  )
}

interface BegunProps extends StateProps {
  begun: { secret: string; uri: string }
}

function Begun({ context, begun: { secret, uri }, errors }: BegunProps) {
  return (
    <>
      <p class="lead">Scan this with your app, then enter the code that it shows.</p>
      <QrCode text={uri} label="The secret below, as a picture to scan" />
      <p>
        No camera? <a href={uri}>Open it in the app of this device</a>, or type this secret, which
        is for a time-based code:
      </p>
      <Code isCommand text={secret.replace(/.{4}(?=.)/g, '$& ')} />
      <Form context={context} action={TWO_STEP_PATH}>
        <CodeField of="app" errors={errors} />
        <Submit action="on">Turn on</Submit>
      </Form>
      <p class="note">
        It is not on yet. When it is, every other browser is signed out, and you get recovery codes.
      </p>
    </>
  )
}

function IsOn({ context, factor }: StateProps & { factor: SecondFactor }): Html {
  const left = factor.recoveryCodesLeft
  return (
    <>
      <p class="lead">
        On since <Day at={factor.onSince} />. Signing in asks for a code of your app after the
        password, even after a password reset.
      </p>
      {left <= FEW ? (
        <Notice tone="warn">
          {left === 0
            ? 'No recovery code is left.'
            : `Only ${plural(left, 'recovery code is', 'recovery codes are')} left.`}{' '}
          Make new ones: without your phone they alone let you in.
        </Notice>
      ) : (
        <p>{left} recovery codes are left, for the day on which you don’t have your phone.</p>
      )}
      <p class="actions">
        <ButtonLink href={context.href(`${TWO_STEP_PATH}/codes`)}>New recovery codes</ButtonLink>
        <QuietLink href={context.href(`${TWO_STEP_PATH}/off`)}>Turn off</QuietLink>
      </p>
      <p class="note">
        A new phone? Turn two-step sign-in off, then set it up again with the new phone.
      </p>
    </>
  )
}

export function changeTwoStep(context: SignedInContext, form: Fields): Promise<Reply> {
  return runAction(ACTIONS, context, form, twoStepPage)
}

async function begin(context: SignedInContext, form: Fields): Promise<Reply> {
  const { session, address, application } = context
  const password = fieldText(form, 'password')
  const begun = await application.users.secondFactor.begin(session, password, address)
  if (begun.outcome === 'limited') throw tooManyAttempts(begun.retryAfter)
  if (begun.outcome === 'on') return redirect(context.href(`${TWO_STEP_PATH}?said=on`))
  return redirect(context.href(TWO_STEP_PATH), 303, begun.cookies)
}

async function turnOn(context: SignedInContext, form: Fields): Promise<Reply> {
  const { session, request, application } = context
  const on = await application.users.secondFactor.turnOn(session, fieldText(form, 'code'), request)
  if (on.outcome === 'expired') return redirect(context.href(`${TWO_STEP_PATH}?said=late`))
  return recoveryCodesPage(context, 'Two-step sign-in is on', on.codes)
}
