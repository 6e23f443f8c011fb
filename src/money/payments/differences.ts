/**
 * How a payment stands at Stripe beside how it stands here. Events may be lost: a webhook that was not set up, or was turned off.
 * Each difference that events would settle has the event by which Stripe's state is taken over, as if it had been sent.
 */
import type Stripe from 'stripe'
import { claimsOn } from './claims.ts'
import { intentsOf } from './refunds.ts'
import { idOf, readEvent, type StripeEvent } from './stripe-event.ts'

/** A payment as it stands here. `charged` and `reversed` are in cents. */
export interface ComparedPayment {
  id: string
  kind: 'plan' | 'topup'
  /** Dollars. */
  usd: number | null
  state: 'open' | 'accepted' | 'refused'
  checkout: string | null
  reference: string | null
  reversed: number | null
  /** Of the account: what Stripe has collected, as far as it was told, and subscriptions that have ended. */
  references: string[]
  ended: string[]
  /** Subscriptions of the account that have not ended, the oldest first. */
  running: string[]
}

export interface Difference {
  payment: string
  /** How it stands here, how it stands at Stripe, and what to do. */
  here: string
  there: string
  todo: string
  /** Takes Stripe's state over. Absent where no event of Stripe's does. */
  event?: StripeEvent
}

const TAKE_OVER = 'take over Stripe’s state'
const CENTS = 100
/** Paid periods of a subscription that are looked at. */
const PERIODS = 6

/** Asks Stripe how a payment stands. @throws where Stripe doesn't answer */
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

/** Compares an order without a known payment: by its Checkout. */
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

/** The event that says that a Checkout is paid; undefined where it isn't. */
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

/** Compares what Stripe collected: the amount, and how much of it was refunded. */
async function ofCharge(
  stripe: Stripe,
  payment: ComparedPayment,
  reference: string,
): Promise<Difference[]> {
  const intents = payment.kind === 'plan' ? await intentsOf(stripe, reference) : [reference]
  const [intentId, ...others] = intents
  // Of an invoice that was paid in parts no charge stands for the payment.
  if (!intentId || others.length > 0) return []
  const intent = await ifKnown(stripe.paymentIntents.retrieve(intentId))
  if (!intent) return [missing(payment, 'it is paid')]
  const charge = intent.latest_charge && (await claimsOn(stripe, idOf(intent.latest_charge)))
  if (!intent.latest_charge || !charge) return []
  const { charged, currency, claims } = charge
  const money = (amount: number) => `${(amount / CENTS).toFixed(2)} ${currency}`
  const found: Difference[] = []
  const gone = claims.reduce((sum, { stage, amount }) => sum + (stage === 1 ? amount : 0), 0)
  const [there, here] = [Math.min(charged, gone), payment.reversed ?? 0]
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
      here: `${money(payment.usd * CENTS).replace(currency, 'usd')} by the price list`,
      there: `${money(charged)} collected`,
      todo: 'refund what was too much at Stripe, or let it be',
    })
  return found
}

/** Compares a plan: whether its subscription runs, and paid periods of which no event came. */
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
  const untold = paid.data.filter((each) => each.id && !payment.references.includes(each.id))
  const periods = untold.map((each): Difference => {
    const event = taken('invoice.paid', each)
    const there = `it is paid: ${each.id}`
    if (event.told.tells === 'misfit')
      return {
        payment: payment.id,
        here: 'it gave no credits by itself',
        there,
        todo: event.told.reason,
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

/** Makes the event that Stripe would have sent. Its id is ours, because Stripe's is unknown. */
const taken = (type: string, object: object): StripeEvent =>
  readEvent({ id: `taken_${crypto.randomUUID()}`, type, data: { object } })

/** @returns undefined where Stripe has no such object */
async function ifKnown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'resource_missing')
      return undefined
    throw error
  }
}
