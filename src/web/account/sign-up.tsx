/** @jsxImportSource hono/jsx */
/** `/sign-up`: an account on trial. `?ref=` is somebody's referral code. */
import { TRIAL_DAYS } from '../../contract/tiers.ts'
import { MAX_NAME, MIN_PASSWORD } from '../../users/fields.ts'
import { Field, Form, type Tried } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import type { Form as Fields } from '../http/form.ts'
import { textOf, tooOften, tryForm } from '../http/form-errors.ts'
import { type Page, type Reply, redirect, type Visit } from '../http/page.ts'
import { nextOf, withNext } from '../http/return-url.ts'
import { HOME, signInForm } from './sign-in.tsx'

/** What somebody brings along: the code of who sent them, and where they were going. */
interface Way {
  ref: string
  next: string | undefined
}

export function signUpPage(visit: Visit): Reply {
  const parameters = new URLSearchParams(visit.query)
  const next = nextOf(parameters)
  if (visit.session) return redirect(visit.to(next ?? HOME))
  return signUpForm(visit, { ref: parameters.get('ref') ?? '', next })
}

/** A known and an unknown address are answered alike. */
export function signUp(visit: Visit, form: Fields): Promise<Reply> {
  const { users } = visit.application
  const way = { ref: textOf(form, 'ref'), next: nextOf(form) }
  const email = textOf(form, 'email')
  const again = (tried: Tried) => signUpForm(visit, way, tried)
  return tryForm(form, again, async () => {
    const wanted = { name: textOf(form, 'name'), email, password: textOf(form, 'password') }
    const done = await users.signUp({ ...wanted, referral: way.ref }, visit.address)
    if (done.outcome === 'limited') throw tooOften(done.retryAfter)
    if (users.sendsMail) return mailPage(email)
    const notice = (
      <Notice tone="good">
        Your account is ready, unless this address had one already. Sign in to make a key.
      </Notice>
    )
    return signInForm(visit, { email, next: way.next, notice })
  })
}

function signUpForm(visit: Visit, { ref, next }: Way, tried?: Tried): Page {
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
        <Form visit={visit} action="/sign-up">
          {ref === '' ? null : <input type="hidden" name="ref" value={ref} />}
          {next ? <input type="hidden" name="next" value={next} /> : null}
          <Field
            name="name"
            label="Name"
            autocomplete="name"
            maxlength={MAX_NAME}
            isFirst
            tried={tried}
          />
          <Field name="email" label="E-mail" type="email" autocomplete="username" tried={tried} />
          <Field
            name="password"
            label="Password"
            type="password"
            autocomplete="new-password"
            minlength={MIN_PASSWORD}
            hint={`At least ${MIN_PASSWORD} characters; length is what makes it strong.`}
            tried={tried}
          />
          <button class="button" type="submit">
            Make an account
          </button>
        </Form>
        <p class="beside">
          You have one? <a href={visit.to(withNext('/sign-in', next))}>Sign in</a>
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
