/** @jsxImportSource hono/jsx */
/** `/balance/stop-plan`: confirms that a plan should end with its period. */
import { creditsOf } from '../../accounts/credits.ts'
import { Confirmation } from '../components/actions.tsx'
import { personalPage } from '../components/page-parts.tsx'
import { Day, humanize } from '../components/text.tsx'
import { notFound } from '../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../http/page.ts'

export async function cancelPlanPage(context: SignedInContext): Promise<Page> {
  const { application, session } = context
  const credits = await creditsOf(application.database, session.account.id)
  if (!credits?.plan?.renews || session.role !== 'owner') throw notFound('plan to cancel')
  const { name, endsAt } = credits.plan
  return personalPage(
    { title: 'Cancel plan', heading: `Cancel ${humanize(name)}?` },
    <>
      <p class="lead">
        You can use the plan until <Day at={endsAt} />. Then its credits expire and the account
        returns to the free tier. Top-up and referral credits stay.
      </p>
      <Confirmation context={context} action="/balance/stop-plan" label="Cancel plan" />
    </>,
  )
}

export async function cancelPlan({ application, session, href }: SignedInContext): Promise<Reply> {
  if (!(await application.payments.cancelPlan(session))) throw notFound('plan to cancel')
  return redirect(href('/balance?said=stopped'))
}
