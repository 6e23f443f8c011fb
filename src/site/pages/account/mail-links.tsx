/** @jsxImportSource hono/jsx */
/** Links in mails: `/confirm` confirms an address, `/forgotten` sends a link to reset a password, `/reset` is that link. */
import { MAIL_LIMIT } from '../../../people/users/mail-queue.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  type FormErrors,
  fieldText,
  tooManyAttempts,
  withFormErrors,
} from '../../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../http/page.ts'
import { returnUrlOf, withReturnUrl } from '../../http/return-url.ts'
import { ButtonLink, QuietLink, Submit } from '../../ui/actions.tsx'
import { EmailField, Form, NewPasswordField } from '../../ui/form.tsx'
import { Notice, personalPage } from '../../ui/page-parts.tsx'

/** A GET changes nothing, because programs that scan mail follow links too. */
export function confirmPage(context: PageContext): Page {
  const parameters = new URLSearchParams(context.query)
  const token = parameters.get('token') ?? ''
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
        <ReturnField returnUrl={returnUrlOf(parameters)} />
        <Submit>Confirm</Submit>
      </Form>
    </>,
  )
}

export async function confirm(context: PageContext, form: Fields): Promise<Reply> {
  const token = fieldText(form, 'token')
  const result = await context.application.users.confirmEmail(token, context.address)
  if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter)
  const returnUrl = returnUrlOf(form)
  if (result.outcome === 'confirmed')
    return redirect(
      context.href(
        context.session
          ? (returnUrl ?? '/settings?said=email')
          : withReturnUrl('/sign-in?said=confirmed', returnUrl),
      ),
    )
  return expiredLinkPage(context, {
    text: 'A confirmation link works once, for a day. Sign in to get a new one.',
    to: withReturnUrl('/sign-in', returnUrl),
    label: 'Sign in',
  })
}

/** Hidden return URL. */
function ReturnField({ returnUrl }: { returnUrl: string | undefined }) {
  return returnUrl ? <input type="hidden" name="returnUrl" value={returnUrl} /> : null
}

export function forgottenPage(context: PageContext, errors?: FormErrors): Page {
  const returnUrl = returnUrlOf(errors?.form ?? new URLSearchParams(context.query))
  return personalPage(
    { title: 'Reset your password' },
    <>
      {context.application.users.sendsMail ? (
        <>
          <p class="lead">We send you a link to choose a new password.</p>
          <Form context={context} action="/forgotten">
            <ReturnField returnUrl={returnUrl} />
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
        <a href={context.href(withReturnUrl('/sign-in', returnUrl))}>Back to sign in</a>
      </p>
    </>,
  )
}

/** Gives the same answer for known and unknown addresses. */
export function requestReset(context: PageContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const email = fieldText(form, 'email')
  const again = (errors: FormErrors) => forgottenPage(context, errors)
  return withFormErrors(form, again, async () => {
    const result = await users.requestReset(email, context.address, returnUrlOf(form))
    if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter)
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

/** Page of a link from a mail or from `user reset`. A GET changes nothing. */
export async function resetPage(context: PageContext): Promise<Page> {
  const parameters = new URLSearchParams(context.query)
  const state = await context.application.users.stateOfReset(parameters.get('token') ?? '')
  return state === 'open' ? resetForm(context, parameters) : endedResetPage(context, state)
}

function endedResetPage(context: PageContext, end: 'used' | 'expired'): Page {
  if (end === 'used') {
    return expiredLinkPage(context, {
      title: 'This link was used already',
      text: 'Your password was changed by it. Sign in with the new one, or get another link if it was not you.',
      to: '/sign-in',
      label: 'Sign in',
      other: { to: '/forgotten', label: 'Get a new link' },
    })
  }
  return expiredLinkPage(context, {
    title: 'This link has expired',
    text: 'A reset link works once, for an hour, and not after the password was changed in another way.',
    to: '/forgotten',
    label: 'Get a new link',
  })
}

export function reset(context: PageContext, form: Fields): Promise<Reply> {
  const token = fieldText(form, 'token')
  const again = (errors: FormErrors) => resetForm(context, form, errors)
  return withFormErrors(form, again, async () => {
    const password = fieldText(form, 'password')
    const result = await context.application.users.resetPassword(
      { token, password },
      context.address,
    )
    if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter)
    if (result.outcome === 'changed')
      return redirect(
        context.href(withReturnUrl('/sign-in?said=password', returnUrlOf(form))),
        303,
        result.cookies,
      )
    return endedResetPage(context, result.outcome)
  })
}

function resetForm(context: PageContext, sent: URLSearchParams, errors?: FormErrors): Page {
  return personalPage(
    { title: 'Choose a new password' },
    <>
      <p class="lead">You are signed out everywhere when the password changes.</p>
      <Form context={context} action="/reset">
        <input type="hidden" name="token" value={sent.get('token') ?? ''} />
        <ReturnField returnUrl={returnUrlOf(sent)} />
        <NewPasswordField isFirst errors={errors} />
        <Submit>Change password</Submit>
      </Form>
    </>,
  )
}

interface ExpiredLink {
  title?: string
  /** How long such links are valid. */
  text: string
  to: string
  label: string
  other?: { to: string; label: string }
}

/** Page for a link that was used, has expired or never existed. */
export function expiredLinkPage(
  context: PageContext,
  { title = 'This link has expired or was used already', text, to, label, other }: ExpiredLink,
): Page {
  return personalPage(
    { title, status: 422 },
    <>
      <Notice tone="bad">Nothing was changed. {text}</Notice>
      <p class="actions">
        <ButtonLink href={context.href(to)}>{label}</ButtonLink>
        {other ? <QuietLink href={context.href(other.to)}>{other.label}</QuietLink> : null}
      </p>
    </>,
  )
}
