/** @jsxImportSource hono/jsx */
/** `/first-operator?token=`: makes whoever has the link that the first start printed the first operator. */

import { notFound } from '../../site/http/form-errors.ts'
import {
  type Page,
  type PageContext,
  type Reply,
  redirect,
  type SignedInContext,
} from '../../site/http/page.ts'
import { Submit } from '../../site/ui/actions.tsx'
import { Form } from '../../site/ui/form.tsx'
import { personalPage } from '../../site/ui/page-parts.tsx'
import { perform } from '../acts/perform.ts'
import { beginOperator, holdsOperatorLink } from '../acts/users.ts'
import { actorOf } from '../ui/frame.tsx'

const tokenOf = ({ query }: PageContext) => new URLSearchParams(query).get('token') ?? ''

/** True if the link holds: without one there is no such page. */
export async function holdsLink(context: PageContext): Promise<boolean> {
  const token = tokenOf(context)
  return token !== '' && (await holdsOperatorLink(context.application.database, token))
}

export function firstOperatorPage(context: SignedInContext): Page {
  const { email } = context.session.user
  return personalPage(
    { title: 'Become the operator' },
    <>
      <p class="lead">
        This link makes one person the operator of this service: somebody who sees every account,
        gives and takes credits, and decides on payments. It works once. Other operators are made by
        the command <code>user operator EMAIL</code>.
      </p>
      <Form
        context={context}
        action={`/first-operator?${new URLSearchParams({ token: tokenOf(context) })}`}
      >
        <p>
          You are signed in as <bdi>{email}</bdi>.
        </p>
        <p class="actions">
          <Submit>{beginOperator.button}</Submit>
        </p>
      </Form>
    </>,
  )
}

export async function beginAsOperator(context: SignedInContext): Promise<Reply> {
  const { application, session } = context
  const token = tokenOf(context)
  const { database } = application
  const done = await perform(database, actorOf(context), beginOperator, session.user.id, { token })
  if (!done) throw notFound('link')
  return redirect(context.href('/operator'))
}
