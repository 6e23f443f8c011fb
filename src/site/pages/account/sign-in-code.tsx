/** @jsxImportSource hono/jsx */
/** `/sign-in/code`: the second step of signing in. `?by=recovery` asks for a recovery code. */

import type { Form as Fields } from '../../http/form.ts'
import {
  type FormErrors,
  fieldText,
  tooManyAttempts,
  withFormErrors,
} from '../../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../http/page.ts'
import { returnUrlOf, withReturnUrl } from '../../http/return-url.ts'
import { Submit } from '../../ui/actions.tsx'
import { CodeField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { personalPage } from '../../ui/page-parts.tsx'
import { CODE_PATH, HOME } from './sign-in.tsx'

interface Step {
  isRecovery: boolean
  returnUrl: string | undefined
}

/** @param sent the query of the page, or its form */
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
    const done = await users.finishSignIn(code, context.request, context.address)
    if (done.outcome === 'limited') throw tooManyCodes(done.retryAfter, step)
    if (done.outcome === 'expired')
      return redirect(context.href(withReturnUrl('/sign-in?said=late', step.returnUrl)))
    return redirect(context.href(step.returnUrl ?? HOME), 303, done.cookies)
  })
}

/** Says the way in that strangers' wrong codes can't close. @param retryAfter seconds */
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
          ? 'One of the ten codes that you kept when you turned on two-step sign-in.'
          : 'Your password was right. Now the code of your app.'}
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
