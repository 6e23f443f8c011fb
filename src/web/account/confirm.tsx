/** @jsxImportSource hono/jsx */
/** `/confirm?token=`: the link of a mail that confirms an address. */
import { Submit } from '../components/actions.tsx'
import { Form } from '../components/form.tsx'
import { personalPage } from '../components/personal-page.tsx'
import type { Form as Fields } from '../http/form.ts'
import { fieldText, tooManyAttempts } from '../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { expiredLinkPage } from './expired-link.tsx'

/** A GET changes nothing, because programs that scan mail follow links too. */
export function confirmPage(context: PageContext): Page {
  const token = new URLSearchParams(context.query).get('token') ?? ''
  return personalPage(
    { title: 'Confirm your e-mail address' },
    <>
      <p class="lead">You sign in with this address once it is confirmed.</p>
      <Form context={context} action="/confirm">
        <input type="hidden" name="token" value={token} />
        <Submit>Confirm</Submit>
      </Form>
    </>,
  )
}

export async function confirm(context: PageContext, form: Fields): Promise<Reply> {
  const token = fieldText(form, 'token')
  const done = await context.application.users.confirmEmail(token, context.address)
  if (done.outcome === 'limited') throw tooManyAttempts(done.retryAfter)
  if (done.outcome === 'confirmed')
    return redirect(
      context.href(context.session ? '/settings?said=email' : '/sign-in?said=confirmed'),
    )
  return expiredLinkPage(context, {
    text: 'A confirmation link works once, for a day. Sign in to get a new one.',
    to: '/sign-in',
    label: 'Sign in',
  })
}
