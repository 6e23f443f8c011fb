/** @jsxImportSource hono/jsx */
/** `/sign-in` and `/sign-out`. */

import { Field, Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import type { Form as Fields } from '../http/form.ts'
import { fieldText, tooManyAttempts } from '../http/form-errors.ts'
import type { Child } from '../http/html.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { returnUrlOf, withReturnUrl } from '../http/return-url.ts'

/** Where one lands who was on the way to nowhere in particular: on the way to a first call. */
export const HOME = '/keys'

/** What other pages have to say here, by the parameter `said`. */
const SAID: Readonly<Record<string, string>> = {
  password: 'Your password is changed. Sign in with the new one.',
  confirmed: 'Your address is confirmed. Sign in.',
  left: 'You have left the workspace. Sign in to your own account.',
}

export function signInPage(context: PageContext): Reply {
  const parameters = new URLSearchParams(context.query)
  if (context.session) return redirect(context.href(returnUrlOf(parameters) ?? HOME))
  const said = SAID[parameters.get('said') ?? '']
  return signInForm(context, {
    email: '',
    returnUrl: returnUrlOf(parameters),
    notice: said ? <Notice tone="good">{said}</Notice> : null,
  })
}

export async function signIn(context: PageContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const returnUrl = returnUrlOf(form)
  const [email, password] = [fieldText(form, 'email'), fieldText(form, 'password')]
  const tried = await users.signIn({ email, password }, context.request, context.address)
  if (tried.outcome === 'signed_in')
    return redirect(context.href(returnUrl ?? HOME), 303, tried.cookies)
  if (tried.outcome === 'limited') throw tooManyAttempts(tried.retryAfter)
  const notice =
    tried.outcome === 'unverified' ? (
      <Notice tone="warn">
        This address is not confirmed yet. A link was sent to it just now: open it, then sign in.
      </Notice>
    ) : (
      <Notice tone="bad">No account has this address with this password.</Notice>
    )
  return { ...signInForm(context, { email, returnUrl, notice }), status: 422 }
}

export function signOutPage(context: PageContext): Reply {
  if (!context.session) return redirect(context.href('/'))
  return {
    title: 'Sign out',
    isUnlisted: true,
    main: (
      <>
        <h1>Sign out?</h1>
        <Form context={context} action="/sign-out">
          <button class="button" type="submit">
            Sign out
          </button>
        </Form>
      </>
    ),
  }
}

export async function signOut({ application, request, href }: PageContext): Promise<Reply> {
  const { cookies } = await application.users.signOut(request)
  return redirect(href('/'), 303, cookies)
}

/** @param email what stands in its field already */
export function signInForm(
  context: PageContext,
  { email, returnUrl, notice }: { email: string; returnUrl: string | undefined; notice: Child },
): Page {
  return {
    title: 'Sign in',
    isUnlisted: true,
    main: (
      <>
        <h1>Sign in</h1>
        {notice}
        <Form context={context} action="/sign-in">
          {returnUrl ? <input type="hidden" name="returnUrl" value={returnUrl} /> : null}
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
          New here? <a href={context.href(withReturnUrl('/sign-up', returnUrl))}>Make an account</a>
          <br />
          <a href={context.href('/forgotten')}>Forgotten your password?</a>
        </p>
      </>
    ),
  }
}
