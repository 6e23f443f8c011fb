/** @jsxImportSource hono/jsx */
/** The owner's invitations: a link for each, shown once, that one person may join by. */
import { MAX_NAME } from '../../users/validation.ts'
import { cancelInvitation, type Invitation, invite } from '../../users/workspace.ts'
import { Submit } from '../components/actions.tsx'
import { Field, Form } from '../components/form.tsx'
import { shownOncePage } from '../components/page-parts.tsx'
import { Day } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, fieldText, notFound } from '../http/form-errors.ts'
import { type Reply, redirect, type SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'

export function invitationsSection(
  context: SignedInContext,
  invitations: readonly Invitation[],
  errors: FormErrors | undefined,
) {
  return (
    <section aria-labelledby="invite">
      <h2 id="invite">Invite a member</h2>
      {invitations.length > 0 ? (
        <ul class="rows">
          {invitations.map(({ id, label, endsAt }) => (
            <li class="row">
              <div class="what">
                {label}
                <p>
                  Expires <Day at={endsAt} />
                </p>
              </div>
              <RowAction context={context} action="cancel" id={id} label="Cancel" of={label} />
            </li>
          ))}
        </ul>
      ) : null}
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
    </section>
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

export async function cancel(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session } = context
  const isCancelled =
    session.role === 'owner' &&
    (await cancelInvitation(application.database, session.account.id, fieldText(form, 'id')))
  if (!isCancelled) throw notFound('invitation')
  return redirect(context.href('/workspace?said=cancelled'))
}

/** A row's form of one button. @param of the row's name, for screen readers */
export function RowAction({
  context,
  action,
  id,
  label,
  of,
}: { context: SignedInContext } & Record<'action' | 'id' | 'label' | 'of', string>) {
  return (
    <Form context={context} action="/workspace" class="inline">
      <input type="hidden" name="id" value={id} />
      <Submit action={action} tone="quiet" label={`${label}: ${of}`}>
        {label}
      </Submit>
    </Form>
  )
}
