/** @jsxImportSource hono/jsx */
/** `/forgotten` asks for a link, `/reset?token=` is that link. */
import { MIN_PASSWORD } from '../../users/fields.ts'
import { Field, Form, type Tried } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import type { Form as Fields } from '../http/form.ts'
import { textOf, tooOften, tryForm } from '../http/form-errors.ts'
import { type Page, type Reply, redirect, type Visit } from '../http/page.ts'

export function forgottenPage(visit: Visit, tried?: Tried): Page {
  const { sendsMail } = visit.application.users
  return {
    title: 'Forgotten password',
    isUnlisted: true,
    main: (
      <>
        <h1>Forgotten password</h1>
        {sendsMail ? (
          <>
            <p class="lead">We send you a link by which you choose a new one.</p>
            <Form visit={visit} action="/forgotten">
              <Field
                name="email"
                label="E-mail"
                type="email"
                autocomplete="username"
                isFirst
                tried={tried}
              />
              <button class="button" type="submit">
                Send the link
              </button>
            </Form>
          </>
        ) : (
          <p class="lead">
            {visit.site.serviceName} sends no mail. Ask whoever runs it for a link by which you
            choose a new password: they make it with <code>user reset</code> and your address.
          </p>
        )}
        <p class="beside">
          <a href={visit.to('/sign-in')}>Back to signing in</a>
        </p>
      </>
    ),
  }
}

/** A known and an unknown address are answered alike. */
export function askReset(visit: Visit, form: Fields): Promise<Reply> {
  const email = textOf(form, 'email')
  return tryForm(
    form,
    (tried) => forgottenPage(visit, tried),
    async () => {
      const asked = await visit.application.users.requestReset(email, visit.address)
      if (asked.outcome === 'limited') throw tooOften(asked.retryAfter)
      return sentPage(visit, email)
    },
  )
}

function sentPage(visit: Visit, email: string): Page {
  if (!visit.application.users.sendsMail) return forgottenPage(visit)
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
export function resetPage(visit: Visit): Page {
  return resetForm(visit, new URLSearchParams(visit.query).get('token') ?? '')
}

export function reset(visit: Visit, form: Fields): Promise<Reply> {
  const token = textOf(form, 'token')
  return tryForm(
    form,
    (tried) => resetForm(visit, token, tried),
    async () => {
      const wanted = { token, password: textOf(form, 'password') }
      const done = await visit.application.users.resetPassword(wanted, visit.address)
      if (done.outcome === 'limited') throw tooOften(done.retryAfter)
      if (done.outcome === 'changed') return redirect(visit.to('/sign-in?said=password'))
      return expiredPage(visit)
    },
  )
}

function resetForm(visit: Visit, token: string, tried?: Tried): Page {
  return {
    title: 'A new password',
    isUnlisted: true,
    main: (
      <>
        <h1>A new password</h1>
        <p class="lead">Wherever you are signed in, that ends with the old one.</p>
        <Form visit={visit} action="/reset">
          <input type="hidden" name="token" value={token} />
          <Field
            name="password"
            label="New password"
            type="password"
            autocomplete="new-password"
            minlength={MIN_PASSWORD}
            hint={`At least ${MIN_PASSWORD} characters.`}
            isFirst
            tried={tried}
          />
          <button class="button" type="submit">
            Set the password
          </button>
        </Form>
      </>
    ),
  }
}

function expiredPage(visit: Visit): Page {
  return {
    title: 'This link is not in force',
    status: 422,
    isUnlisted: true,
    main: (
      <>
        <h1>This link is not in force</h1>
        <Notice tone="bad">It works once and for an hour, and nothing was changed.</Notice>
        <p class="actions">
          <a class="button" href={visit.to('/forgotten')}>
            Ask for a new one
          </a>
        </p>
      </>
    ),
  }
}
