/** @jsxImportSource hono/jsx */
/** `/balance/stop-plan`: asks before a plan is made to end with its period. */
import { creditsOf } from '../../accounts/credits.ts'
import { Form } from '../components/form.tsx'
import { Day, humanize } from '../components/text.tsx'
import { notFound } from '../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../http/page.ts'

export async function stopPlanPage(context: SignedInContext): Promise<Page> {
  const { application, session } = context
  const credits = await creditsOf(application.database, session.account.id)
  if (!credits?.plan?.renews || session.role !== 'owner') throw notFound('plan to stop')
  const { name, endsAt } = credits.plan
  return {
    title: 'Stop the plan',
    isUnlisted: true,
    main: (
      <>
        <h1>Stop {humanize(name)}?</h1>
        <p class="lead">
          It can be used until <Day at={endsAt} />. Then its credits end, and the account goes back
          to the free tier. Top-ups and referral credits stay.
        </p>
        <Form context={context} action="/balance/stop-plan">
          <div class="actions">
            <button class="button danger" type="submit">
              Stop the plan
            </button>
            <a class="button quiet" href={context.href('/balance')}>
              Keep it
            </a>
          </div>
        </Form>
      </>
    ),
  }
}

export async function stopPlan({ application, session, href }: SignedInContext): Promise<Reply> {
  if (!(await application.payments.cancelPlan(session))) throw notFound('plan to stop')
  return redirect(href('/balance?said=stopped'))
}
