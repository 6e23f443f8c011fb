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

/** One paid period of a subscription, until `endsMs`. An event has an invoice's first lines alone. */
export function invoiceEvent(...invoice: Parameters<typeof invoiceOf>) {
  return eventOf('invoice.paid', shownInvoice(invoiceOf(...invoice)))
}

/** A line of an invoice, as Stripe has it. */
export interface Line {
  id: string
  period: { start: number; end: number }
  parent: object
}

type LineParent = 'subscription' | 'proration' | 'one-off item'

/** A line that lasts so many days. Prorations are of the subscription or, as those of pending items, beside it. */
export function lineOf(
  subscription: string,
  endsMs: number,
  { parent = 'subscription', days = 30 }: { parent?: LineParent; days?: number } = {},
): Line {
  const end = Math.floor(endsMs / 1_000)
  const proration = parent === 'proration'
  const item = { invoice_item: 'ii_1', subscription, proration, proration_details: null }
  return {
    id: `il_${++last}`,
    period: { start: end - days * 86_400, end },
    parent:
      parent === 'one-off item'
        ? {
            type: 'invoice_item_details',
            invoice_item_details: item,
            subscription_item_details: null,
          }
        : {
            type: 'subscription_item_details',
            invoice_item_details: null,
            subscription_item_details: { ...item, subscription_item: 'si_1' },
          },
  }
}

export const invoiceOf = (
  payment: string,
  subscription: string,
  invoice: string,
  endsMs: number,
  changes: { billing_reason?: string | null; lines?: readonly object[] } = {},
) => ({
  id: invoice,
  object: 'invoice',
  status: 'paid',
  billing_reason:
    changes.billing_reason === undefined ? 'subscription_cycle' : changes.billing_reason,
  parent: {
    type: 'subscription_details',
    subscription_details: { metadata: { payment }, subscription },
  },
  lines: { object: 'list', data: changes.lines ?? [lineOf(subscription, endsMs)] },
})

/** Lines that an invoice shows; Stripe lists the others. */
const SHOWN_LINES = 10

/** An invoice as events and answers have it. */
export const shownInvoice = (invoice: ReturnType<typeof invoiceOf>) => ({
  ...invoice,
  lines: {
    ...invoice.lines,
    data: invoice.lines.data.slice(0, SHOWN_LINES),
    has_more: invoice.lines.data.length > SHOWN_LINES,
  },
})

export const subscriptionOf = ({ parent }: ReturnType<typeof invoiceOf>) =>
  parent.subscription_details.subscription
