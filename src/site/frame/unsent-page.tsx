/** @jsxImportSource hono/jsx */
/** `/unsent`: a form that came without a session, to be looked over and sent after all. Nothing is done before that. */

import type { Page, PageContext, Reply, Route } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { redirectToSignIn, withReturnUrl } from '../http/return-url.ts'
import { type UnsentForm, unsentFrom, unsentIn, wayBack } from '../http/unsent-form.ts'
import { ButtonLink, QuietLink, Submit } from '../ui/actions.tsx'
import { Facts } from '../ui/facts.tsx'
import { Form } from '../ui/form.tsx'
import { parameterLabel } from '../ui/list-query.ts'
import { personalPage } from '../ui/page-parts.tsx'

/** The answer to a request without a session: the way through signing in and back, with what was written. */
export async function signInFirst(route: Route, context: PageContext): Promise<Reply> {
  const unsent = await unsentIn(route, context)
  if (!unsent) return redirectToSignIn(context)
  const way = wayBack(context, unsent)
  return way ? redirectToSignIn(context, way.returnUrl, way.cookies) : tooLongPage(context, unsent)
}

export function unsentPage(context: PageContext): Page {
  const unsent = unsentFrom(context)
  if (!unsent) {
    const help =
      'It is kept in the browser in which it was written, and for as long as that is open.'
    throw new PageError(404, 'There is no such form here', help)
  }
  return formPage(context, unsent, 'You were signed out before this was sent.')
}

/** The answer to a form of a session before this one. */
export function outdatedPage(context: PageContext, unsent: UnsentForm): Page {
  const why = 'This form is out of date: you have signed in again since its page was loaded.'
  return { ...formPage(context, unsent, why), status: 403 }
}

function formPage(context: PageContext, { action, page, fields }: UnsentForm, why: string): Page {
  return personalPage(
    { title: 'Not sent yet' },
    <>
      <p class="lead">{why} Nothing was changed. Look over what you wrote, then send it.</p>
      <Written fields={fields} />
      <Form context={context} action={action}>
        {fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <p class="actions">
          <Submit>Send</Submit>
          <QuietLink href={page}>Discard</QuietLink>
        </p>
      </Form>
    </>,
  )
}

/** Stands where a form is too long for an address: what was written is there to be copied. */
function tooLongPage(context: PageContext, { page, fields }: UnsentForm): Page {
  const from = new URL(page, context.site.appUrl)
  const path = from.pathname.slice(context.href('').length) + from.search
  return personalPage(
    { title: 'You were signed out', status: 403 },
    <>
      <p class="lead">
        Nothing was changed. What you wrote is too long to be carried through signing in: copy it
        from here first.
      </p>
      <Written fields={fields} />
      <p class="actions">
        <ButtonLink href={context.href(withReturnUrl('/sign-in', path))}>Sign in</ButtonLink>
      </p>
    </>,
  )
}

function Written({ fields }: Pick<UnsentForm, 'fields'>) {
  const facts = fields
    .filter(([name, value]) => name !== 'action' && value.trim() !== '')
    .map(([name, value]) => ({
      name: parameterLabel(name),
      value: <bdi class="written">{value}</bdi>,
    }))
  return <Facts facts={facts} />
}
