/** Claims on a payment: refunds and disputes. Events may come late and in any order, so Stripe is asked for the present state. */
import type Stripe from 'stripe'
import { idOf, paymentOf } from './stripe-event.ts'

/** Refund or dispute. `amount` is in the smallest unit of the charge's currency. */
export interface Claim {
  id: string
  amount: number
  /** State of the money: 0 still here, 1 gone, 2 back for good. */
  stage: 0 | 1 | 2
}

export interface ClaimedCharge {
  /** Id of our order. */
  payment: string
  /** Stripe's id of a plan's invoice or a top-up's PaymentIntent. */
  reference: string
  /** Collected amount, in the smallest unit of `currency`. */
  charged: number
  currency: string
  claims: Claim[]
  /** Unknown states of disputes, which are left out of the claims. */
  unknown: string[]
}

/** Limit of refunds read per charge. */
const MOST_CLAIMS = 1_000

/** Stage of each dispute status. An inquiry takes no money; a dispute that was won or prevented takes none any more. */
const STAGES: Readonly<Record<string, Claim['stage']>> = {
  warning_needs_response: 0,
  warning_under_review: 0,
  warning_closed: 0,
  needs_response: 1,
  under_review: 1,
  lost: 1,
  appeal_needs_response: 1,
  appeal_under_review: 1,
  won: 2,
  prevented: 2,
}

/** Reads the present claims on a charge. @returns undefined if it is not for an order of ours. */
export async function claimsOn(
  stripe: Stripe,
  chargeId: string,
): Promise<ClaimedCharge | undefined> {
  const charge = await stripe.charges.retrieve(chargeId)
  const paid = charge.payment_intent && (await paidBy(stripe, idOf(charge.payment_intent)))
  if (!paid || charge.amount < 1) return undefined
  const all = { limit: MOST_CLAIMS }
  const [refunds, disputes] = await Promise.all([
    stripe.refunds.list({ charge: chargeId, limit: 100 }).autoPagingToArray(all),
    stripe.disputes.list({ charge: chargeId, limit: 100 }).autoPagingToArray(all),
  ])
  const claims = refunds.map(({ id, amount, status }): Claim => {
    return { id, amount, stage: status === 'failed' || status === 'canceled' ? 2 : 1 }
  })
  const unknown: string[] = []
  for (const { id, amount, currency, status } of disputes) {
    const stage = Object.hasOwn(STAGES, status) ? STAGES[status] : undefined
    if (stage === undefined) unknown.push(status)
    // A dispute in another currency counts as the whole charge.
    else claims.push({ id, amount: currency === charge.currency ? amount : charge.amount, stage })
  }
  return { ...paid, charged: charge.amount, currency: charge.currency, claims, unknown }
}

/** The amount of a charge that refunds and disputes have taken. */
export function goneOf({ charged, claims }: Pick<ClaimedCharge, 'charged' | 'claims'>): number {
  const gone = claims.reduce((sum, { stage, amount }) => sum + (stage === 1 ? amount : 0), 0)
  return Math.min(charged, gone)
}

/** Finds the order of a PaymentIntent, by a top-up's Checkout or a plan's invoice. */
async function paidBy(stripe: Stripe, intent: string) {
  const sessions = await stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 })
  const topUp = paymentOf(sessions.data[0]?.metadata)
  if (topUp) return { payment: topUp, reference: intent }
  const parts = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: intent },
    expand: ['data.invoice'],
    limit: 1,
  })
  const invoice = parts.data[0]?.invoice
  if (!invoice || typeof invoice === 'string' || invoice.deleted) return undefined
  const plan = paymentOf(invoice.parent?.subscription_details?.metadata)
  return plan && { payment: plan, reference: idOf(invoice) }
}
