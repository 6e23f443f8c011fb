/** @jsxImportSource hono/jsx */
/** The links of mails: `/confirm` confirms an address, `/forgotten` asks for a link to reset a password, `/reset` is that link. */
import { MAIL_LIMIT } from '../../users/outbox.ts'
import { ButtonLink, Submit } from '../components/actions.tsx'
import { EmailField, Form, NewPasswordField } from '../components/form.tsx'
import { Notice, personalPage } from '../components/page-parts.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, fieldText, tooManyAttempts, withFormErrors } from '../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'

/** A GET changes nothing, because programs that scan mail follow links too. */
export function confirmPage(context: PageContext): Page {
  const token = new URLSearchParams(context.query).get('token') ?? ''
  return personalPage(
    {
      title: 'Confirm your e-mail address',
      heading: (
        <>
          Confirm your <span class="unbroken">e-mail</span> address
        </>
      ),
    },
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

export function forgottenPage(context: PageContext, errors?: FormErrors): Page {
  return personalPage(
    { title: 'Reset your password' },
    <>
      {context.application.users.sendsMail ? (
        <>
          <p class="lead">We send you a link to choose a new password.</p>
          <Form context={context} action="/forgotten">
            <EmailField errors={errors} isFirst />
            <Submit>Send reset link</Submit>
          </Form>
        </>
      ) : (
        <>
          <p class="lead">
            {context.site.serviceName} sends no mail. Ask whoever runs it for a link to choose a new
            password.
          </p>
          <p class="note">
            The operator makes one with <code class="unbroken">user reset</code> and your address.
          </p>
        </>
      )}
      <p class="beside">
        <a href={context.href('/sign-in')}>Back to sign in</a>
      </p>
    </>,
  )
}

/** Answers a known and an unknown address alike. */
export function requestReset(context: PageContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const email = fieldText(form, 'email')
  const again = (errors: FormErrors) => forgottenPage(context, errors)
  return withFormErrors(form, again, async () => {
    const asked = await users.requestReset(email, context.address)
    if (asked.outcome === 'limited') throw tooManyAttempts(asked.retryAfter)
    return users.sendsMail ? sentPage(email) : forgottenPage(context)
  })
}

function sentPage(email: string): Page {
  return personalPage(
    { title: 'Check your mail' },
    <p class="lead">
      If <strong>{email.trim()}</strong> has an account, we send a link to choose a new password. It
      works once, for an hour. An address gets at most {MAIL_LIMIT.limit} of them an hour.
    </p>,
  )
}

/** The link of a mail, or of `user reset`. A GET changes nothing. */
export function resetPage(context: PageContext): Page {
  return resetForm(context, new URLSearchParams(context.query).get('token') ?? '')
}

export function reset(context: PageContext, form: Fields): Promise<Reply> {
  const token = fieldText(form, 'token')
  const again = (errors: FormErrors) => resetForm(context, token, errors)
  return withFormErrors(form, again, async () => {
    const password = fieldText(form, 'password')
    const done = await context.application.users.resetPassword({ token, password }, context.address)
    if (done.outcome === 'limited') throw tooManyAttempts(done.retryAfter)
    if (done.outcome === 'changed')
      return redirect(context.href('/sign-in?said=password'), 303, done.cookies)
    return expiredLinkPage(context, {
      text: 'A reset link works once, for an hour.',
      to: '/forgotten',
      label: 'Get a new link',
    })
  })
}

function resetForm(context: PageContext, token: string, errors?: FormErrors): Page {
  return personalPage(
    { title: 'Choose a new password' },
    <>
      <p class="lead">You are signed out everywhere when the password changes.</p>
      <Form context={context} action="/reset">
        <input type="hidden" name="token" value={token} />
        <NewPasswordField isFirst errors={errors} />
        <Submit>Change password</Submit>
      </Form>
    </>,
  )
}

/** The answer to a link that was used already, is too old or never existed. @param text how long such links work. @param to where to get another one */
export function expiredLinkPage(
  context: PageContext,
  { text, to, label }: { text: string; to: string; label: string },
): Page {
  return personalPage(
    { title: 'This link has expired or was used already', status: 422 },
    <>
      <Notice tone="bad">Nothing was changed. {text}</Notice>
      <p class="actions">
        <ButtonLink href={context.href(to)}>{label}</ButtonLink>
      </p>
    </>,
  )
}
