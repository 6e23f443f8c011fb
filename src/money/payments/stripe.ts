/**
 * Payment by Stripe: Checkout for what was chosen, at the prices of our own list. Credits follow from events alone
 * (`stripe-events.ts`). An account has at most one open Checkout: the last choice counts.
 */
import { eq } from 'drizzle-orm'
import type Stripe from 'stripe'
import type { Database } from '../../database/client.ts'
import { payments } from '../../database/tables/payments.ts'
import type { Log } from '../../log.ts'
import { type Choice, openPayment, type Payment, priceOf, refusePayment } from './payments.ts'
import { type RefundAnswer, refundAtStripe } from './refunds.ts'
import { checkPayments } from './stripe-checks.ts'
import { NotAnEvent, readEvent, type StripeEvent } from './stripe-event.ts'
import { eventApplier } from './stripe-events.ts'
import { endSubscription, runningSubscriptions, type SubscriptionEnd } from './subscriptions.ts'

export interface StripeSettings {
  database: Database
  secretKey: string
  webhookSecret: string
  /** The address of the API in tests. */
  url?: string | undefined
  appUrl: string
  serviceName: string
  referralCredits: number
  log: Log
}

/** How an order went to Checkout: its URL, or why there is none. */
export type CheckoutBegun =
  | { url: string }
  /** The user is not the owner, or too many orders are open. */
  | 'refused'
  /** The same form was sent before, and its order is paid or refused by now. */
  | 'decided'

export type StripePayments = Awaited<ReturnType<typeof createStripe>>

/** For events: Stripe waits, and sends them again. */
const PATIENT = { timeoutMs: 10_000, retries: 2 }
/** For what somebody waits for at a page, and may repeat. */
const ONCE = { timeoutMs: 5_000, retries: 0 }
const CENTS = 100
/** From the time of the choice. Stripe's minimum is 30 minutes from its request, by its own clock. */
const CHECKOUT_LASTS_SECONDS = 45 * 60

export async function createStripe(settings: StripeSettings) {
  const { database, webhookSecret, referralCredits, log } = settings
  const { default: StripeClient } = await import('stripe')
  const address = settings.url ? new URL(settings.url) : undefined
  const client = ({ timeoutMs, retries }: typeof ONCE) =>
    new StripeClient(settings.secretKey, {
      timeout: timeoutMs,
      maxNetworkRetries: retries,
      telemetry: false,
      httpClient: StripeClient.createFetchHttpClient(),
      ...(address && {
        host: address.hostname,
        port: address.port,
        protocol: address.protocol === 'http:' ? ('http' as const) : ('https' as const),
      }),
    })
  const patient = client(PATIENT)
  const once = client(ONCE)
  const { apply } = eventApplier({ database, stripe: patient, referralCredits, log })
  const events = eventApplier({ database, stripe: once, referralCredits, log })

  /** Sends an order to Checkout, and ends the account's other Checkouts. The same form leads to the same Checkout. */
  async function checkout(
    accountId: string,
    user: { id: string; email: string },
    choice: Choice,
    idempotencyKey?: string,
  ): Promise<CheckoutBegun> {
    const open = async (key?: string) => {
      const id = await openPayment(database, accountId, user.id, choice, key)
      return id ? orderOf(database, id) : undefined
    }
    let order = await open(idempotencyKey)
    // Its Checkout could not begin: the same form, sent again, is another order.
    if (order?.state === 'refused' && order.refusedBy === null) order = await open()
    if (!order) return 'refused'
    if (order.state !== 'open') return 'decided'
    let session: Stripe.Checkout.Session
    try {
      const parameters = checkoutParameters(settings, order, user.email, priceOf(choice))
      session = await once.checkout.sessions.create(parameters, { idempotencyKey: order.id })
    } catch (error) {
      await refusePayment(database, order.id, null)
      throw error
    }
    for (const other of await checkoutBegins(database, order.id, session.id)) {
      if (await expire(other.checkout)) await refusePayment(database, other.id, 'choice')
    }
    return session.url ? { url: session.url } : 'decided'
  }

  /**
   * Withdraws an open order, and ends its Checkout.
   * @returns false where its Checkout is completed: the payment is on its way. @throws where Stripe can't be reached
   */
  async function withdraw(paymentId: string): Promise<boolean> {
    const order = await orderOf(database, paymentId)
    if (order?.state !== 'open') return false
    if (order.checkout && !(await expire(order.checkout))) return false
    return (await refusePayment(database, order.id, 'owner')) !== undefined
  }

  /** Ends a Checkout session, if Stripe knows it. @returns false where it is completed. */
  async function expire(checkoutId: string): Promise<boolean> {
    try {
      await once.checkout.sessions.expire(checkoutId)
      return true
    } catch (error) {
      if (!(error instanceof StripeClient.errors.StripeInvalidRequestError)) throw error
      if (error.code === 'resource_missing') return true
      // Only an open session can be expired.
      return (await once.checkout.sessions.retrieve(checkoutId)).status === 'expired'
    }
  }

  /** What ends an account's subscriptions and gives those that ran. It throws where Stripe doesn't say that it ends one. */
  async function cancel(accountId: string, when: SubscriptionEnd): Promise<string[]> {
    const running = await runningSubscriptions(database, accountId)
    for (const id of running) await endSubscription({ database, stripe: once }, id, when)
    return running
  }

  /**
   * Applies an event. @returns false where Stripe did not sign it.
   * @throws NotAnEvent where what it signed is none. @throws others where Stripe is to send it again
   */
  async function receive(body: string, signature: string): Promise<boolean> {
    let event: unknown
    try {
      event = await patient.webhooks.constructEventAsync(body, signature, webhookSecret)
    } catch (error) {
      if (error instanceof StripeClient.errors.StripeSignatureVerificationError) return false
      throw new NotAnEvent('a signed body is not an event', { cause: error })
    }
    await apply(readEvent(event))
    return true
  }

  /** Asks Stripe to refund what is left of a payment that it collected. */
  async function refund(paymentId: string, attempt: number): Promise<RefundAnswer> {
    const order = await orderOf(database, paymentId)
    if (!order?.reference) return { refund: 'refused', note: 'it was not collected by Stripe' }
    return refundAtStripe(once, { ...order, reference: order.reference }, attempt)
  }

  /** Whether a Checkout is paid. @throws where Stripe doesn't say */
  async function isPaid(checkoutId: string): Promise<boolean> {
    const { payment_status: status } = await once.checkout.sessions.retrieve(checkoutId)
    return status === 'paid'
  }

  const check = (paymentId?: string) => checkPayments(database, once, paymentId)

  /** What applies an event that was not sent, and what follows at Stripe. */
  async function applying(event: StripeEvent) {
    return { call: await events.callOf(event), follow: () => events.follow(event) }
  }

  return { checkout, withdraw, cancel, refund, receive, isPaid, check, applying }
}

/** Whether Stripe gave no answer in time, so that the end of what it was asked is not known. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'StripeConnectionError'

/** A checkout of one item at our own price. Its metadata names the payment in later events. */
function checkoutParameters(
  { serviceName, appUrl }: StripeSettings,
  { id: payment, createdAt }: Order,
  email: string,
  { kind, item, credits, usd }: ReturnType<typeof priceOf>,
): Stripe.Checkout.SessionCreateParams {
  if (usd === null) throw new RangeError(`${item} has no price`)
  const isPlan = kind === 'plan'
  const name = `${serviceName}${isPlan ? ` ${item}, by the month` : `, ${credits} credits`}`
  const price = { currency: 'usd', unit_amount: usd * CENTS, product_data: { name } }
  const price_data = isPlan ? { ...price, recurring: { interval: 'month' as const } } : price
  const metadata = { payment }
  // The same order has the same parameters, or Stripe refuses its idempotency key.
  return {
    mode: isPlan ? 'subscription' : 'payment',
    line_items: [{ quantity: 1, price_data }],
    ...(isPlan && { subscription_data: { metadata } }),
    client_reference_id: payment,
    metadata,
    customer_email: email,
    expires_at: Math.floor(Date.parse(createdAt) / 1_000) + CHECKOUT_LASTS_SECONDS,
    success_url: `${appUrl}/credits?payment=done`,
    cancel_url: `${appUrl}/credits?payment=left`,
  }
}

interface Order {
  id: string
  kind: Payment['kind']
  reference: string | null
  state: Payment['state']
  refusedBy: Payment['refusedBy']
  checkout: string | null
  /** ISO 8601. */
  createdAt: string
}

async function orderOf(database: Database, paymentId: string): Promise<Order | undefined> {
  const { id, kind, reference, state, refusedBy, checkout, createdAt } = payments
  const [order] = await database.use(({ db }) =>
    db
      .select({ id, kind, reference, state, refusedBy, checkout, createdAt })
      .from(payments)
      .where(eq(id, paymentId)),
  )
  return order
}

/** Notes an order's Checkout. @returns the account's other orders with an open Checkout. */
async function checkoutBegins(database: Database, paymentId: string, checkoutId: string) {
  return database.use(
    ({ sql }) => sql<{ id: string; checkout: string }[]>`
      select id, checkout from payment_checkout_begins(${paymentId}, ${checkoutId})`,
  )
}
