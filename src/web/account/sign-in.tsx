/** @jsxImportSource hono/jsx */
/** `/sign-in`, `/sign-out`, and `/sign-up`: an account on trial, whose `?ref=` is a referral code. */
import { TRIAL_DAYS } from '../../contract/tiers.ts'
import { Submit } from '../components/actions.tsx'
import {
  EmailField,
  Form,
  NameField,
  NewPasswordField,
  PasswordField,
} from '../components/form.tsx'
import { Flash, Notice, personalPage } from '../components/page-parts.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, fieldText, tooManyAttempts, withFormErrors } from '../http/form-errors.ts'
import type { Child } from '../http/html.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { returnUrlOf, withReturnUrl } from '../http/return-url.ts'
import { NO_TRIAL } from './no-trial.ts'

/** The page after signing in without a return URL. */
const HOME = '/overview'

const MESSAGES: Readonly<Record<string, string>> = {
  password: 'Your password is changed. Sign in with the new one.',
  confirmed: 'Your address is confirmed. Sign in.',
  left: 'You have left the workspace. Sign in to your own account.',
}

export function signInPage(context: PageContext): Reply {
  const returnUrl = returnUrlOf(new URLSearchParams(context.query))
  if (context.session) return redirect(context.href(returnUrl ?? HOME))
  const notice = <Flash context={context} messages={MESSAGES} />
  return signInForm(context, { email: '', returnUrl, notice })
}

export async function signIn(context: PageContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const returnUrl = returnUrlOf(form)
  const [email, password] = [fieldText(form, 'email'), fieldText(form, 'password')]
  const signedIn = await users.signIn({ email, password }, context.request, context.address)
  if (signedIn.outcome === 'signed_in')
    return redirect(context.href(returnUrl ?? HOME), 303, signedIn.cookies)
  if (signedIn.outcome === 'limited') throw tooManyPasswords(signedIn.retryAfter)
  const notice =
    signedIn.outcome === 'unverified' ? (
      <Notice tone="warn">
        This address is not confirmed yet. We sent it a link: open it, then sign in.
      </Notice>
    ) : (
      <Notice tone="bad">Wrong e-mail address or password.</Notice>
    )
  return { ...signInForm(context, { email, returnUrl, notice }), status: 422 }
}

export function signOutPage(context: PageContext): Reply {
  if (!context.session) return redirect(context.href('/'))
  return personalPage(
    { title: 'Sign out', heading: 'Sign out?' },
    <Form context={context} action="/sign-out">
      <Submit>Sign out</Submit>
    </Form>,
  )
}

export async function signOut({ application, request, href }: PageContext): Promise<Reply> {
  const { cookies } = await application.users.signOut(request)
  return redirect(href('/'), 303, cookies)
}

/** Says the way in that nobody else's wrong passwords can close (D110). @param retryAfter seconds */
function tooManyPasswords(retryAfter: number): PageError {
  const { title, message, status, headers } = tooManyAttempts(retryAfter)
  const wayIn = 'Or reset your password: the browser in which you do that can sign in at once.'
  return new PageError(status, title, `${message} ${wayIn}`, headers)
}

/** @param email the value of its field */
function signInForm(
  context: PageContext,
  { email, returnUrl, notice }: { email: string; returnUrl: string | undefined; notice: Child },
): Page {
  return personalPage(
    { title: 'Sign in' },
    <>
      {notice}
      <Form context={context} action="/sign-in">
        {returnUrl ? <input type="hidden" name="returnUrl" value={returnUrl} /> : null}
        <EmailField value={email} isFirst={email === ''} />
        <PasswordField isFirst={email !== ''} />
        <Submit>Sign in</Submit>
      </Form>
      <p class="beside">
        New here? <a href={context.href(withReturnUrl('/sign-up', returnUrl))}>Create an account</a>
        <br />
        <a href={context.href('/forgotten')}>Forgot your password?</a>
      </p>
    </>,
  )
}

/** What the link to the page carried: a referral code, and where to go after signing in. */
interface Arrival {
  ref: string
  returnUrl: string | undefined
}

export function signUpPage(context: PageContext): Reply {
  const parameters = new URLSearchParams(context.query)
  const returnUrl = returnUrlOf(parameters)
  if (context.session) return redirect(context.href(returnUrl ?? HOME))
  return signUpForm(context, { ref: parameters.get('ref') ?? '', returnUrl })
}

/** Answers a known and an unknown address alike. */
export function signUp(context: PageContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const arrival = { ref: fieldText(form, 'ref'), returnUrl: returnUrlOf(form) }
  const email = fieldText(form, 'email')
  const again = (errors: FormErrors) => signUpForm(context, arrival, errors)
  return withFormErrors(form, again, async () => {
    const wanted = { name: fieldText(form, 'name'), email, password: fieldText(form, 'password') }
    const done = await users.signUp({ ...wanted, referral: arrival.ref }, context.address)
    if (done.outcome === 'limited') throw tooManyAttempts(done.retryAfter)
    const noTrial = done.outcome === 'throwaway' ? NO_TRIAL.throwaway : ''
    if (users.sendsMail) return checkMailPage(context, { email, noTrial, ...arrival })
    const notice = (
      <Notice tone="good">
        Your account is ready, unless this address had one already. Sign in to create a key.{' '}
        {noTrial}
      </Notice>
    )
    return signInForm(context, { email, returnUrl: arrival.returnUrl, notice })
  })
}

function signUpForm(context: PageContext, { ref, returnUrl }: Arrival, errors?: FormErrors): Page {
  return personalPage(
    { title: 'Create an account' },
    <>
      <p class="lead">
        You get credits for a trial of {TRIAL_DAYS} days, once for each person. No card is needed,
        and nothing is charged when it ends.
      </p>
      <Form context={context} action="/sign-up">
        {ref === '' ? null : <input type="hidden" name="ref" value={ref} />}
        {returnUrl ? <input type="hidden" name="returnUrl" value={returnUrl} /> : null}
        <NameField isFirst errors={errors} />
        <EmailField errors={errors} />
        <NewPasswordField label="Password" note="longer is stronger" errors={errors} />
        <Submit>Create an account</Submit>
      </Form>
      <p class="beside">
        Have an account? <a href={context.href(withReturnUrl('/sign-in', returnUrl))}>Sign in</a>
      </p>
    </>,
  )
}

/** @param noTrial why the account gets no trial, '' where it may */
function checkMailPage(
  context: PageContext,
  { email, noTrial, returnUrl }: { email: string; noTrial: string } & Arrival,
): Page {
  return personalPage(
    { title: 'Check your mail' },
    <>
      <p class="lead">
        We sent a mail to <strong>{email.trim()}</strong>. Open the link in it, then{' '}
        <a href={context.href(withReturnUrl('/sign-in', returnUrl))}>sign in</a>.
      </p>
      {noTrial === '' ? null : <Notice tone="warn">{noTrial}</Notice>}
      <p class="note">
        No mail after some minutes? Look in your spam folder, or sign in to get another link.
      </p>
    </>,
  )
}
