/**
 * Applies Stripe's events. Each ends as applied, ignored or waiting for the operator, with its reason (D101), and is
 * applied once: one SQL function call decides and notes it. `README.md` has the table of states and events.
 */
import { and, eq, isNull, sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import type { Connection, Database } from '../database/client.ts'
import { subscriptions } from '../database/tables/payments.ts'
import type { Log } from '../log.ts'
import { claimsOn } from './claims.ts'
import { PLAN_TIERS } from './payments.ts'
import { NOT_OURS, paymentOf, type StripeEvent } from './stripe-event.ts'

interface EventSettings {
  database: Database
  stripe: Stripe
  referralCredits: number
  log: Log
}

/** How an event ended; every field is null where it was noted before. */
interface EventEnd {
  outcome: 'applied' | 'ignored' | 'waiting' | null
  reason: string | null
  isAlert: boolean | null
}

/** @returns a function that applies an event. It throws where Stripe is to send the event again. */
export function eventApplier({ database, stripe, referralCredits, log }: EventSettings) {
  async function end(event: StripeEvent): Promise<EventEnd | undefined> {
    const { id, type, told } = event
    switch (told.tells) {
      case 'nothing':
        return noted(event, 'ignored', told.reason)
      case 'misfit':
        return noted(event, 'waiting', told.reason)
      case 'top-up paid': {
        const { payment, intent } = told
        return endBy(
          (sql) => sql`
            payment_event_topup(${id}, ${type}, ${payment}, ${intent}, ${referralCredits}::integer)`,
        )
      }
      case 'checkout ended':
        return endBy((sql) => sql`payment_event_unpaid(${id}, ${type}, ${told.payment})`)
      case 'period paid': {
        const { payment, subscription, invoice, ends } = told
        return endBy(
          (sql) => sql`
            payment_event_period(${id}, ${type}, ${payment}, ${subscription}, ${invoice},
              ${PLAN_TIERS}::json, ${ends.toISOString()}::timestamptz, ${referralCredits}::integer)`,
        )
      }
      case 'subscription changed':
        return subscriptionChanged(event, told.subscription)
      case 'charge changed':
        return chargeChanged(event, told.charge)
    }
  }

  /** The new plan replaces older ones. If this fails, Stripe sends the event again and it is repeated. */
  async function endOlderSubscriptions(subscription: string): Promise<void> {
    for (const older of await olderSubscriptions(database, subscription)) {
      await stripe.subscriptions.cancel(older)
      await endSubscription(database, older)
    }
  }

  /** Events may come late, so the subscription's present state is asked for. */
  async function subscriptionChanged(event: StripeEvent, id: string) {
    const { status, cancel_at_period_end, metadata } = await stripe.subscriptions.retrieve(id)
    const payment = paymentOf(metadata)
    if (!payment) return noted(event, 'ignored', NOT_OURS)
    const isEnded = status === 'canceled' || cancel_at_period_end
    return endBy(
      (sql) => sql`
        payment_event_subscription(${event.id}, ${event.type}, ${id}, ${payment}, ${isEnded}::boolean)`,
    )
  }

  async function chargeChanged(event: StripeEvent, id: string) {
    const charge = await claimsOn(stripe, id)
    if (!charge) return noted(event, 'ignored', NOT_OURS)
    const { payment, reference, charged, claims, unknown } = charge
    if (unknown.length > 0) {
      const states = unknown.join(', ').slice(0, 200)
      return noted(event, 'waiting', `a dispute is in a state that is not known here: ${states}`)
    }
    return endBy(
      (sql) => sql`
        payment_event_claims(${event.id}, ${event.type}, ${payment}, ${reference}, ${charged}::bigint,
          ${JSON.stringify(claims)}::json, ${PLAN_TIERS}::json)`,
    )
  }

  function noted({ id, type }: StripeEvent, outcome: 'ignored' | 'waiting', reason: string) {
    return endBy((sql) => sql`payment_event_noted(${id}, ${type}, ${outcome}, ${reason})`)
  }

  /** Applies an event by a call of its function, in one statement. */
  async function endBy(call: (sql: Connection['sql']) => ReturnType<Connection['sql']>) {
    const [ended] = await database.use(
      ({ sql }) => sql<EventEnd[]>`
        select outcome, reason, is_alert as "isAlert" from ${call(sql)}`,
    )
    return ended
  }

  return async function apply(event: StripeEvent): Promise<void> {
    logEnd(event, await end(event))
    if (event.told.tells === 'period paid') await endOlderSubscriptions(event.told.subscription)
  }

  /** An event that was noted before has been logged then. */
  function logEnd(event: StripeEvent, ended: EventEnd | undefined): void {
    if (!ended?.outcome) return
    const fields = { event: event.id, type: event.type, reason: ended.reason }
    if (ended.outcome === 'waiting') log.warn('a payment event waits for the operator', fields)
    else if (ended.isAlert) log.warn('a payment event was applied, look at it', fields)
    else log.info(`a payment event was ${ended.outcome}`, fields)
  }
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

/** Notes that a subscription is collected for no more. */
export async function endSubscription(database: Database, subscriptionId: string): Promise<void> {
  const running = and(eq(subscriptions.id, subscriptionId), isNull(subscriptions.endedAt))
  const endedAt = sql`meter_now()`
  await database.use(({ db }) => db.update(subscriptions).set({ endedAt }).where(running))
}
