/** @jsxImportSource hono/jsx */
/** `/confirm?token=`: the link by which somebody shows that an address is theirs. */

import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import type { Form as Fields } from '../http/form.ts'
import { fieldText, tooManyAttempts } from '../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'

/** Looking at it changes nothing: programs that read mail follow links too. */
export function confirmPage(context: PageContext): Page {
  const token = new URLSearchParams(context.query).get('token') ?? ''
  return {
    title: 'Confirm your address',
    isUnlisted: true,
    main: (
      <>
        <h1>Confirm your address</h1>
        <p class="lead">One press, and it is the one you sign in with.</p>
        <Form context={context} action="/confirm">
          <input type="hidden" name="token" value={token} />
          <button class="button" type="submit">
            Confirm
          </button>
        </Form>
      </>
    ),
  }
}

export async function confirm(context: PageContext, form: Fields): Promise<Reply> {
  const token = fieldText(form, 'token')
  const done = await context.application.users.confirmEmail(token, context.address)
  if (done.outcome === 'limited') throw tooManyAttempts(done.retryAfter)
  if (done.outcome === 'confirmed') {
    return redirect(
      context.href(context.session ? '/settings?said=email' : '/sign-in?said=confirmed'),
    )
  }
  return {
    title: 'This link is not in force',
    status: 422,
    isUnlisted: true,
    main: (
      <>
        <h1>This link is not in force</h1>
        <Notice tone="bad">It works once and for a day, and nothing was changed.</Notice>
        <p>Sign in, and a new one is sent to an address that is not confirmed yet.</p>
        <p class="actions">
          <a class="button" href={context.href('/sign-in')}>
            Sign in
          </a>
        </p>
      </>
    ),
  }
}
