/** @jsxImportSource hono/jsx */
/** `/invitation?token=`: the link by which somebody joins a workspace. */
import { countAttempt } from '../../users/rate-limiter.ts'
import { acceptInvitation, showInvitation } from '../../users/workspace.ts'
import { Form } from '../components/form.tsx'
import { Day } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { fieldText, tooManyAttempts } from '../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { withReturnUrl } from '../http/return-url.ts'

/** Looking at it changes nothing. */
export async function invitationPage(context: PageContext): Promise<Page> {
  const token = new URLSearchParams(context.query).get('token') ?? ''
  await countTry(context)
  const invited = await showInvitation(context.application.database, token)
  if (!invited) throw usedUp()
  const here = `/invitation?${new URLSearchParams({ token })}`
  return {
    title: 'An invitation',
    isUnlisted: true,
    main: (
      <>
        <h1>Join {invited.workspace}</h1>
        <p class="lead">
          {invited.invitedBy} invites you to share this workspace: its keys, its credits and the
          contacts that it revealed. The link is open until <Day at={invited.endsAt} />.
        </p>
        {context.session ? (
          <Form context={context} action="/invitation">
            <input type="hidden" name="token" value={token} />
            <p>
              You join as <strong>{context.session.user.email}</strong>.
            </p>
            <button class="button" type="submit">
              Join
            </button>
          </Form>
        ) : (
          <p class="actions">
            <a class="button" href={context.href(withReturnUrl('/sign-in', here))}>
              Sign in to join
            </a>
            <a class="button quiet" href={context.href(withReturnUrl('/sign-up', here))}>
              Make an account
            </a>
          </p>
        )}
      </>
    ),
  }
}

export async function accept(context: PageContext, form: Fields): Promise<Reply> {
  const token = fieldText(form, 'token')
  if (!context.session) {
    const here = `/invitation?${new URLSearchParams({ token })}`
    return redirect(context.href(withReturnUrl('/sign-in', here)))
  }
  await countTry(context)
  const joined = await acceptInvitation(context.application.database, context.session, token)
  if (!joined) throw usedUp()
  return redirect(context.href('/workspace?said=joined'))
}

/** Guesses are counted: a link is a secret. */
async function countTry({ application, address }: PageContext): Promise<void> {
  const { allowed, retryAfter } = await countAttempt(application.database, {
    kind: 'link',
    address,
  })
  if (!allowed) throw tooManyAttempts(retryAfter)
}

function usedUp(): PageError {
  return new PageError(
    404,
    'There is no such invitation',
    'It works once and for seven days, and not for somebody who is in already. Ask for another one.',
  )
}
