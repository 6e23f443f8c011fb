/** @jsxImportSource hono/jsx */
/** `/invitation?token=`: the link of an invitation to a workspace. */
import { countAttempt } from '../../users/rate-limiter.ts'
import { acceptInvitation, showInvitation } from '../../users/workspace.ts'
import { ButtonLink, QuietLink, Submit } from '../components/actions.tsx'
import { Form } from '../components/form.tsx'
import { personalPage } from '../components/page-parts.tsx'
import { Day } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { fieldText, tooManyAttempts } from '../http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { withReturnUrl } from '../http/return-url.ts'

/** A GET changes nothing. */
export async function invitationPage(context: PageContext): Promise<Page> {
  const token = new URLSearchParams(context.query).get('token') ?? ''
  await limitAttempts(context)
  const invitation = await showInvitation(context.application.database, token)
  if (!invitation) throw notOpen()
  const { workspace, invitedBy, endsAt } = invitation
  const here = pathOf(token)
  return personalPage(
    { title: 'Invitation to a workspace', heading: `Join ${workspace}` },
    <>
      <p class="lead">
        {invitedBy} invites you to share this workspace: its keys, its credits and the contacts that
        it revealed. The invitation expires <Day at={endsAt} />.
      </p>
      {context.session ? (
        <Form context={context} action="/invitation">
          <input type="hidden" name="token" value={token} />
          <p>
            You join as <strong>{context.session.user.email}</strong>.
          </p>
          <Submit>Join</Submit>
        </Form>
      ) : (
        <p class="actions">
          <ButtonLink href={context.href(withReturnUrl('/sign-in', here))}>
            Sign in to join
          </ButtonLink>
          <QuietLink href={context.href(withReturnUrl('/sign-up', here))}>
            Create an account
          </QuietLink>
        </p>
      )}
    </>,
  )
}

export async function accept(context: PageContext, form: Fields): Promise<Reply> {
  const token = fieldText(form, 'token')
  if (!context.session) return redirect(context.href(withReturnUrl('/sign-in', pathOf(token))))
  await limitAttempts(context)
  const hasJoined = await acceptInvitation(context.application.database, context.session, token)
  if (!hasJoined) throw notOpen()
  return redirect(context.href('/workspace?said=joined'))
}

const pathOf = (token: string) => `/invitation?${new URLSearchParams({ token })}`

/** Counts attempts per address, because tokens could be guessed. */
async function limitAttempts({ application, address }: PageContext): Promise<void> {
  const attempt = { kind: 'link', address } as const
  const { allowed, retryAfter } = await countAttempt(application.database, attempt)
  if (!allowed) throw tooManyAttempts(retryAfter)
}

function notOpen(): PageError {
  return new PageError(
    404,
    'There is no such invitation',
    'An invitation works once, for seven days, and not for members. Ask the owner for another one.',
  )
}
