/**
 * Payment by Stripe: Checkout for what was chosen, at the prices of our own list, and webhooks for what was paid.
 * Credits follow from events alone. One statement applies each event, once, in whatever order they come: a top-up when
 * its checkout is paid, a plan's period when its invoice is paid.
 */
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import type { Database } from '../database/client.ts'
import { subscriptions } from '../database/tables/payments.ts'
import { isUuid } from '../database/uuid.ts'
import { type Choice, openPayment, PLAN_TIERS, priceOf, refusePayment } from './payments.ts'

export interface StripeSettings {
  database: Database
  secretKey: string
  webhookSecret: string
  /** The address of the API in tests. */
  url?: string | undefined
  appUrl: string
  serviceName: string
  referralCredits: number
}

export type StripePayments = Awaited<ReturnType<typeof createStripe>>

const TIMEOUT_MS = 10_000
const CENTS = 100
/** Stripe's minimum is 30 minutes by its own clock. */
const CHECKOUT_LASTS_SECONDS = 32 * 60

export async function createStripe(settings: StripeSettings) {
  const { database, referralCredits } = settings
  const { default: StripeClient } = await import('stripe')
  const address = settings.url ? new URL(settings.url) : undefined
  const stripe = new StripeClient(settings.secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 2,
    telemetry: false,
    httpClient: StripeClient.createFetchHttpClient(),
    ...(address && {
      host: address.hostname,
      port: address.port,
      protocol: address.protocol === 'http:' ? ('http' as const) : ('https' as const),
    }),
  })

  /** @returns the URL where the user pays; undefined where they are not the account's owner. */
  async function checkout(accountId: string, user: { id: string; email: string }, choice: Choice) {
    const payment = await openPayment(database, accountId, user.id, choice)
    if (!payment) return undefined
    try {
      const parameters = checkoutParameters(settings, payment, user.email, priceOf(choice))
      const session = await stripe.checkout.sessions.create(parameters, { idempotencyKey: payment })
      return session.url ?? undefined
    } catch (error) {
      await refusePayment(database, payment)
      throw error
    }
  }

  /** Ends the account's subscriptions with their period. @returns whether there was one. */
  async function cancel(accountId: string): Promise<boolean> {
    const running = await runningSubscriptions(database, accountId)
    for (const id of running) {
      await stripe.subscriptions.update(id, { cancel_at_period_end: true })
      await endSubscription(database, id)
    }
    return running.length > 0
  }

  /** Applies an event. @returns false where Stripe did not sign it. @throws where Stripe is to send it again. */
  async function receive(body: string, signature: string): Promise<boolean> {
    const { webhookSecret } = settings
    try {
      await apply(await stripe.webhooks.constructEventAsync(body, signature, webhookSecret))
      return true
    } catch (error) {
      if (error instanceof StripeClient.errors.StripeSignatureVerificationError) return false
      throw error
    }
  }

  async function apply(event: Stripe.Event): Promise<void> {
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded': {
        const { mode, payment_status: status, metadata } = event.data.object
        if (mode === 'payment' && status === 'paid') await topUpPaid(event, paymentOf(metadata))
        return
      }
      case 'checkout.session.expired':
      case 'checkout.session.async_payment_failed': {
        const payment = paymentOf(event.data.object.metadata)
        if (payment) await refusePayment(database, payment)
        return
      }
      case 'invoice.paid':
        return invoicePaid(event, event.data.object)
      case 'customer.subscription.updated':
      case 'customer.subscription.deleted':
        return subscriptionChanged(event, event.data.object.id)
    }
  }

  async function topUpPaid({ id, type }: Stripe.Event, payment: string | undefined) {
    if (!payment) return
    await database.use(
      ({ sql }) => sql`
        select payment_topup_paid(${id}, ${type}, ${payment}, ${referralCredits}::integer)`,
    )
  }

  async function invoicePaid({ id, type }: Stripe.Event, invoice: Stripe.Invoice) {
    const details = invoice.parent?.subscription_details
    const payment = paymentOf(details?.metadata)
    const line = invoice.lines.data[0]
    if (!details || !payment || !line) return
    const subscription =
      typeof details.subscription === 'string' ? details.subscription : details.subscription.id
    const ends = new Date(line.period.end * 1_000).toISOString()
    await database.use(
      ({ sql }) => sql`
        select payment_period_paid(${id}, ${type}, p.id, ${subscription}, ${invoice.id},
                 ${PLAN_TIERS}::json->>p.item, ${ends}::timestamptz, ${referralCredits}::integer)
          from payments p where p.id = ${payment}`,
    )
    // The new plan replaces older ones. If this fails, Stripe sends the event again and it is repeated.
    for (const older of await olderSubscriptions(database, subscription)) {
      await stripe.subscriptions.cancel(older)
      await endSubscription(database, older)
    }
  }

  /** Events may come late, so the subscription's present state is asked for. */
  async function subscriptionChanged({ id, type }: Stripe.Event, subscriptionId: string) {
    const subscription = await stripe.subscriptions.retrieve(subscriptionId)
    const payment = paymentOf(subscription.metadata)
    const ended = subscription.status === 'canceled' || subscription.cancel_at_period_end
    if (!payment) return
    await database.use(
      ({ sql }) => sql`
        select payment_subscription_seen(${id}, ${type}, ${subscriptionId}, ${payment}, ${ended}::boolean)`,
    )
  }

  return { checkout, cancel, receive }
}

/** A checkout of one item at our own price. Its metadata names the payment in later events. */
function checkoutParameters(
  { serviceName, appUrl }: StripeSettings,
  payment: string,
  email: string,
  { kind, item, credits, usd }: ReturnType<typeof priceOf>,
): Stripe.Checkout.SessionCreateParams {
  if (usd === null) throw new RangeError(`${item} has no price`)
  const isPlan = kind === 'plan'
  const name = `${serviceName}${isPlan ? ` ${item}, by the month` : `, ${credits} credits`}`
  const price = { currency: 'usd', unit_amount: usd * CENTS, product_data: { name } }
  const price_data = isPlan ? { ...price, recurring: { interval: 'month' as const } } : price
  const metadata = { payment }
  return {
    mode: isPlan ? 'subscription' : 'payment',
    line_items: [{ quantity: 1, price_data }],
    ...(isPlan && { subscription_data: { metadata } }),
    client_reference_id: payment,
    metadata,
    customer_email: email,
    expires_at: Math.floor(Date.now() / 1_000) + CHECKOUT_LASTS_SECONDS,
    success_url: `${appUrl}/credits?payment=done`,
    cancel_url: `${appUrl}/credits?payment=left`,
  }
}

/** The payment that a checkout or subscription is for; undefined for those that we did not make. */
function paymentOf(metadata: Stripe.Metadata | null | undefined): string | undefined {
  const payment = metadata?.payment ?? ''
  return isUuid(payment) ? payment : undefined
}

async function runningSubscriptions(database: Database, account: string): Promise<string[]> {
  const { id, accountId, startedAt, endedAt } = subscriptions
  const running = and(eq(accountId, account), isNull(endedAt))
  const rows = await database.use(({ db }) =>
    db.select({ id }).from(subscriptions).where(running).orderBy(asc(startedAt)),
  )
  return rows.map((row) => row.id)
}

/** The account's running subscriptions that were chosen before this one. */
async function olderSubscriptions(database: Database, subscriptionId: string): Promise<string[]> {
  const rows = await database.use(
    ({ sql }) => sql<{ id: string }[]>`
      select o.id from subscriptions s join subscriptions o on o.account_id = s.account_id
       where s.id = ${subscriptionId} and s.ended_at is null and o.ended_at is null and o.started_at < s.started_at`,
  )
  return rows.map(({ id }) => id)
}

async function endSubscription(database: Database, subscriptionId: string): Promise<void> {
  const running = and(eq(subscriptions.id, subscriptionId), isNull(subscriptions.endedAt))
  const endedAt = sql`meter_now()`
  await database.use(({ db }) => db.update(subscriptions).set({ endedAt }).where(running))
}
