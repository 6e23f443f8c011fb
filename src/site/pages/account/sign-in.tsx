/** @jsxImportSource hono/jsx */
/** `/sign-in`, its second step `/sign-in/code`, and `/sign-out`. */
import type { Form as Fields } from '../../http/form.ts'
import {
  type FormErrors,
  fieldText,
  tooManyAttempts,
  withFormErrors,
} from '../../http/form-errors.ts'
import type { Child } from '../../http/html.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../http/page.ts'
import { PageError } from '../../http/page-error.ts'
import { returnUrlOf, withReturnUrl } from '../../http/return-url.ts'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { CodeField } from '../../ui/fields.tsx'
import { EmailField, Form, PasswordField } from '../../ui/form.tsx'
import { Flash, Notice, personalPage } from '../../ui/page-parts.tsx'

/** Default page after signing in. */
export const HOME = '/overview'

const CODE_PATH = '/sign-in/code'

const MESSAGES: Readonly<Record<string, string>> = {
  password: 'Your password is changed. Sign in with the new one.',
  confirmed: 'Your address is confirmed. Sign in.',
  late: 'Your code came too late, or your password has changed. Sign in again.',
  ended: 'Your session has ended. Sign in to go on where you were.',
  removed:
    'You were removed from the workspace by its owner. Sign in to your own account, which stays as it was.',
  left: 'You have left the workspace. Sign in to your own account.',
}

export function signInPage(context: PageContext): Reply {
  const returnUrl = returnUrlOf(new URLSearchParams(context.query))
  if (context.session) return redirect(context.href(returnUrl ?? HOME))
  const notice = <Flash context={context} messages={MESSAGES} />
  return signInForm(context, { email: '', returnUrl, notice })
}

/** @param wrong message for a wrong password */
export async function signIn(
  context: PageContext,
  form: Fields,
  wrong = 'Wrong e-mail address or password.',
): Promise<Reply> {
  const { users } = context.application
  const returnUrl = returnUrlOf(form)
  const [email, password] = [fieldText(form, 'email'), fieldText(form, 'password')]
  const result = await users.signIn(
    { email, password, returnUrl },
    context.request,
    context.address,
  )
  if (result.outcome === 'signed_in')
    return redirect(context.href(returnUrl ?? HOME), 303, result.cookies)
  if (result.outcome === 'code')
    return redirect(context.href(withReturnUrl(CODE_PATH, returnUrl)), 303, result.cookies)
  if (result.outcome === 'limited') throw tooManyPasswords(result.retryAfter)
  const notice =
    result.outcome === 'unverified' ? (
      <Notice tone="warn">
        This address is not confirmed yet. We are sending it a link: open it, then sign in.
      </Notice>
    ) : (
      <Notice tone="bad">{wrong}</Notice>
    )
  return { ...signInForm(context, { email, returnUrl, notice }), status: 422 }
}

export function signOutPage(context: PageContext): Reply {
  if (!context.session) return redirect(context.href('/'))
  return personalPage(
    { title: 'Sign out', heading: 'Sign out?' },
    <>
      <p class="lead">
        You are signed in as <bdi>{context.session.user.email}</bdi>. Other browsers stay signed in.
      </p>
      <Form context={context} action="/sign-out">
        <p class="actions">
          <Submit>Sign out</Submit>
          <QuietLink href={context.href('/overview')}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}

export async function signOut({ application, request, href }: PageContext): Promise<Reply> {
  const { cookies } = await application.users.signOut(request)
  return redirect(href('/'), 303, cookies)
}

/** Names a way in that other people's wrong passwords can't block. @param retryAfter seconds */
function tooManyPasswords(retryAfter: number): PageError {
  const { title, message, status, headers } = tooManyAttempts(retryAfter)
  const wayIn = 'Or reset your password: the browser in which you do that can sign in at once.'
  return new PageError(status, title, `${message} ${wayIn}`, headers)
}

export function signInForm(
  context: PageContext,
  { email, returnUrl, notice }: { email: string; returnUrl: string | undefined; notice: Child },
): Page {
  return personalPage(
    { title: 'Sign in' },
    <>
      {notice}
      <Form context={context} action="/sign-in">
        {returnUrl ? <input type="hidden" name="returnUrl" value={returnUrl} /> : null}
        <EmailField value={email} isFirst={email === ''} />
        <PasswordField isFirst={email !== ''} />
        <Submit>Sign in</Submit>
      </Form>
      <p class="beside">
        New here? <a href={context.href(withReturnUrl('/sign-up', returnUrl))}>Create an account</a>
        <br />
        <a href={context.href(withReturnUrl('/forgotten', returnUrl))}>Forgot your password?</a>
      </p>
    </>,
  )
}

interface Step {
  isRecovery: boolean
  returnUrl: string | undefined
}

const stepOf = (sent: URLSearchParams): Step => ({
  isRecovery: sent.get('by') === 'recovery',
  returnUrl: returnUrlOf(sent),
})

export async function codePage(context: PageContext): Promise<Reply> {
  const step = stepOf(new URLSearchParams(context.query))
  if (!(await context.application.users.isPending(context.request)))
    return redirect(context.href(withReturnUrl('/sign-in', step.returnUrl)))
  return codeForm(context, step)
}

export function showCode(context: PageContext, form: Fields): Promise<Reply> {
  const { users } = context.application
  const step = stepOf(form)
  const again = (errors: FormErrors) => codeForm(context, step, errors)
  return withFormErrors(form, again, async () => {
    const code = fieldText(form, 'code')
    const result = await users.finishSignIn(code, context.request, context.address)
    if (result.outcome === 'limited') throw tooManyCodes(result.retryAfter, step)
    if (result.outcome === 'expired')
      return redirect(context.href(withReturnUrl('/sign-in?said=late', step.returnUrl)))
    return redirect(context.href(step.returnUrl ?? HOME), 303, result.cookies)
  })
}

/** Names a way in that strangers' wrong codes can't block. @param retryAfter seconds */
function tooManyCodes(retryAfter: number, { isRecovery }: Step) {
  const instead = ' Or go back and use a recovery code: it works at once.'
  return tooManyAttempts(retryAfter, isRecovery ? '' : instead)
}

function codeForm(
  { href, ...context }: PageContext,
  { isRecovery, returnUrl }: Step,
  errors?: FormErrors,
): Page {
  const other = new URLSearchParams([
    ...(isRecovery ? [] : [['by', 'recovery']]),
    ...(returnUrl ? [['returnUrl', returnUrl]] : []),
  ])
  const query = other.size > 0 ? `?${other}` : ''
  return personalPage(
    { title: 'Enter your code', heading: isRecovery ? 'Enter a recovery code' : 'Enter your code' },
    <>
      <p class="lead">
        {isRecovery
          ? 'One of the ten codes that you saved when you turned on two-step sign-in.'
          : 'Your password is correct. Now enter the code from your app.'}
      </p>
      <Form context={{ href, ...context }} action={CODE_PATH}>
        {isRecovery ? <input type="hidden" name="by" value="recovery" /> : null}
        {returnUrl ? <input type="hidden" name="returnUrl" value={returnUrl} /> : null}
        <CodeField of={isRecovery ? 'recovery' : 'app'} errors={errors} isFirst />
        <Submit>Sign in</Submit>
      </Form>
      <p class="beside">
        <a href={href(CODE_PATH + query)}>
          {isRecovery ? 'Use the code of my app' : 'I don’t have my app: use a recovery code'}
        </a>
        <br />
        <a href={href(withReturnUrl('/sign-in', returnUrl))}>Back to sign in</a>
      </p>
    </>,
  )
}
