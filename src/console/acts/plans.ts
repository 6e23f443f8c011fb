/** The end of a plan, as commands and pages ask for it: Stripe is asked to collect no more, then the act ends the plan here. */
import type { CollectionEnd, PaymentGateway } from '../../money/payments/gateway.ts'
import { stopPlan } from './accounts.ts'
import type { Perform } from './perform.ts'

export interface PlanEnd extends CollectionEnd {
  /** Whether the plan was ended here. It was not where Stripe did not confirm that it stops collecting: then the call may be repeated. */
  isStopped: boolean
}

/**
 * Ends an account's plan, now or with its period. Stripe is asked first, so that an account that still pays keeps its plan whatever breaks.
 * Where `PAYMENTS` is no longer stripe, Stripe is not asked and the plan ends here.
 * @returns undefined where the account has neither a plan nor a subscription
 */
export async function endPlan(
  gateway: PaymentGateway,
  perform: Perform,
  account: string,
  atEnd: boolean,
): Promise<PlanEnd | undefined> {
  const collection = await gateway.endCollection(account, atEnd ? 'with its period' : 'now')
  if (collection.left?.isAsked) return { ...collection, isStopped: false }
  const isStopped = (await perform(stopPlan(account, atEnd))) !== undefined
  const isNothing = !isStopped && collection.ended.length === 0
  return isNothing ? undefined : { ...collection, isStopped }
}

/** Notice about subscriptions that may go on; null if there is none. */
export function leftText({ left, isStopped }: PlanEnd): string | null {
  if (!left) return null
  const named = left.subscriptions.join(', ')
  return isStopped
    ? `The plan ends here, but Stripe may collect on: ${left.reason}. End there: ${named}.`
    : `Nothing was changed here, because Stripe did not say that it ends ${named}: ${left.reason}. Ask again: it ends what is left.`
}
