/** @jsxImportSource hono/jsx */
/** `/workspace`: one account shared by several people. Its forms name it, invite members and switch accounts. */
import { tierHas } from '../../../contract/tiers.ts'
import { MAX_NAME } from '../../../people/users/validation.ts'
import {
  accountsOf,
  invitationsOf,
  membersOf,
  nameWorkspace,
  switchAccount,
} from '../../../people/users/workspace.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  changeAction,
  type FormActions,
  type FormErrors,
  fieldText,
  runAction,
} from '../../http/form-errors.ts'
import type { Html } from '../../http/html.ts'
import type { Page, Reply, SignedInContext } from '../../http/page.ts'
import { ButtonLink, RowAction, Submit } from '../../ui/actions.tsx'
import { Badge } from '../../ui/badges.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { Flash, personalPage, Section } from '../../ui/page-parts.tsx'
import { plansWith, requireFeature } from '../../ui/paid-feature.tsx'
import { cancel, invitationsSection, inviteMember } from './invitations.tsx'
import { membersSection } from './members.tsx'

const MESSAGES: Readonly<Record<string, string>> = {
  named: 'The workspace has its new name.',
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
  cancel,
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
  // Users of every plan may switch accounts.
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

/** For tiers without a workspace. */
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
