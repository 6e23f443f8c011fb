/** @jsxImportSource hono/jsx */
/** `/workspace`: one account for several people: its name, its members, its invitations. */
import { PLANS, tierHas } from '../../contract/tiers.ts'
import { MAX_NAME } from '../../users/validation.ts'
import {
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
  switchAccount,
} from '../../users/workspace.ts'
import { Badge } from '../components/badges.tsx'
import { Code } from '../components/code.tsx'
import { Field, Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { plansWith } from '../components/plan-needed.tsx'
import { Day, humanize } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, fieldText, notFound, withFormErrors } from '../http/form-errors.ts'
import type { Html } from '../http/html.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'

const SAID: Readonly<Record<string, string>> = {
  named: 'The workspace has its new name.',
  joined: 'Welcome: you are in, and act for this workspace now.',
  removed: 'Removed, and signed out of this workspace everywhere.',
  cancelled: 'The invitation opens nothing any more.',
  switched: 'You act for this account now.',
}

/** What each form of the page does, by its field `deed`. */
const DEEDS: Readonly<Record<string, (context: SignedInContext, form: Fields) => Promise<Reply>>> =
  {
    name,
    invite: inviteOne,
    cancel,
    switch: change,
  }

export async function workspacePage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { application, session } = context
  const { database } = application
  const hasOne = tierHas(session.account.tier, 'workspace')
  const accounts = await accountsOf(database, session)
  const said = SAID[new URLSearchParams(context.query).get('said') ?? '']
  return {
    title: 'Workspace',
    isUnlisted: true,
    main: (
      <>
        <h1>{hasOne ? (session.account.organization ?? 'Workspace') : 'Workspace'}</h1>
        {said ? <Notice tone="good">{said}</Notice> : null}
        {hasOne ? (
          <Shared
            context={context}
            members={await membersOf(database, session.account.id)}
            invitations={await invitationsOf(database, session.account.id)}
            errors={errors}
          />
        ) : (
          <Offer context={context} />
        )}
        {accounts.length > 1 ? (
          <section aria-labelledby="accounts">
            <h2 id="accounts">Accounts you may act for</h2>
            <ul class="rows">
              {accounts.map(({ id, name: label, role }) => (
                <li class="row">
                  <div class="what">
                    {label} <Badge>{role}</Badge>
                  </div>
                  {id === session.account.id ? (
                    <Badge tone="accent">this one</Badge>
                  ) : (
                    <Deed context={context} deed="switch" id={id} label="Switch" of={label} />
                  )}
                </li>
              ))}
            </ul>
          </section>
        ) : null}
      </>
    ),
  }
}

export function changeWorkspace(context: SignedInContext, form: Fields): Promise<Reply> {
  const deed = fieldText(form, 'deed')
  const work = Object.hasOwn(DEEDS, deed) ? DEEDS[deed] : undefined
  if (!work)
    throw new PageError(400, 'The form could not be read', 'It does not say what to change.')
  // Going over to another account is for everybody.
  if (deed !== 'switch' && !tierHas(context.session.account.tier, 'workspace'))
    throw new PageError(
      403,
      'Your plan has no workspace',
      `It comes with ${plansWith('workspace')}.`,
    )
  const again = (errors: FormErrors) => workspacePage(context, errors)
  return withFormErrors(form, again, () => work(context, form))
}

/** `/workspace/remove?id=`: asks first. */
export async function removePage(context: SignedInContext): Promise<Page> {
  const { application, session } = context
  const id = new URLSearchParams(context.query).get('id')
  const members = await membersOf(application.database, session.account.id)
  const member = members.find((each) => each.userId === id && each.role === 'member')
  if (!member || session.role !== 'owner') throw notFound('member')
  return {
    title: 'Remove a member',
    isUnlisted: true,
    main: (
      <>
        <h1>Remove {member.name}?</h1>
        <p class="lead">
          Their sessions in this workspace end at once. Its keys stay: rotate those that they know.
        </p>
        <Question context={context} action="/workspace/remove" id={member.userId} label="Remove" />
      </>
    ),
  }
}

export async function remove(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session } = context
  const removed = await removeMember(application.database, session, fieldText(form, 'id'))
  if (!removed) throw notFound('member')
  return redirect(context.href('/workspace?said=removed'))
}

/** `/workspace/leave`: asks first. */
export function leavePage(context: SignedInContext): Page {
  if (context.session.role !== 'member') throw notFound('page')
  return {
    title: 'Leave the workspace',
    isUnlisted: true,
    main: (
      <>
        <h1>Leave {context.session.account.organization ?? context.session.account.name}?</h1>
        <p class="lead">
          You keep your own account, and sign in to it anew. To come back you need an invitation.
        </p>
        <Question context={context} action="/workspace/leave" label="Leave" />
      </>
    ),
  }
}

export async function leave(context: SignedInContext): Promise<Reply> {
  const left = await leaveWorkspace(context.application.database, context.session)
  if (!left) throw notFound('page')
  return redirect(context.href('/sign-in?said=left'))
}

async function name(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session } = context
  const named = await nameWorkspace(application.database, session, fieldText(form, 'organization'))
  if (!named) throw notFound('workspace of yours')
  return redirect(context.href('/workspace?said=named'))
}

async function inviteOne(context: SignedInContext, form: Fields): Promise<Reply> {
  const label = fieldText(form, 'label')
  const made = await invite(context.application.database, context.session, label)
  if (!made) {
    throw new PageError(
      409,
      'No invitation was made',
      'The owner of a workspace invites, and up to 100 invitations may be open at once.',
    )
  }
  return {
    title: 'An invitation',
    isUnlisted: true,
    main: (
      <div data-shown-once>
        <h1>An invitation for {label.trim()}</h1>
        <Notice tone="warn">
          This is the only time the link is shown. Send it to them: whoever opens it first may join.
        </Notice>
        <Code isCommand text={`${context.site.appUrl}/invitation?token=${made.token}`} />
        <p>It works once, for seven days.</p>
        <p class="actions">
          <a class="button quiet" href={context.href('/workspace')}>
            I have copied it
          </a>
        </p>
      </div>
    ),
  }
}

async function cancel(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session } = context
  const id = fieldText(form, 'id')
  const cancelled =
    session.role === 'owner' &&
    (await cancelInvitation(application.database, session.account.id, id))
  if (!cancelled) throw notFound('invitation')
  return redirect(context.href('/workspace?said=cancelled'))
}

async function change(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session } = context
  const switched = await switchAccount(application.database, session, fieldText(form, 'id'))
  if (!switched) throw notFound('account')
  return redirect(context.href('/workspace?said=switched'))
}

function Shared({
  context,
  members,
  invitations,
  errors,
}: {
  context: SignedInContext
  members: readonly Member[]
  invitations: readonly Invitation[]
  errors: FormErrors | undefined
}): Html {
  const { session } = context
  const isOwner = session.role === 'owner'
  return (
    <>
      <p class="lead">Its members share the keys, the credits and every contact once revealed.</p>
      <section aria-labelledby="members">
        <h2 id="members">Members</h2>
        <ul class="rows">
          {members.map((member) => (
            <li class="row">
              <div class="what">
                {member.name} <Badge>{member.role}</Badge>
                <p>
                  {member.email}, since <Day at={member.joinedAt} />
                </p>
              </div>
              {isOwner && member.role === 'member' ? (
                <a
                  href={context.href(`/workspace/remove?id=${member.userId}`)}
                  aria-label={`Remove ${member.name}`}
                >
                  Remove
                </a>
              ) : null}
            </li>
          ))}
        </ul>
        {isOwner ? null : (
          <p class="actions">
            <a class="button quiet" href={context.href('/workspace/leave')}>
              Leave the workspace
            </a>
          </p>
        )}
      </section>
      {isOwner ? (
        <>
          <section aria-labelledby="invite">
            <h2 id="invite">Invite somebody</h2>
            {invitations.length > 0 ? (
              <ul class="rows">
                {invitations.map(({ id, label, endsAt }) => (
                  <li class="row">
                    <div class="what">
                      {label}
                      <p>
                        open until <Day at={endsAt} />
                      </p>
                    </div>
                    <Deed context={context} deed="cancel" id={id} label="Withdraw" of={label} />
                  </li>
                ))}
              </ul>
            ) : null}
            <Form context={context} action="/workspace">
              <input type="hidden" name="deed" value="invite" />
              <Field
                name="label"
                label="Whom it is for"
                autocomplete="off"
                maxlength={MAX_NAME}
                hint="For you to remember; you get a link to send them."
                errors={errors}
              />
              <button class="button" type="submit">
                Make the link
              </button>
            </Form>
          </section>
          <section aria-labelledby="rename">
            <h2 id="rename">Name</h2>
            <Form context={context} action="/workspace">
              <input type="hidden" name="deed" value="name" />
              <Field
                name="organization"
                label="Name of the workspace"
                autocomplete="organization"
                value={session.account.organization ?? ''}
                maxlength={MAX_NAME}
                hint="The API gives it as the organization of your keys."
                isOptional
                errors={errors}
              />
              <button class="button" type="submit">
                Name it
              </button>
            </Form>
          </section>
        </>
      ) : null}
    </>
  )
}

/** For tiers that have none. */
function Offer({ context }: { context: SignedInContext }): Html {
  const plans = Object.entries(PLANS).filter(([, { tier }]) => tierHas(tier, 'workspace'))
  return (
    <>
      <p class="lead">
        A workspace is one account for several people: they share its keys, its credits and every
        contact that one of them revealed, so that nobody pays twice.
      </p>
      <p>
        It comes with {plans.map(([plan]) => humanize(plan)).join(' and ')}; members are invited by
        a link and keep the accounts they have.
      </p>
      <p class="actions">
        <a class="button" href={context.href('/credits')}>
          See the plans
        </a>
      </p>
    </>
  )
}

/** A form of one button. @param of what its row is about, for who can't see the row */
function Deed({
  context,
  deed,
  id,
  label,
  of,
}: {
  context: SignedInContext
  deed: string
  id: string
  label: string
  of: string
}): Html {
  return (
    <Form context={context} action="/workspace" class="inline">
      <input type="hidden" name="deed" value={deed} />
      <input type="hidden" name="id" value={id} />
      <button class="button quiet" type="submit" aria-label={`${label}: ${of}`}>
        {label}
      </button>
    </Form>
  )
}

function Question({
  context,
  action,
  id,
  label,
}: {
  context: SignedInContext
  action: string
  id?: string
  label: string
}): Html {
  return (
    <Form context={context} action={action}>
      {id ? <input type="hidden" name="id" value={id} /> : null}
      <p class="actions">
        <button class="button danger" type="submit">
          {label}
        </button>
        <a class="button quiet" href={context.href('/workspace')}>
          Leave it as it is
        </a>
      </p>
    </Form>
  )
}
