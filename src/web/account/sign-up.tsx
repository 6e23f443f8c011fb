/** @jsxImportSource hono/jsx */
/** `/sign-up`: an account on trial. `?ref=` is a referral code. */
import { TRIAL_DAYS } from '../../contract/tiers.ts'
import { MAX_NAME } from '../../users/validation.ts'
import { Submit } from '../components/actions.tsx'
import { EmailField, Field, Form, NewPasswordField } from '../components/form.tsx'
import { Notice, personalPage } from '../components/page-parts.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, fieldText, tooManyAttempts, withFormErrors } from '../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { returnUrlOf, withReturnUrl } from '../http/return-url.ts'
import { HOME, signInForm } from './sign-in.tsx'

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
    if (users.sendsMail) return checkMailPage(email)
    const notice = (
      <Notice tone="good">
        Your account is ready, unless this address had one already. Sign in to create a key.
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
        You get credits for a trial of {TRIAL_DAYS} days. No card is needed, and nothing is charged
        when it ends.
      </p>
      <Form context={context} action="/sign-up">
        {ref === '' ? null : <input type="hidden" name="ref" value={ref} />}
        {returnUrl ? <input type="hidden" name="returnUrl" value={returnUrl} /> : null}
        <Field
          name="name"
          label="Name"
          autocomplete="name"
          maxlength={MAX_NAME}
          isFirst
          errors={errors}
        />
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

function checkMailPage(email: string): Page {
  return personalPage(
    { title: 'Check your mail' },
    <>
      <p class="lead">
        We sent a mail to <strong>{email.trim()}</strong>. Open the link in it, then sign in.
      </p>
      <p class="note">
        No mail after some minutes? Look in your spam folder, or sign in to get another link.
      </p>
    </>,
  )
}
