/**
 * Applies Stripe's events. Each ends as applied, ignored or waiting for the operator, with its reason, and is
 * applied once: one SQL function call decides and notes it. `README.md` has the table of states and events.
 */
import type Stripe from 'stripe'
import type { Connection, Database } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'
import type { Log } from '../../log.ts'
import { claimsOn } from './claims.ts'
import { PLAN_TIERS } from './payments.ts'
import {
  BY_HAND,
  type InvoiceLine,
  NOT_OURS,
  type PeriodPaid,
  paymentOf,
  periodEnd,
  readLines,
  type StripeEvent,
} from './stripe-event.ts'
import { endSubscription, olderSubscriptions } from './subscriptions.ts'

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

/** More lines than an invoice of a plan ever has. */
const MOST_LINES = 1_000

/** The call of the SQL function that applies an event and notes it. */
export type EventCall = (sql: Connection['sql']) => Fragment

/** @returns functions that apply events. They throw where Stripe is to send the event again, or doesn't answer. */
export function eventApplier({ database, stripe, referralCredits, log }: EventSettings) {
  /** What applies an event. Where the event alone doesn't say how things stand, Stripe is asked. */
  async function callOf(event: StripeEvent): Promise<EventCall> {
    const { id, type, told } = event
    switch (told.tells) {
      case 'nothing':
        return noted(event, 'ignored', told.reason)
      case 'misfit':
        return noted(event, 'waiting', told.reason, told.payment)
      case 'top-up paid': {
        const { payment, intent } = told
        return (sql) => sql`
            payment_event_topup(${id}, ${type}, ${payment}, ${intent}, ${referralCredits}::integer)`
      }
      case 'checkout ended':
        return (sql) => sql`payment_event_unpaid(${id}, ${type}, ${told.payment})`
      case 'period paid':
        return periodPaid(event, told)
      case 'subscription changed':
        return subscriptionChanged(event, told.subscription)
      case 'charge changed':
        return chargeChanged(event, told.charge)
    }
  }

  async function periodPaid(event: StripeEvent, paid: PeriodPaid): Promise<EventCall> {
    const { payment, subscription, invoice } = paid
    const ends = periodEnd(paid.lines ?? (await linesOf(invoice)), subscription)
    if (!ends) {
      const reason = `paid, but the invoice ${invoice} names no period of a month: ${BY_HAND}`
      return noted(event, 'waiting', reason, payment)
    }
    return (sql) => sql`
        payment_event_period(${event.id}, ${event.type}, ${payment}, ${subscription}, ${invoice},
          ${PLAN_TIERS}::json, ${ends.toISOString()}::timestamptz, ${referralCredits}::integer)`
  }

  async function linesOf(invoice: string): Promise<InvoiceLine[]> {
    const lines = stripe.invoices.listLineItems(invoice, { limit: 100 })
    return readLines(await lines.autoPagingToArray({ limit: MOST_LINES }))
  }

  /** The new plan replaces older ones. If this fails, Stripe sends the event again and it is repeated. @returns those that ended */
  async function endOlderSubscriptions(subscription: string): Promise<string[]> {
    const older = await olderSubscriptions(database, subscription)
    for (const each of older) await endSubscription({ database, stripe }, each, 'now')
    return older
  }

  /** Events may come late, so the subscription's present state is asked for. */
  async function subscriptionChanged(event: StripeEvent, id: string): Promise<EventCall> {
    const { status, cancel_at_period_end, metadata } = await stripe.subscriptions.retrieve(id)
    const payment = paymentOf(metadata)
    if (!payment) return noted(event, 'ignored', NOT_OURS)
    const isEnded = status === 'canceled' || cancel_at_period_end
    return (sql) => sql`
        payment_event_subscription(${event.id}, ${event.type}, ${id}, ${payment}, ${isEnded}::boolean)`
  }

  async function chargeChanged(event: StripeEvent, id: string): Promise<EventCall> {
    const charge = await claimsOn(stripe, id)
    if (!charge) return noted(event, 'ignored', NOT_OURS)
    const { payment, reference, charged, claims, unknown } = charge
    if (unknown.length > 0) {
      const states = unknown.join(', ').slice(0, 200)
      return noted(event, 'waiting', `a dispute is in a state that is not known here: ${states}`)
    }
    return (sql) => sql`
        payment_event_claims(${event.id}, ${event.type}, ${payment}, ${reference}, ${charged}::bigint,
          ${JSON.stringify(claims)}::json, ${PLAN_TIERS}::json)`
  }

  const noted =
    (
      { id, type }: StripeEvent,
      outcome: 'ignored' | 'waiting',
      reason: string,
      payment: string | null = null,
    ): EventCall =>
    (sql) =>
      sql`payment_event_noted(${id}, ${type}, ${outcome}, ${reason}, ${payment}::uuid)`

  /** Applies an event by a call of its function, in one statement. */
  async function endBy(call: EventCall) {
    const [ended] = await database.use(
      ({ sql }) => sql<EventEnd[]>`
        select outcome, reason, is_alert as "isAlert" from ${call(sql)}`,
    )
    return ended
  }

  async function apply(event: StripeEvent): Promise<void> {
    logEnd(event, await endBy(await callOf(event)))
    await follow(event)
  }

  /** What is to be done at Stripe once an event is applied. @returns the subscriptions that it ended there */
  async function follow({ told }: StripeEvent): Promise<string[]> {
    return told.tells === 'period paid' ? endOlderSubscriptions(told.subscription) : []
  }

  /** An event that was noted before has been logged then. */
  function logEnd(event: StripeEvent, ended: EventEnd | undefined): void {
    if (!ended?.outcome) return
    const fields = { event: event.id, type: event.type, reason: ended.reason }
    if (ended.outcome === 'waiting') log.warn('a payment event waits for the operator', fields)
    else if (ended.isAlert) log.warn('a payment event was applied, look at it', fields)
    else log.info(`a payment event was ${ended.outcome}`, fields)
  }

  return { apply, callOf, follow }
}
