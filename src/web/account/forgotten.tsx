/** @jsxImportSource hono/jsx */
/** `/forgotten` asks for a link, `/reset?token=` is that link. */
import { MIN_PASSWORD } from '../../users/validation.ts'
import { Field, Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, fieldText, tooManyAttempts, withFormErrors } from '../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'

export function forgottenPage(context: PageContext, errors?: FormErrors): Page {
  const { sendsMail } = context.application.users
  return {
    title: 'Forgotten password',
    isUnlisted: true,
    main: (
      <>
        <h1>Forgotten password</h1>
        {sendsMail ? (
          <>
            <p class="lead">We send you a link by which you choose a new one.</p>
            <Form context={context} action="/forgotten">
              <Field
                name="email"
                label="E-mail"
                type="email"
                autocomplete="username"
                isFirst
                errors={errors}
              />
              <button class="button" type="submit">
                Send the link
              </button>
            </Form>
          </>
        ) : (
          <p class="lead">
            {context.site.serviceName} sends no mail. Ask whoever runs it for a link by which you
            choose a new password: they make it with <code>user reset</code> and your address.
          </p>
        )}
        <p class="beside">
          <a href={context.href('/sign-in')}>Back to signing in</a>
        </p>
      </>
    ),
  }
}

/** A known and an unknown address are answered alike. */
export function askReset(context: PageContext, form: Fields): Promise<Reply> {
  const email = fieldText(form, 'email')
  return withFormErrors(
    form,
    (errors) => forgottenPage(context, errors),
    async () => {
      const asked = await context.application.users.requestReset(email, context.address)
      if (asked.outcome === 'limited') throw tooManyAttempts(asked.retryAfter)
      return sentPage(context, email)
    },
  )
}

function sentPage(context: PageContext, email: string): Page {
  if (!context.application.users.sendsMail) return forgottenPage(context)
  return {
    title: 'Check your mail',
    isUnlisted: true,
    main: (
      <>
        <h1>Check your mail</h1>
        <p class="lead">
          If <strong>{email.trim()}</strong> is somebody's here, a link for a new password is on its
          way. It works once, for an hour.
        </p>
      </>
    ),
  }
}

/** The link of a mail, or of `user reset`. Looking at it changes nothing. */
export function resetPage(context: PageContext): Page {
  return resetForm(context, new URLSearchParams(context.query).get('token') ?? '')
}

export function reset(context: PageContext, form: Fields): Promise<Reply> {
  const token = fieldText(form, 'token')
  return withFormErrors(
    form,
    (errors) => resetForm(context, token, errors),
    async () => {
      const wanted = { token, password: fieldText(form, 'password') }
      const done = await context.application.users.resetPassword(wanted, context.address)
      if (done.outcome === 'limited') throw tooManyAttempts(done.retryAfter)
      if (done.outcome === 'changed') return redirect(context.href('/sign-in?said=password'))
      return expiredPage(context)
    },
  )
}

function resetForm(context: PageContext, token: string, errors?: FormErrors): Page {
  return {
    title: 'A new password',
    isUnlisted: true,
    main: (
      <>
        <h1>A new password</h1>
        <p class="lead">Wherever you are signed in, that ends with the old one.</p>
        <Form context={context} action="/reset">
          <input type="hidden" name="token" value={token} />
          <Field
            name="password"
            label="New password"
            type="password"
            autocomplete="new-password"
            minlength={MIN_PASSWORD}
            hint={`At least ${MIN_PASSWORD} characters.`}
            isFirst
            errors={errors}
          />
          <button class="button" type="submit">
            Set the password
          </button>
        </Form>
      </>
    ),
  }
}

function expiredPage(context: PageContext): Page {
  return {
    title: 'This link is not in force',
    status: 422,
    isUnlisted: true,
    main: (
      <>
        <h1>This link is not in force</h1>
        <Notice tone="bad">It works once and for an hour, and nothing was changed.</Notice>
        <p class="actions">
          <a class="button" href={context.href('/forgotten')}>
            Ask for a new one
          </a>
        </p>
      </>
    ),
  }
}
