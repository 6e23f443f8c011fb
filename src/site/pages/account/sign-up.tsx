/** @jsxImportSource hono/jsx */
/** `/sign-up`: an account on trial, whose `?ref=` is the code of a referral link. */
import { TRIAL_DAYS } from '../../../contract/tiers.ts'
import { type Referrer, referrerOf } from '../../../money/payments/referrals.ts'
import { TooBusy } from '../../../people/users/answers.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  type FormErrors,
  fieldText,
  tooManyAttempts,
  withFormErrors,
} from '../../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../http/page.ts'
import { PageError } from '../../http/page-error.ts'
import { returnUrlOf, withReturnUrl } from '../../http/return-url.ts'
import { Submit } from '../../ui/actions.tsx'
import { EmailField, Form, NameField, NewPasswordField } from '../../ui/form.tsx'
import { Notice, personalPage } from '../../ui/page-parts.tsx'
import { plural, rewardTime } from '../../ui/text.tsx'
import { HOME, signIn, signInForm } from './sign-in.tsx'

export const NO_TRIAL = {
  mailbox: 'There are no trial credits: another account of the same mailbox had them.',
  throwaway: 'There are no trial credits for addresses of throw-away mail services.',
} as const

/** Query of the link to this page. */
interface Arrival {
  ref: string
  returnUrl: string | undefined
}

export async function signUpPage(context: PageContext): Promise<Reply> {
  const parameters = new URLSearchParams(context.query)
  const returnUrl = returnUrlOf(parameters)
  if (context.session) return redirect(context.href(returnUrl ?? HOME))
  return signUpForm(context, { ref: parameters.get('ref') ?? '', returnUrl })
}

/** Creates an account and signs in, unless the address must be confirmed by mail. The answer is the same for known addresses. */
export function signUp(context: PageContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const arrival = { ref: fieldText(form, 'ref'), returnUrl: returnUrlOf(form) }
  const email = fieldText(form, 'email')
  const again = (errors: FormErrors) => signUpForm(context, arrival, errors)
  return withFormErrors(form, again, async () => {
    const fields = { name: fieldText(form, 'name'), email, password: fieldText(form, 'password') }
    const result = await users.signUp(
      { ...fields, referral: arrival.ref, returnUrl: arrival.returnUrl },
      context.address,
    )
    if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter)
    if (!users.sendsMail) return signInAtOnce(context, form, arrival)
    const noTrial = result.outcome === 'throwaway' ? NO_TRIAL.throwaway : ''
    return checkMailPage(context, { email, noTrial, ...arrival })
  })
}

/** Signs in with the new password: an account that already had the address has a different one. */
async function signInAtOnce(
  context: PageContext,
  form: Fields,
  { returnUrl }: Arrival,
): Promise<Reply> {
  try {
    return await signIn(
      context,
      form,
      'This address has an account already, with another password. Sign in with that one, or reset it.',
    )
  } catch (error) {
    // The account exists, even if the password can't be checked just now.
    const isLater = error instanceof TooBusy || (error instanceof PageError && error.status === 429)
    if (!isLater) throw error
    const notice = <Notice tone="good">Your account is ready. Sign in.</Notice>
    return signInForm(context, { email: fieldText(form, 'email'), returnUrl, notice })
  }
}

async function signUpForm(
  context: PageContext,
  { ref, returnUrl }: Arrival,
  errors?: FormErrors,
): Promise<Page> {
  const { application, href } = context
  const referrer = ref === '' ? undefined : await referrerOf(application.database, ref)
  return personalPage(
    { title: 'Create an account' },
    <>
      {ref === '' ? null : <Invited context={context} referrer={referrer} />}
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
        Have an account? <a href={href(withReturnUrl('/sign-in', returnUrl))}>Sign in</a>
      </p>
    </>,
  )
}

interface InvitedProps {
  context: PageContext
  referrer: Referrer | undefined
}

/** The referrer and the reward for both. Shows the account's name and nothing else. */
function Invited({ context: { application }, referrer }: InvitedProps) {
  const { referralCredits: credits, referrals } = application
  if (!referrer) {
    return (
      <Notice tone="warn">
        This invitation link is not valid. You can create an account anyway.
      </Notice>
    )
  }
  return (
    <Notice tone="good">
      Invited by <bdi>{referrer.name ?? 'a friend'}</bdi>.
      {credits > 0
        ? ` Both of you get ${plural(credits, 'credit', 'credits')} ${rewardTime(referrals.holdDays, 'your first payment')}.`
        : ''}
    </Notice>
  )
}

/** @param noTrial reason for no trial, or '' */
function checkMailPage(
  context: PageContext,
  { email, noTrial, returnUrl }: { email: string; noTrial: string } & Arrival,
): Page {
  return personalPage(
    { title: 'Check your mail' },
    <>
      <p class="lead">
        We are sending a mail to <strong>{email.trim()}</strong>. Open the link in it, then{' '}
        <a href={context.href(withReturnUrl('/sign-in', returnUrl))}>sign in</a>.
      </p>
      {noTrial === '' ? null : <Notice tone="warn">{noTrial}</Notice>}
      <p class="note">
        No mail after some minutes? Look in your spam folder, or sign in to get another link. A mail
        that your provider doesn’t take at once is sent again for a day.
      </p>
    </>,
  )
}
