/** @jsxImportSource hono/jsx */
/** `/invitation?token=`: the link by which somebody joins a workspace. */
import { takeTurn } from '../../users/rate-limiter.ts'
import { acceptInvitation, showInvitation } from '../../users/workspace.ts'
import { Form } from '../components/form.tsx'
import { Day } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { textOf, tooOften } from '../http/form-errors.ts'
import { type Page, PageError, type Reply, redirect, type Visit } from '../http/page.ts'
import { withNext } from '../http/return-url.ts'

/** Looking at it changes nothing. */
export async function invitationPage(visit: Visit): Promise<Page> {
  const token = new URLSearchParams(visit.query).get('token') ?? ''
  await countTry(visit)
  const invited = await showInvitation(visit.application.database, token)
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
        {visit.session ? (
          <Form visit={visit} action="/invitation">
            <input type="hidden" name="token" value={token} />
            <p>
              You join as <strong>{visit.session.user.email}</strong>.
            </p>
            <button class="button" type="submit">
              Join
            </button>
          </Form>
        ) : (
          <p class="actions">
            <a class="button" href={visit.to(withNext('/sign-in', here))}>
              Sign in to join
            </a>
            <a class="button quiet" href={visit.to(withNext('/sign-up', here))}>
              Make an account
            </a>
          </p>
        )}
      </>
    ),
  }
}

export async function accept(visit: Visit, form: Fields): Promise<Reply> {
  const token = textOf(form, 'token')
  if (!visit.session) {
    const here = `/invitation?${new URLSearchParams({ token })}`
    return redirect(visit.to(withNext('/sign-in', here)))
  }
  await countTry(visit)
  const joined = await acceptInvitation(visit.application.database, visit.session, token)
  if (!joined) throw usedUp()
  return redirect(visit.to('/workspace?said=joined'))
}

/** Guesses are counted: a link is a secret. */
async function countTry({ application, address }: Visit): Promise<void> {
  const turn = await takeTurn(application.database, 'link', address)
  if (!turn.allowed) throw tooOften(turn.retryAfter)
}

function usedUp(): PageError {
  return new PageError(
    404,
    'There is no such invitation',
    'It works once and for seven days, and not for somebody who is in already. Ask for another one.',
  )
}
