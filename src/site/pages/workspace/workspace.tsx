/** @jsxImportSource hono/jsx */
/** `/workspace`: one account shared by several people: members, invitations by links, the name, and switching accounts. */
import { tierHas } from '../../../contract/tiers.ts'
import { uuidOf } from '../../../database/uuid.ts'
import { countAttempt } from '../../../people/users/rate-limiter.ts'
import { MAX_NAME } from '../../../people/users/validation.ts'
import {
  acceptInvitation,
  accountsOf,
  cancelInvitation,
  type Invitation,
  invitationsOf,
  invite,
  leaveWorkspace,
  type Member,
  membersOf,
  nameWorkspace,
  removeMember,
  showInvitation,
  switchAccount,
} from '../../../people/users/workspace.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  changeAction,
  type FormActions,
  type FormErrors,
  fieldText,
  notFound,
  runAction,
  tooManyAttempts,
} from '../../http/form-errors.ts'
import type { Html } from '../../http/html.ts'
import {
  type Page,
  type PageContext,
  type Reply,
  redirect,
  type SignedInContext,
} from '../../http/page.ts'
import { PageError } from '../../http/page-error.ts'
import { withReturnUrl } from '../../http/return-url.ts'
import { ButtonLink, Confirmation, QuietLink, RowAction, Submit } from '../../ui/actions.tsx'
import { Badge } from '../../ui/badges.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { Flash, personalPage, Section, shownOncePage } from '../../ui/page-parts.tsx'
import { plansWith, requireFeature } from '../../ui/paid-feature.tsx'
import { Day } from '../../ui/text.tsx'

const MESSAGES: Readonly<Record<string, string>> = {
  named: 'The workspace was renamed.',
  joined: 'Welcome. You have joined this workspace and act for it now.',
  removed: 'The member is removed and signed out of this workspace.',
  cancelled: 'The invitation is withdrawn.',
  switched: 'You act for this account now.',
}

const ACTIONS: FormActions = {
  name: changeAction(nameWorkspace, {
    field: 'organization',
    what: 'workspace of yours',
    next: '/workspace?said=named',
  }),
  invite: inviteMember,
  cancel: changeAction(
    (database, { role, account }, id) =>
      role === 'owner' && cancelInvitation(database, account.id, id),
    { what: 'invitation', next: '/workspace?said=cancelled' },
  ),
  switch: changeAction(switchAccount, { what: 'account', next: '/workspace?said=switched' }),
}

export async function workspacePage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { application, session } = context
  const hasOne = tierHas(session.account.tier, 'workspace')
  const accounts = await accountsOf(application.database, session)
  return personalPage(
    { title: 'Workspace', heading: (hasOne && session.account.organization) || 'Workspace' },
    <>
      <Flash context={context} messages={MESSAGES} />
      {hasOne ? await sharedAccount(context, errors) : <Offer context={context} />}
      {accounts.length > 1 ? (
        <Section id="accounts" title="Switch account">
          <ul class="rows">
            {accounts.map(({ id, name: label, role }) => (
              <li class="row">
                <div class="what">
                  <bdi>{label}</bdi> <Badge>{role}</Badge>
                </div>
                {id === session.account.id ? (
                  <Badge tone="accent">current</Badge>
                ) : (
                  <RowAction context={context} action="switch" id={id} label="Switch" of={label} />
                )}
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
    </>,
  )
}

export function changeWorkspace(context: SignedInContext, form: Fields): Promise<Reply> {
  // Switching accounts needs no plan.
  const needsPlan = ['name', 'invite', 'cancel'].includes(fieldText(form, 'action'))
  if (needsPlan) requireFeature(context, 'workspace', 'workspace')
  return runAction(ACTIONS, context, form, workspacePage)
}

async function sharedAccount(
  context: SignedInContext,
  errors: FormErrors | undefined,
): Promise<Html> {
  const { session } = context
  const { database } = context.application
  const members = await membersOf(database, session.account.id)
  const invitations = await invitationsOf(database, session.account.id)
  return (
    <>
      <p class="lead">Members share the keys, the credits and every revealed contact.</p>
      {membersSection(context, members)}
      {session.role === 'owner' ? (
        <>
          {invitationsSection(context, invitations, errors)}
          <Section id="rename" title="Name">
            <Form context={context} action="/workspace">
              <Field
                name="organization"
                label="Workspace name"
                autocomplete="organization"
                value={session.account.organization ?? ''}
                maxlength={MAX_NAME}
                hint="The API gives it as the organization of your keys."
                isOptional
                errors={errors}
              />
              <Submit action="name">Save name</Submit>
            </Form>
          </Section>
        </>
      ) : null}
    </>
  )
}

function Offer({ context }: { context: SignedInContext }) {
  return (
    <>
      <p class="lead">
        A workspace is one account for several people. They share its keys, its credits and every
        contact that one of them revealed, so that nobody pays twice.
      </p>
      <p>
        It comes with {plansWith('workspace')}. You invite members by a link; they keep their own
        accounts.
      </p>
      <p class="actions">
        <ButtonLink href={context.href('/credits')}>View plans</ButtonLink>
      </p>
    </>
  )
}

function membersSection(context: SignedInContext, members: readonly Member[]) {
  const isOwner = context.session.role === 'owner'
  return (
    <Section id="members" title="Members">
      <ul class="rows">
        {members.map(({ userId, name, email, role, joinedAt }) => (
          <li class="row">
            <div class="what">
              <bdi>{name}</bdi> <Badge>{role}</Badge>
              <p>
                <bdi>{email}</bdi>, since <Day at={joinedAt} />
              </p>
            </div>
            {isOwner && role === 'member' ? (
              <a
                href={context.href(`/workspace/remove?id=${userId}`)}
                aria-label={`Remove ${name}`}
              >
                Remove
              </a>
            ) : null}
          </li>
        ))}
      </ul>
      {isOwner ? null : (
        <p class="actions">
          <QuietLink href={context.href('/workspace/leave')}>Leave workspace</QuietLink>
        </p>
      )}
    </Section>
  )
}

export async function removePage(context: SignedInContext): Promise<Page> {
  const { application, session } = context
  const id = uuidOf(new URLSearchParams(context.query).get('id'))
  const members = await membersOf(application.database, session.account.id)
  const member = members.find((each) => each.userId === id && each.role === 'member')
  if (!member || session.role !== 'owner') throw notFound('member')
  return personalPage(
    { title: 'Remove a member', heading: `Remove “${member.name}”?` },
    <>
      <p class="lead">
        <bdi>{member.email}</bdi> is signed out of this workspace at once. The workspace’s{' '}
        <a href={context.href('/keys')}>keys</a> keep working: rotate those that this person knows.
      </p>
      <Confirmation
        context={context}
        action="/workspace/remove"
        id={member.userId}
        label="Remove"
      />
    </>,
  )
}

/** Removes a member and mails them. */
export async function remove(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, href } = context
  const id = uuidOf(form.get('id')) ?? ''
  const members = await membersOf(application.database, session.account.id)
  if (!(await removeMember(application.database, session, id))) throw notFound('member')
  const email = members.find(({ userId }) => userId === id)?.email
  const { organization, name } = session.account
  if (email) await application.users.tellRemoved(email, organization ?? name)
  return redirect(href('/workspace?said=removed'))
}

export function leavePage(context: SignedInContext): Page {
  const { account, role } = context.session
  if (role !== 'member') throw notFound('page')
  return personalPage(
    { title: 'Leave the workspace', heading: `Leave “${account.organization ?? account.name}”?` },
    <>
      <p class="lead">
        You lose access to its pages, credits and contacts, and need an invitation to come back.
        Your own account stays: sign in to it afterwards.
      </p>
      <Confirmation context={context} action="/workspace/leave" label="Leave" />
    </>,
  )
}

export const leave = changeAction(leaveWorkspace, { what: 'page', next: '/sign-in?said=left' })

function invitationsSection(
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

async function inviteMember(context: SignedInContext, form: Fields): Promise<Reply> {
  const label = fieldText(form, 'label')
  const invitation = await invite(context.application.database, context.session, label)
  if (!invitation) {
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
      secret: `${context.site.appUrl}/invitation?token=${invitation.token}`,
      next: '/workspace',
    },
    <p>It works once, for seven days.</p>,
  )
}

/** Page of an invitation link. A GET changes nothing. */
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

/** Limits attempts per address against guessed tokens. */
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
