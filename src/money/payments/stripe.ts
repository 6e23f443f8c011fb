/**
 * Payment by Stripe: Checkout at the prices of our own list. Credits follow from events alone (`stripe-events.ts`). An account has at
 * most one open Checkout: the last choice counts.
 */
import { eq } from 'drizzle-orm'
import Stripe from 'stripe'
import type { Database } from '../../database/client.ts'
import { payments } from '../../database/tables/payments.ts'
import type { Log } from '../../log.ts'
import { type Choice, openPayment, type Payment, priceOf, refusePayment } from './payments.ts'
import { leftAtStripe, type RefundAnswer, refundAtStripe } from './refunds.ts'
import { checkPayments } from './stripe-checks.ts'
import { NotAnEvent, readEvent, type StripeEvent } from './stripe-event.ts'
import { EventApplier } from './stripe-events.ts'
import { endSubscription, runningSubscriptions, type SubscriptionEnd } from './subscriptions.ts'

export interface StripeSettings {
  database: Database
  secretKey: string
  webhookSecret: string
  /** Address of the API in tests. */
  url?: string | undefined
  appUrl: string
  serviceName: string
  referralCredits: number
  log: Log
}

/** Result of sending an order to Checkout. */
export type CheckoutBegun =
  | { url: string }
  /** Not the owner, or too many open orders. */
  | 'refused'
  /** The form was sent before, and its order is closed. */
  | 'decided'

/** Limits for events, which Stripe sends again. */
const PATIENT = { timeoutMs: 10_000, retries: 2 }
/** Limits for requests that a person waits for. */
const ONCE = { timeoutMs: 5_000, retries: 0 }
const CENTS = 100
/** Lifetime of a Checkout, from the choice. Stripe's minimum is 30 minutes from the request, by its own clock. */
const CHECKOUT_LASTS_SECONDS = 45 * 60

export class StripePayments {
  readonly #settings: StripeSettings
  readonly #once: Stripe
  readonly #webhooks: Stripe['webhooks']
  /** Events as Stripe sends them. */
  readonly #patientEvents: EventApplier
  /** Events that an operator waits for. */
  readonly #events: EventApplier

  constructor(settings: StripeSettings) {
    const patient = client(settings, PATIENT)
    this.#settings = settings
    this.#once = client(settings, ONCE)
    this.#webhooks = patient.webhooks
    this.#patientEvents = new EventApplier({ ...settings, stripe: patient })
    this.#events = new EventApplier({ ...settings, stripe: this.#once })
  }

  /** Sends an order to Checkout and ends the account's other Checkouts. A repeated form leads to the same Checkout. */
  async checkout(
    accountId: string,
    user: { id: string; email: string },
    choice: Choice,
    idempotencyKey?: string,
  ): Promise<CheckoutBegun> {
    const open = async (key?: string) => {
      const id = await openPayment(this.#settings.database, accountId, user.id, choice, key)
      return id ? orderOf(this.#settings.database, id) : undefined
    }
    let order = await open(idempotencyKey)
    // Checkout failed for the first order, so the repeated form opens another one.
    if (order?.state === 'refused' && order.refusedBy === null) order = await open()
    if (!order) return 'refused'
    if (order.state !== 'open') return 'decided'
    let session: Stripe.Checkout.Session
    try {
      const parameters = checkoutParameters(this.#settings, order, user.email, priceOf(choice))
      session = await this.#once.checkout.sessions.create(parameters, { idempotencyKey: order.id })
    } catch (error) {
      await refusePayment(this.#settings.database, order.id, null)
      throw error
    }
    for (const other of await checkoutBegins(this.#settings.database, order.id, session.id)) {
      if (await this.#expire(other.checkout))
        await refusePayment(this.#settings.database, other.id, 'choice')
    }
    return session.url ? { url: session.url } : 'decided'
  }

  /** Withdraws an open order and ends its Checkout. @returns false if that is completed. @throws if Stripe can't be reached */
  async withdraw(paymentId: string): Promise<boolean> {
    const order = await orderOf(this.#settings.database, paymentId)
    if (order?.state !== 'open') return false
    if (order.checkout && !(await this.#expire(order.checkout))) return false
    return (await refusePayment(this.#settings.database, order.id, 'owner')) !== undefined
  }

  /** Ends a Checkout session, if Stripe has it. @returns false if it is completed. */
  async #expire(checkoutId: string): Promise<boolean> {
    try {
      await this.#once.checkout.sessions.expire(checkoutId)
      return true
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
      if (error.code === 'resource_missing') return true
      // Only an open session can be expired.
      return (await this.#once.checkout.sessions.retrieve(checkoutId)).status === 'expired'
    }
  }

  /** Ends an account's subscriptions. @returns those that ran. @throws if Stripe doesn't confirm one */
  async cancel(accountId: string, when: SubscriptionEnd): Promise<string[]> {
    const running = await runningSubscriptions(this.#settings.database, accountId)
    for (const id of running)
      await endSubscription({ database: this.#settings.database, stripe: this.#once }, id, when)
    return running
  }

  /**
   * Applies an event. @returns false if Stripe did not sign it.
   * @throws NotAnEvent for a signed body that is none; other errors if Stripe is to send it again
   */
  async receive(body: string, signature: string): Promise<boolean> {
    let event: unknown
    try {
      event = await this.#webhooks.constructEventAsync(
        body,
        signature,
        this.#settings.webhookSecret,
      )
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false
      throw new NotAnEvent('a signed body is not an event', { cause: error })
    }
    await this.#patientEvents.apply(readEvent(event))
    return true
  }

  /** Asks Stripe to refund the rest of a payment. */
  async refund(paymentId: string, attempt: number): Promise<RefundAnswer> {
    const order = await orderOf(this.#settings.database, paymentId)
    if (!order?.reference) return { refund: 'refused', note: 'it was not collected by Stripe' }
    return refundAtStripe(this.#once, { ...order, reference: order.reference }, attempt)
  }

  /** The rest of a payment in its own currency; undefined where it has no single charge. @throws if Stripe doesn't say */
  async left(paymentId: string): Promise<string | undefined> {
    const order = await orderOf(this.#settings.database, paymentId)
    if (!order?.reference) return undefined
    return leftAtStripe(this.#once, { ...order, reference: order.reference })
  }

  /** @returns true if a Checkout is paid. @throws if Stripe doesn't say */
  async isPaid(checkoutId: string): Promise<boolean> {
    const { payment_status: status } = await this.#once.checkout.sessions.retrieve(checkoutId)
    return status === 'paid'
  }

  check(paymentId?: string) {
    return checkPayments(this.#settings.database, this.#once, paymentId)
  }

  /** Prepares an event that Stripe did not send. */
  async applying(event: StripeEvent) {
    return { call: await this.#events.callOf(event), follow: () => this.#events.follow(event) }
  }
}

function client({ secretKey, url }: StripeSettings, { timeoutMs, retries }: typeof ONCE): Stripe {
  const address = url ? new URL(url) : undefined
  return new Stripe(secretKey, {
    timeout: timeoutMs,
    maxNetworkRetries: retries,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(),
    ...(address && {
      host: address.hostname,
      port: address.port,
      protocol: address.protocol === 'http:' ? ('http' as const) : ('https' as const),
    }),
  })
}

/** Checkout of one item at our own price. The metadata names the payment in later events. */
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
  // Parameters depend on the order alone, because Stripe refuses an idempotency key with other parameters.
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

/** Notes the Checkout of an order. @returns the account's other orders with an open Checkout. */
async function checkoutBegins(database: Database, paymentId: string, checkoutId: string) {
  return database.use(
    ({ sql }) => sql<{ id: string; checkout: string }[]>`
      select id, checkout from payment_checkout_begins(${paymentId}, ${checkoutId})`,
  )
}
