/**
 * Differences between payments at Stripe and here, which lost events leave behind (a webhook that was missing or turned off).
 * A difference that an event would settle carries that event, as if Stripe had sent it.
 */
import type Stripe from 'stripe'
import { moneyText } from './amounts.ts'
import { claimsOn, goneOf } from './claims.ts'
import { intentsOf } from './refunds.ts'
import { idOf, readEvent, type StripeEvent } from './stripe-event.ts'

/** Payment as recorded here. `reversed` is in the smallest unit of its currency. */
export interface ComparedPayment {
  id: string
  kind: 'plan' | 'topup'
  /** Dollars. */
  usd: number | null
  state: 'open' | 'accepted' | 'refused'
  checkout: string | null
  reference: string | null
  reversed: number | null
  /** Stripe's ids of the account's known collections and ended subscriptions. */
  references: string[]
  ended: string[]
  /** Running subscriptions of the account, oldest first. */
  running: string[]
}

export interface Difference {
  payment: string
  /** State here, state at Stripe, and advice. */
  here: string
  there: string
  todo: string
  /** Event that takes over Stripe's state; absent if none does. */
  event?: StripeEvent
}

const TAKE_OVER = 'take over Stripe’s state'
const CENTS = 100
/** Paid periods compared per subscription. */
const PERIODS = 6

/** Compares one payment. @throws if Stripe doesn't answer */
export async function differencesOf(
  stripe: Stripe,
  payment: ComparedPayment,
): Promise<Difference[]> {
  if (payment.reference !== null)
    return [
      ...(await ofCharge(stripe, payment, payment.reference)),
      ...(payment.kind === 'plan' ? await ofSubscription(stripe, payment, payment.reference) : []),
    ]
  return payment.checkout === null ? [] : ofCheckout(stripe, payment, payment.checkout)
}

/** Compares an unpaid order by its Checkout. */
async function ofCheckout(
  stripe: Stripe,
  payment: ComparedPayment,
  checkout: string,
): Promise<Difference[]> {
  const here = {
    open: 'it waits',
    refused: 'it was refused',
    accepted: 'it was accepted by hand',
  }[payment.state]
  const session = await ifKnown(stripe.checkout.sessions.retrieve(checkout))
  if (!session) return [missing(payment, here)]
  const paid = await paidEvent(stripe, session)
  const differing = { payment: payment.id, here, todo: TAKE_OVER }
  if (paid) return [{ ...differing, there: 'it is paid', event: paid }]
  if (payment.state !== 'open' || session.status !== 'expired') return []
  const event = taken('checkout.session.expired', session)
  return [{ ...differing, there: 'its Checkout ended without a payment', event }]
}

/** Makes the event of a paid Checkout; undefined if it isn't paid. */
async function paidEvent(
  stripe: Stripe,
  session: Stripe.Checkout.Session,
): Promise<StripeEvent | undefined> {
  if (session.mode === 'payment') {
    const isPaid = session.payment_status === 'paid' && session.payment_intent
    return isPaid ? taken('checkout.session.completed', session) : undefined
  }
  if (!session.invoice) return undefined
  const invoice = await stripe.invoices.retrieve(idOf(session.invoice as string | { id: string }))
  return invoice.status === 'paid' ? taken('invoice.paid', invoice) : undefined
}

/** Compares the collected and the refunded amounts. */
async function ofCharge(
  stripe: Stripe,
  payment: ComparedPayment,
  reference: string,
): Promise<Difference[]> {
  const [intentId, ...others] = await intentsOf(stripe, { kind: payment.kind, reference })
  // An invoice paid in parts has no single charge to compare.
  if (!intentId || others.length > 0) return []
  const intent = await ifKnown(stripe.paymentIntents.retrieve(intentId))
  if (!intent) return [missing(payment, 'it is paid')]
  const charge = intent.latest_charge && (await claimsOn(stripe, idOf(intent.latest_charge)))
  if (!intent.latest_charge || !charge) return []
  const { charged, currency } = charge
  const money = (amount: number) => moneyText(amount, currency)
  const found: Difference[] = []
  const [there, here] = [goneOf(charge), payment.reversed ?? 0]
  if (there !== here)
    found.push({
      payment: payment.id,
      here: `${money(here)} went back`,
      there: `${money(there)} of ${money(charged)} went back`,
      todo: TAKE_OVER,
      event: taken('charge.refunded', { id: idOf(intent.latest_charge) }),
    })
  if (payment.usd !== null && (charged !== payment.usd * CENTS || currency !== 'usd'))
    found.push({
      payment: payment.id,
      here: `${moneyText(payment.usd * CENTS)} by the price list`,
      there: `${money(charged)} collected`,
      todo: 'refund what was too much at Stripe, or let it be',
    })
  return found
}

/** Compares a plan: its running subscription, and paid periods without an event. */
async function ofSubscription(
  stripe: Stripe,
  payment: ComparedPayment,
  reference: string,
): Promise<Difference[]> {
  const invoice = await ifKnown(stripe.invoices.retrieve(reference))
  const named = invoice?.parent?.subscription_details?.subscription
  if (!named) return []
  const id = idOf(named)
  const [{ status, cancel_at_period_end: endsSoon }, paid] = await Promise.all([
    stripe.subscriptions.retrieve(id),
    stripe.invoices.list({ subscription: id, status: 'paid', limit: PERIODS }),
  ])
  const [isEndedHere, isEndedThere] = [
    payment.ended.includes(id),
    status === 'canceled' || endsSoon,
  ]
  const differing = { payment: payment.id, todo: TAKE_OVER }
  const subscription: Difference[] =
    isEndedHere === isEndedThere
      ? []
      : [
          {
            ...differing,
            here: isEndedHere ? 'its subscription has ended' : 'its subscription goes on',
            there: isEndedThere ? 'it has ended, or ends with its period' : 'it goes on',
            event: taken('customer.subscription.updated', { id }),
          },
        ]
  const unknown = paid.data.filter((each) => each.id && !payment.references.includes(each.id))
  const periods = unknown.map((each): Difference => {
    const event = taken('invoice.paid', each)
    const there = `it is paid: ${each.id}`
    if (event.message.kind === 'misfit')
      return {
        payment: payment.id,
        here: 'it gave no credits by itself',
        there,
        todo: event.message.reason,
      }
    return { ...differing, here: 'nothing is known of a further period', there, event }
  })
  const older = payment.running.slice(0, Math.max(0, payment.running.indexOf(id)))
  const replaced = older.map((each) => ({
    ...differing,
    here: `${each}, which it replaced, has not ended`,
    there: 'it may be collected for',
    event: taken('invoice.paid', invoice),
  }))
  return [...subscription, ...periods, ...replaced]
}

const missing = ({ id }: ComparedPayment, here: string): Difference => ({
  payment: id,
  here,
  there: 'Stripe doesn’t know it',
  todo: 'see whether STRIPE_SECRET_KEY is of the same Stripe account, live or test',
})

/** Makes the event that Stripe would have sent, with an id of ours because Stripe's is unknown. */
const taken = (type: string, object: object): StripeEvent =>
  readEvent({ id: `taken_${crypto.randomUUID()}`, type, data: { object } })

/** @returns undefined if Stripe has no such object */
async function ifKnown<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'resource_missing')
      return undefined
    throw error
  }
}
