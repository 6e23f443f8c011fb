/** @jsxImportSource hono/jsx */
/** `/sign-up`: an account on trial. `?ref=` is somebody's referral code. */
import { TRIAL_DAYS } from '../../contract/tiers.ts'
import { MAX_NAME, MIN_PASSWORD } from '../../users/validation.ts'
import { Field, Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, fieldText, tooManyAttempts, withFormErrors } from '../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { returnUrlOf, withReturnUrl } from '../http/return-url.ts'
import { HOME, signInForm } from './sign-in.tsx'

/** What somebody brings along: the code of who sent them, and where they were going. */
interface Way {
  ref: string
  returnUrl: string | undefined
}

export function signUpPage(context: PageContext): Reply {
  const parameters = new URLSearchParams(context.query)
  const returnUrl = returnUrlOf(parameters)
  if (context.session) return redirect(context.href(returnUrl ?? HOME))
  return signUpForm(context, { ref: parameters.get('ref') ?? '', returnUrl })
}

/** A known and an unknown address are answered alike. */
export function signUp(context: PageContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const way = { ref: fieldText(form, 'ref'), returnUrl: returnUrlOf(form) }
  const email = fieldText(form, 'email')
  const again = (errors: FormErrors) => signUpForm(context, way, errors)
  return withFormErrors(form, again, async () => {
    const wanted = { name: fieldText(form, 'name'), email, password: fieldText(form, 'password') }
    const done = await users.signUp({ ...wanted, referral: way.ref }, context.address)
    if (done.outcome === 'limited') throw tooManyAttempts(done.retryAfter)
    if (users.sendsMail) return mailPage(email)
    const notice = (
      <Notice tone="good">
        Your account is ready, unless this address had one already. Sign in to make a key.
      </Notice>
    )
    return signInForm(context, { email, returnUrl: way.returnUrl, notice })
  })
}

function signUpForm(context: PageContext, { ref, returnUrl }: Way, errors?: FormErrors): Page {
  return {
    title: 'Make an account',
    isUnlisted: true,
    main: (
      <>
        <h1>Make an account</h1>
        <p class="lead">
          It starts with credits for a trial of {TRIAL_DAYS} days. No card is needed, and nothing is
          charged when it ends.
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
          <Field name="email" label="E-mail" type="email" autocomplete="username" errors={errors} />
          <Field
            name="password"
            label="Password"
            type="password"
            autocomplete="new-password"
            minlength={MIN_PASSWORD}
            hint={`At least ${MIN_PASSWORD} characters; length is what makes it strong.`}
            errors={errors}
          />
          <button class="button" type="submit">
            Make an account
          </button>
        </Form>
        <p class="beside">
          You have one? <a href={context.href(withReturnUrl('/sign-in', returnUrl))}>Sign in</a>
        </p>
      </>
    ),
  }
}

function mailPage(email: string): Page {
  return {
    title: 'Check your mail',
    isUnlisted: true,
    main: (
      <>
        <h1>Check your mail</h1>
        <p class="lead">
          A mail is on its way to <strong>{email.trim()}</strong>. Open the link in it, then sign
          in.
        </p>
        <p class="note">
          Nothing there after some minutes? Look among what was sorted out as spam, or sign in: a
          link is sent again.
        </p>
      </>
    ),
  }
}
