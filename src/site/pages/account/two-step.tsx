/** @jsxImportSource hono/jsx */
/** `/settings/two-step`: turns the second step of signing in on; `/codes` below it makes new recovery codes, `/off` turns it off. */

import { encode } from 'uqr'
import {
  hasSecondFactor,
  type SecondFactor,
  secondFactorOf,
} from '../../../people/users/second-factor-store.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  type FormActions,
  type FormErrors,
  fieldText,
  runAction,
  tooManyAttempts,
  withFormErrors,
} from '../../http/form-errors.ts'
import type { Html } from '../../http/html.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { ButtonLink, Confirmation, QuietLink, Submit } from '../../ui/actions.tsx'
import { CodeField } from '../../ui/fields.tsx'
import { Form, PasswordField } from '../../ui/form.tsx'
import { Code, Flash, Notice, personalPage } from '../../ui/page-parts.tsx'
import { Day, plural } from '../../ui/text.tsx'

export const TWO_STEP_PATH = '/settings/two-step'

/** Remaining recovery codes at which the page warns. */
const FEW = 3

const MESSAGES = {
  off: 'Two-step sign-in is off. Your password alone signs in.',
  on: 'Two-step sign-in is on.',
  late: 'The setup took more than an hour, or was started again elsewhere. Start again.',
}

const ACTIONS: FormActions = { begin, on: turnOn }

export async function twoStepPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { application, session } = context
  const factor = await secondFactorOf(application.database, session.user.id)
  const setup = factor ? undefined : await application.users.secondFactor.setup(session)
  return personalPage(
    { title: 'Two-step sign-in' },
    <>
      <Flash context={context} messages={MESSAGES} />
      {factor ? <IsOn context={context} factor={factor} /> : null}
      {setup ? <Setup context={context} setup={setup} errors={errors} /> : null}
      {factor || setup ? null : <IsOff context={context} errors={errors} />}
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
      <p>Whoever learns your password can’t sign in without your phone. API keys keep working.</p>
      <Form context={context} action={TWO_STEP_PATH}>
        <PasswordField label="Your password" errors={errors} />
        <Submit action="begin">Set up</Submit>
      </Form>
    </>
  )
}

interface SetupProps extends StateProps {
  setup: { secret: string; uri: string }
}

function Setup({ context, setup: { secret, uri }, errors }: SetupProps) {
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
  const setup = await application.users.secondFactor.begin(session, password, address)
  if (setup.outcome === 'limited') throw tooManyAttempts(setup.retryAfter)
  if (setup.outcome === 'on') return redirect(context.href(`${TWO_STEP_PATH}?said=on`))
  return redirect(context.href(TWO_STEP_PATH), 303, setup.cookies)
}

async function turnOn(context: SignedInContext, form: Fields): Promise<Reply> {
  const { session, request, application } = context
  const on = await application.users.secondFactor.turnOn(session, fieldText(form, 'code'), request)
  if (on.outcome === 'expired') return redirect(context.href(`${TWO_STEP_PATH}?said=late`))
  return recoveryCodesPage(context, 'Two-step sign-in is on', on.codes)
}

const CODES = {
  title: 'New recovery codes',
  heading: <>New recovery codes</>,
  action: `${TWO_STEP_PATH}/codes`,
  label: 'Make new codes',
  lead: 'You get ten new codes. Your current codes stop working.',
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
  lead: 'Your password alone will sign you in, and your recovery codes stop working.',
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
    const result = await secondFactor.renewCodes(context.session, proofIn(form), context.address)
    if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter)
    return recoveryCodesPage(context, 'New recovery codes', result.codes)
  })
}

export function turnOff(context: SignedInContext, form: Fields): Promise<Reply> {
  const again = (errors: FormErrors) => proofForm(context, OFF, errors)
  return withFormErrors(form, again, async () => {
    const { secondFactor } = context.application.users
    const result = await secondFactor.turnOff(context.session, proofIn(form), context.address)
    if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter)
    return redirect(context.href(`${TWO_STEP_PATH}?said=off`))
  })
}

const proofIn = (form: Fields) => ({
  password: fieldText(form, 'password'),
  code: fieldText(form, 'code'),
})

function recoveryCodesPage(
  context: SignedInContext,
  title: string,
  codes: readonly string[],
): Page {
  const { serviceName, appUrl } = context.site
  const text = `Recovery codes of ${context.session.user.email} at ${serviceName} (${appUrl})\nEach works once.\n\n${codes.join('\n')}\n`
  return personalPage(
    { title },
    <div data-shown-once>
      <Notice tone="warn">
        These are your recovery codes. This page shows them once: copy, download or print them now,
        and keep them where you don’t keep your phone.
      </Notice>
      <Code isCommand text={codes.join('\n')} />
      <p>Each works once, in place of a code from your app.</p>
      <p class="actions">
        {/* The link contains the file, so that the server stores no codes and no script is needed. */}
        <a
          class="button"
          download="recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
        >
          Download as text
        </a>
        <QuietLink href={context.href('/settings/two-step')}>Done</QuietLink>
      </p>
    </div>,
  )
}

/** Light modules around the picture, which scanners need. */
const BORDER = 4

/** @param text what a scanner reads @param label what screen readers say instead of it */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: BORDER })
  const runs = data.flatMap((row, y) =>
    darkRuns(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`),
  )
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={runs.join('')} />
    </svg>
  )
}

/** Runs of dark modules in a row, each with its start and length. */
function darkRuns(row: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = []
  for (const [x, isDark] of row.entries()) {
    if (!isDark) continue
    const last = runs.at(-1)
    if (last && last[0] + last[1] === x) last[1]++
    else runs.push([x, 1])
  }
  return runs
}
