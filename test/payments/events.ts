/** Stripe's events, signed as Stripe does. */
import StripeClient from 'stripe'
import type { Charge } from './fake-stripe.ts'

export const WEBHOOK_SECRET = 'whsec_test_secret'
export const SECRET_KEY = 'sk_test_key'

const signer = new StripeClient(SECRET_KEY).webhooks

/** The body and `Stripe-Signature` of an event; `secret` and `timestamp` (seconds) as a forger would have them. */
export async function signed(
  event: object,
  { secret = WEBHOOK_SECRET, timestamp }: { secret?: string; timestamp?: number } = {},
): Promise<[body: string, signature: string]> {
  const payload = JSON.stringify(event)
  const header = { payload, secret, ...(timestamp === undefined ? {} : { timestamp }) }
  return [payload, await signer.generateTestHeaderStringAsync(header)]
}

let last = 0
export function eventOf(type: string, object: object, id = `evt_${++last}`) {
  return { id, object: 'event', type, data: { object } }
}

export function checkoutEvent(
  payment: string,
  changes: object = {},
  type = 'checkout.session.completed',
) {
  return eventOf(type, {
    object: 'checkout.session',
    mode: 'payment',
    payment_status: 'paid',
    metadata: { payment },
    ...changes,
  })
}

/** A refund or dispute of a charge; Stripe is asked how the charge stands. */
export function claimEvent({ id }: Charge, type = 'charge.dispute.created') {
  return eventOf(type, type === 'charge.refunded' ? { id } : { charge: id })
}

/** One paid period of a subscription, until `endsMs`. */
export function invoiceEvent(
  payment: string,
  subscription: string,
  invoice: string,
  endsMs: number,
) {
  return eventOf('invoice.paid', invoiceOf(payment, subscription, invoice, endsMs))
}

export const invoiceOf = (
  payment: string,
  subscription: string,
  invoice: string,
  endsMs: number,
) => ({
  id: invoice,
  object: 'invoice',
  status: 'paid',
  parent: { subscription_details: { metadata: { payment }, subscription } },
  lines: { data: [{ period: { end: Math.floor(endsMs / 1_000) } }] },
})

export const subscriptionOf = ({ parent }: ReturnType<typeof invoiceOf>) =>
  parent.subscription_details.subscription
