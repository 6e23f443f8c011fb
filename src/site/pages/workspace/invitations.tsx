/** @jsxImportSource hono/jsx */
/** Invitations: the owner gets a link for each, shown once; at `/invitation?token=` one person may join by it. */
import { countAttempt } from '../../../people/users/rate-limiter.ts'
import { MAX_NAME } from '../../../people/users/validation.ts'
import {
  acceptInvitation,
  cancelInvitation,
  type Invitation,
  invite,
  showInvitation,
} from '../../../people/users/workspace.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  changeAction,
  type FormErrors,
  fieldText,
  tooManyAttempts,
} from '../../http/form-errors.ts'
import {
  type Page,
  type PageContext,
  type Reply,
  redirect,
  type SignedInContext,
} from '../../http/page.ts'
import { PageError } from '../../http/page-error.ts'
import { withReturnUrl } from '../../http/return-url.ts'
import { ButtonLink, QuietLink, RowAction, Submit } from '../../ui/actions.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { personalPage, Section, shownOncePage } from '../../ui/page-parts.tsx'
import { Day } from '../../ui/text.tsx'

export function invitationsSection(
  context: SignedInContext,
  invitations: readonly Invitation[],
  errors: FormErrors | undefined,
) {
  return (
    <Section id="invite" title="Invite a member">
      <Form context={context} action="/workspace">
        <Field
          name="label"
          label="Name of the invitation"
          autocomplete="off"
          maxlength={MAX_NAME}
          hint="The person's name, for example. You get a link to send them."
          errors={errors}
        />
        <Submit action="invite">Create invitation link</Submit>
      </Form>
      {invitations.length > 0 ? <h3>Waiting to be accepted</h3> : null}
      {invitations.length > 0 ? (
        <ul class="rows">
          {invitations.map(({ id, label, endsAt }) => (
            <li class="row">
              <div class="what">
                <bdi>{label}</bdi>
                <p>
                  Expires <Day at={endsAt} />
                </p>
              </div>
              <RowAction context={context} action="cancel" id={id} label="Withdraw" of={label} />
            </li>
          ))}
        </ul>
      ) : null}
    </Section>
  )
}

export async function inviteMember(context: SignedInContext, form: Fields): Promise<Reply> {
  const label = fieldText(form, 'label')
  const made = await invite(context.application.database, context.session, label)
  if (!made) {
    throw new PageError(
      409,
      'No invitation was created',
      'Only the owner of a workspace invites, and up to 100 invitations may be open at once.',
    )
  }
  return shownOncePage(
    context,
    {
      title: 'Your invitation link',
      heading: `An invitation for ${label.trim()}`,
      warning: 'Copy the link now and send it: it is not shown again. Whoever opens it may join.',
      secret: `${context.site.appUrl}/invitation?token=${made.token}`,
      next: '/workspace',
    },
    <p>It works once, for seven days.</p>,
  )
}

export const cancel = changeAction(
  (database, { role, account }, id) =>
    role === 'owner' && cancelInvitation(database, account.id, id),
  { what: 'invitation', next: '/workspace?said=cancelled' },
)

/** The page of an invitation's link. A GET changes nothing. */
export async function invitationPage(context: PageContext): Promise<Page> {
  const token = new URLSearchParams(context.query).get('token') ?? ''
  await limitAttempts(context)
  const invitation = await showInvitation(context.application.database, token)
  if (!invitation) throw notOpen()
  const { workspace, invitedBy, endsAt } = invitation
  const here = pathOf(token)
  return personalPage(
    { title: 'Invitation to a workspace', heading: `Join “${workspace}”` },
    <>
      <p class="lead">
        <bdi>{invitedBy}</bdi> invites you to share this workspace: its keys, its credits and the
        contacts that it revealed. The invitation expires <Day at={endsAt} />.
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
