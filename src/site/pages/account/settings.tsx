/** @jsxImportSource hono/jsx */
/**
 * `/settings`: a user's name, address, password and sessions, and the way to their second factor; `/appearance`: light, dark or the
 * system's colours, for this browser.
 */
import { hasSecondFactor } from '../../../people/users/second-factor-store.ts'
import { endOtherSessions, endOwnSession, sessionsOf } from '../../../people/users/sessions.ts'
import { FieldError } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  changeAction,
  type FormActions,
  type FormErrors,
  fieldText,
  runAction,
  tooManyAttempts,
  withFormErrors,
} from '../../http/form-errors.ts'
import type { Child } from '../../http/html.ts'
import {
  type Page,
  type PageContext,
  pathTo,
  type Reply,
  redirect,
  type SignedInContext,
} from '../../http/page.ts'
import { returnUrlOf } from '../../http/return-url.ts'
import { THEMES, themeCookie, themeOf } from '../../http/theme.ts'
import { QuietLink, RowAction, Submit } from '../../ui/actions.tsx'
import { Badge } from '../../ui/badges.tsx'
import { Radios } from '../../ui/fields.tsx'
import { EmailField, Form, NameField, NewPasswordField, PasswordField } from '../../ui/form.tsx'
import { Flash, personalPage, Section } from '../../ui/page-parts.tsx'
import { Day } from '../../ui/text.tsx'

const MESSAGES: Readonly<Record<string, string>> = {
  name: 'Your name is changed.',
  email: 'Your address is changed.',
  mailed: 'We are sending a link to the new address. Open it to change your address.',
  password: 'Your password is changed, and every other session is signed out.',
  ended: 'Signed out.',
}

const ACTIONS: FormActions = {
  name: changeName,
  email: changeEmail,
  password: changePassword,
  end: changeAction(endOwnSession, { what: 'session', next: '/settings?said=ended' }),
  others: endOthers,
}

export async function settingsPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { application, session } = context
  const [sessions, hasCode] = await Promise.all([
    sessionsOf(application.database, session),
    hasSecondFactor(application.database, session.user.id),
  ])
  const errorsOf = (action: string) => (errors?.form.get('action') === action ? errors : undefined)
  return personalPage(
    { title: 'Settings' },
    <>
      <Flash context={context} messages={MESSAGES} />
      <FormSection context={context} action="name" title="Name" submit="Change name">
        <NameField value={session.user.name} errors={errorsOf('name')} />
      </FormSection>
      <FormSection context={context} action="email" title="E-mail" submit="Change e-mail">
        <EmailField autocomplete="email" value={session.user.email} errors={errorsOf('email')} />
        <PasswordField name="confirmation" label="Your password" errors={errorsOf('email')} />
      </FormSection>
      <FormSection context={context} action="password" title="Password" submit="Change password">
        <PasswordField name="current" label="Current password" errors={errorsOf('password')} />
        <NewPasswordField note="every other session is signed out" errors={errorsOf('password')} />
      </FormSection>
      <Section id="two-step" title="Two-step sign-in">
        <p>
          {hasCode ? (
            <>
              <Badge tone="good">On</Badge> Signing in asks for a code after the password.
            </>
          ) : (
            <>
              <Badge>Off</Badge> Signing in asks for the password alone.
            </>
          )}
        </p>
        <p>
          <QuietLink href={context.href('/settings/two-step')}>
            {hasCode ? 'Two-step sign-in' : 'Turn on two-step sign-in'}
          </QuietLink>
        </p>
      </Section>
      <Section id="appearance" title="Appearance">
        <p>
          <a href={context.href('/appearance')}>Light, dark or the system’s colours</a>
        </p>
      </Section>
      <Sessions context={context} sessions={sessions} />
    </>,
  )
}

interface SessionsProps {
  context: SignedInContext
  sessions: Awaited<ReturnType<typeof sessionsOf>>
}

function Sessions({ context, sessions }: SessionsProps) {
  return (
    <Section id="sessions" title="Sessions">
      <ul class="rows">
        {sessions.map(({ id, createdAt, usedAt }) => (
          <li class="row">
            <div class="what">
              {id === context.session.id ? 'This browser' : 'Another browser'}
              <p>
                Signed in <Day at={createdAt} />, last active <Day at={usedAt} />
              </p>
            </div>
            {id === context.session.id ? null : (
              <RowAction context={context} action="end" id={id} label="Sign out this session" />
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 ? (
        <Form context={context} action="/settings" class="actions">
          <Submit action="others" tone="quiet">
            Sign out all other sessions
          </Submit>
        </Form>
      ) : null}
    </Section>
  )
}

type SectionOptions = { context: SignedInContext; children?: Child } & Record<
  'action' | 'title' | 'submit',
  string
>

function FormSection({ context, action, title, submit, children }: SectionOptions) {
  return (
    <Section id={action} title={title}>
      <Form context={context} action="/settings">
        {children}
        <Submit action={action}>{submit}</Submit>
      </Form>
    </Section>
  )
}

export function changeSettings(context: SignedInContext, form: Fields): Promise<Reply> {
  return runAction(ACTIONS, context, form, settingsPage)
}

async function changeName(context: SignedInContext, form: Fields): Promise<Reply> {
  await context.application.users.changeName(context.session, fieldText(form, 'name'))
  return redirectWith(context, 'name')
}

async function changeEmail(context: SignedInContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const changes = { email: fieldText(form, 'email'), password: fieldText(form, 'confirmation') }
  const result = await users.changeEmail(context.session, changes, context.address)
  if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter)
  if (result.outcome === 'taken') throw new FieldError('email', 'This address can’t be used.')
  return redirectWith(context, users.sendsMail ? 'mailed' : 'email')
}

async function changePassword(context: SignedInContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const changes = { current: fieldText(form, 'current'), password: fieldText(form, 'password') }
  const result = await users.changePassword(context.session, changes, context.address)
  if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter)
  return redirectWith(context, 'password', result.cookies)
}

async function endOthers(context: SignedInContext): Promise<Reply> {
  await endOtherSessions(context.application.database, context.session)
  return redirectWith(context, 'ended')
}

function redirectWith(
  context: SignedInContext,
  said: string,
  cookies: readonly string[] = [],
): Reply {
  return redirect(context.href(`/settings?said=${said}`), 303, cookies)
}

const SYSTEM = 'system'
const SAVED = { set: 'Your colours were saved.' }

const OPTIONS = [
  { value: SYSTEM, label: 'System', hint: 'Follows your device.' },
  { value: 'light', label: 'Light', hint: 'Dark text on white.' },
  { value: 'dark', label: 'Dark', hint: 'Light text on a dark ground.' },
]

export function appearancePage(context: PageContext, errors?: FormErrors): Page {
  const returnUrl = errors ? returnUrlOf(errors.form) : pageBefore(context)
  return personalPage(
    { title: 'Appearance' },
    <>
      <Flash context={context} messages={SAVED} />
      <p class="lead">How these pages look in this browser. A cookie keeps your choice.</p>
      <Form context={context} action="/appearance">
        {returnUrl ? <input type="hidden" name="returnUrl" value={returnUrl} /> : null}
        <Radios
          name="theme"
          legend="Colours"
          options={OPTIONS}
          chosen={themeOf(context.request, context.site.appUrl) ?? SYSTEM}
          errors={errors}
        />
        <Submit>Set colours</Submit>
      </Form>
    </>,
  )
}

export function setAppearance(context: PageContext, form: Fields): Promise<Reply> {
  const again = (errors: FormErrors) => appearancePage(context, errors)
  return withFormErrors(form, again, async () => {
    const value = fieldText(form, 'theme')
    const theme = THEMES.find((each) => each === value)
    if (!theme && value !== SYSTEM) throw new FieldError('theme', 'Light, dark or system.')
    const to = returnUrlOf(form) ?? '/appearance?said=set'
    return redirect(context.href(to), 303, [themeCookie(theme, context.site.appUrl)])
  })
}

/** Path of the referring page, so that links to this page need no parameter. */
function pageBefore({ request, site }: PageContext): string | undefined {
  const sent = request.headers.get('referer') ?? ''
  if (!URL.canParse(sent)) return undefined
  const { pathname, search } = new URL(sent)
  const base = pathTo(site, '')
  if (!pathname.startsWith(`${base}/`) || pathname === `${base}/appearance`) return undefined
  return returnUrlOf(new URLSearchParams({ returnUrl: pathname.slice(base.length) + search }))
}
