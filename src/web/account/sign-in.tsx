/** @jsxImportSource hono/jsx */
/** `/sign-in` and `/sign-out`. */

import { Field, Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import type { Form as Fields } from '../http/form.ts'
import { textOf, tooOften } from '../http/form-errors.ts'
import type { Child } from '../http/html.ts'
import { type Page, type Reply, redirect, type Visit } from '../http/page.ts'
import { nextOf, withNext } from '../http/return-url.ts'

/** Where one lands who was on the way to nowhere in particular: on the way to a first call. */
export const HOME = '/keys'

/** What other pages have to say here, by the parameter `said`. */
const SAID: Readonly<Record<string, string>> = {
  password: 'Your password is changed. Sign in with the new one.',
  confirmed: 'Your address is confirmed. Sign in.',
  left: 'You have left the workspace. Sign in to your own account.',
}

export function signInPage(visit: Visit): Reply {
  const parameters = new URLSearchParams(visit.query)
  if (visit.session) return redirect(visit.to(nextOf(parameters) ?? HOME))
  const said = SAID[parameters.get('said') ?? '']
  return signInForm(visit, {
    email: '',
    next: nextOf(parameters),
    notice: said ? <Notice tone="good">{said}</Notice> : null,
  })
}

export async function signIn(visit: Visit, form: Fields): Promise<Reply> {
  const { users } = visit.application
  const next = nextOf(form)
  const [email, password] = [textOf(form, 'email'), textOf(form, 'password')]
  const tried = await users.signIn({ email, password }, visit.request, visit.address)
  if (tried.outcome === 'signed_in') return redirect(visit.to(next ?? HOME), 303, tried.cookies)
  if (tried.outcome === 'limited') throw tooOften(tried.retryAfter)
  const notice =
    tried.outcome === 'unverified' ? (
      <Notice tone="warn">
        This address is not confirmed yet. A link was sent to it just now: open it, then sign in.
      </Notice>
    ) : (
      <Notice tone="bad">No account has this address with this password.</Notice>
    )
  return { ...signInForm(visit, { email, next, notice }), status: 422 }
}

export function signOutPage(visit: Visit): Reply {
  if (!visit.session) return redirect(visit.to('/'))
  return {
    title: 'Sign out',
    isUnlisted: true,
    main: (
      <>
        <h1>Sign out?</h1>
        <Form visit={visit} action="/sign-out">
          <button class="button" type="submit">
            Sign out
          </button>
        </Form>
      </>
    ),
  }
}

export async function signOut({ application, request, to }: Visit): Promise<Reply> {
  const { cookies } = await application.users.signOut(request)
  return redirect(to('/'), 303, cookies)
}

/** @param email what stands in its field already */
export function signInForm(
  visit: Visit,
  { email, next, notice }: { email: string; next: string | undefined; notice: Child },
): Page {
  return {
    title: 'Sign in',
    isUnlisted: true,
    main: (
      <>
        <h1>Sign in</h1>
        {notice}
        <Form visit={visit} action="/sign-in">
          {next ? <input type="hidden" name="next" value={next} /> : null}
          <Field
            name="email"
            label="E-mail"
            type="email"
            autocomplete="username"
            value={email}
            isFirst={email === ''}
          />
          <Field
            name="password"
            label="Password"
            type="password"
            autocomplete="current-password"
            isFirst={email !== ''}
          />
          <button class="button" type="submit">
            Sign in
          </button>
        </Form>
        <p class="beside">
          New here? <a href={visit.to(withNext('/sign-up', next))}>Make an account</a>
          <br />
          <a href={visit.to('/forgotten')}>Forgotten your password?</a>
        </p>
      </>
    ),
  }
}
