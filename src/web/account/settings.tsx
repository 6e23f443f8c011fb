/** @jsxImportSource hono/jsx */
/** `/settings`: a person's name, address and password, and where they are signed in. */

import { endOtherSessions, endOwnSession, sessionsOf } from '../../users/sessions.ts'
import { FieldError, MAX_NAME, MIN_PASSWORD } from '../../users/validation.ts'
import { Field, Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Day } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import {
  type FormErrors,
  fieldText,
  notFound,
  tooManyAttempts,
  withFormErrors,
} from '../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'

const SAID: Readonly<Record<string, string>> = {
  name: 'Your name is changed.',
  email: 'Your address is changed.',
  mailed: 'A link is on its way to the new address. Open it, and it is the one you sign in with.',
  password: 'Your password is changed, and every other browser is signed out.',
  ended: 'Signed out there.',
}

/** What each form of the page does, by the value of its button. */
const DEEDS: Readonly<Record<string, (context: SignedInContext, form: Fields) => Promise<Reply>>> =
  {
    name: changeName,
    email: changeEmail,
    password: changePassword,
    end: end,
    others: endOthers,
  }

export async function settingsPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { application, session } = context
  const said = SAID[new URLSearchParams(context.query).get('said') ?? '']
  const sessions = await sessionsOf(application.database, session)
  /** What was tried belongs to one form of the three. */
  const of = (deed: string) => (errors?.form.get('deed') === deed ? errors : undefined)
  return {
    title: 'Settings',
    isUnlisted: true,
    main: (
      <>
        <h1>Settings</h1>
        {said ? <Notice tone="good">{said}</Notice> : null}
        <section aria-labelledby="name">
          <h2 id="name">Name</h2>
          <Form context={context} action="/settings">
            <Field
              name="name"
              label="Name"
              autocomplete="name"
              value={session.user.name}
              maxlength={MAX_NAME}
              errors={of('name')}
            />
            <Deed value="name" label="Change the name" />
          </Form>
        </section>
        <section aria-labelledby="email">
          <h2 id="email">E-mail</h2>
          <Form context={context} action="/settings">
            <Field
              name="email"
              label="E-mail"
              type="email"
              autocomplete="email"
              value={session.user.email}
              errors={of('email')}
            />
            <Field
              name="confirmation"
              label="Your password"
              type="password"
              autocomplete="current-password"
              errors={of('email')}
            />
            <Deed value="email" label="Change the address" />
          </Form>
        </section>
        <section aria-labelledby="password">
          <h2 id="password">Password</h2>
          <Form context={context} action="/settings">
            <Field
              name="current"
              label="The one you have"
              type="password"
              autocomplete="current-password"
              errors={of('password')}
            />
            <Field
              name="password"
              label="The new one"
              type="password"
              autocomplete="new-password"
              minlength={MIN_PASSWORD}
              hint={`At least ${MIN_PASSWORD} characters. Every other browser is signed out.`}
              errors={of('password')}
            />
            <Deed value="password" label="Change the password" />
          </Form>
        </section>
        <section aria-labelledby="sessions">
          <h2 id="sessions">Where you are signed in</h2>
          <ul class="rows">
            {sessions.map(({ id, createdAt, usedAt }) => (
              <li class="row">
                <div class="what">
                  {id === session.id ? 'This browser' : 'Another browser'}
                  <p>
                    since <Day at={createdAt} />, last used <Day at={usedAt} />
                  </p>
                </div>
                {id === session.id ? null : (
                  <Form context={context} action="/settings" class="inline">
                    <input type="hidden" name="id" value={id} />
                    <button class="button quiet" type="submit" name="deed" value="end">
                      Sign it out
                    </button>
                  </Form>
                )}
              </li>
            ))}
          </ul>
          {sessions.length > 1 ? (
            <Form context={context} action="/settings" class="actions">
              <button class="button quiet" type="submit" name="deed" value="others">
                Sign out all the others
              </button>
            </Form>
          ) : null}
        </section>
      </>
    ),
  }
}

export function changeSettings(context: SignedInContext, form: Fields): Promise<Reply> {
  const deed = fieldText(form, 'deed')
  const work = Object.hasOwn(DEEDS, deed) ? DEEDS[deed] : undefined
  if (!work)
    throw new PageError(400, 'The form could not be read', 'It does not say what to change.')
  const again = (errors: FormErrors) => settingsPage(context, errors)
  return withFormErrors(form, again, () => work(context, form))
}

async function changeName(context: SignedInContext, form: Fields): Promise<Reply> {
  await context.application.users.changeName(context.session, fieldText(form, 'name'))
  return done(context, 'name')
}

async function changeEmail(context: SignedInContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const wanted = { email: fieldText(form, 'email'), password: fieldText(form, 'confirmation') }
  const changed = await users.changeEmail(context.session, wanted, context.address)
  if (changed.outcome === 'limited') throw tooManyAttempts(changed.retryAfter)
  if (changed.outcome === 'wrong')
    throw new FieldError('confirmation', 'This is not your password.')
  if (changed.outcome === 'taken') throw new FieldError('email', 'This address can’t be taken.')
  return done(context, users.sendsMail ? 'mailed' : 'email')
}

async function changePassword(context: SignedInContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const wanted = { current: fieldText(form, 'current'), password: fieldText(form, 'password') }
  const changed = await users.changePassword(context.session, wanted, context.address)
  if (changed.outcome === 'limited') throw tooManyAttempts(changed.retryAfter)
  if (changed.outcome === 'wrong') throw new FieldError('current', 'This is not your password.')
  return done(context, 'password', changed.cookies)
}

async function end(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session } = context
  const ended = await endOwnSession(application.database, session, fieldText(form, 'id'))
  if (!ended) throw notFound('session')
  return done(context, 'ended')
}

async function endOthers(context: SignedInContext): Promise<Reply> {
  await endOtherSessions(context.application.database, context.session)
  return done(context, 'ended')
}

function done(context: SignedInContext, said: string, cookies: readonly string[] = []): Reply {
  return redirect(context.href(`/settings?said=${said}`), 303, cookies)
}

/** The button of a form on a page with several. */
function Deed({ value, label }: { value: string; label: string }) {
  return (
    <>
      <input type="hidden" name="deed" value={value} />
      <button class="button" type="submit">
        {label}
      </button>
    </>
  )
}
