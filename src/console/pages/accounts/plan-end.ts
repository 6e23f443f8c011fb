/** How a plan ends by a form of the operator's pages. */

import { type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { PageError } from '../../../site/http/page-error.ts'
import { endPlan, leftText } from '../../acts/plans.ts'
import { performed } from '../../ui/frame.tsx'
import { accountPath } from '../../ui/paths.ts'

/**
 * Ends an account's plan, at Stripe first.
 * @returns undefined where it has none. @throws PageError where Stripe did not say that it ends
 */
export async function planEnded(
  context: SignedInContext,
  account: string,
  atEnd: boolean,
): Promise<Reply | undefined> {
  const { payments } = context.application
  const end = await endPlan(payments, (act) => performed(context, act), account, atEnd)
  if (!end) return undefined
  const left = leftText(end)
  if (left && !end.isStopped) throw new PageError(503, 'Stripe did not end it', left)
  const said = left ? 'collects' : atEnd ? 'ending' : 'stopped'
  return redirect(context.href(`${accountPath(account)}?said=${said}`))
}
