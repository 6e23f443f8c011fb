/** @jsxImportSource hono/jsx */
/** The workspace's members; `/workspace/remove?id=` and `/workspace/leave` ask for confirmation first. */
import {
  leaveWorkspace,
  type Member,
  membersOf,
  removeMember,
} from '../../../people/users/workspace.ts'
import type { Form as Fields } from '../../http/form.ts'
import { changeAction, fieldText, notFound } from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { Confirmation, QuietLink } from '../../ui/actions.tsx'
import { Badge } from '../../ui/badges.tsx'
import { personalPage, Section } from '../../ui/page-parts.tsx'
import { Day } from '../../ui/text.tsx'

export function membersSection(context: SignedInContext, members: readonly Member[]) {
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
  const id = new URLSearchParams(context.query).get('id')
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

/** Removes a member, whom a mail tells so. */
export async function remove(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, href } = context
  const id = fieldText(form, 'id')
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
        Its pages, credits and contacts are closed to you then, and you need an invitation to come
        back. Your own account stays: sign in to it afterwards.
      </p>
      <Confirmation context={context} action="/workspace/leave" label="Leave" />
    </>,
  )
}

export const leave = changeAction(leaveWorkspace, { what: 'page', next: '/sign-in?said=left' })
