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

/** End of an event; every field is null if it was noted before. */
interface EventEnd {
  outcome: 'applied' | 'ignored' | 'waiting' | null
  reason: string | null
  isAlert: boolean | null
}

/** Limit of lines read per invoice. */
const MOST_LINES = 1_000

/** SQL call that applies and notes an event. */
export type EventCall = (sql: Connection['sql']) => Fragment

/** Applies events. Its methods throw if Stripe is to send the event again or doesn't answer. */
export class EventApplier {
  readonly #settings: EventSettings

  constructor(settings: EventSettings) {
    this.#settings = settings
  }

  /** Chooses the call for an event. Asks Stripe if the event alone doesn't tell the state. */
  async callOf(event: StripeEvent): Promise<EventCall> {
    const { id, type, message } = event
    switch (message.kind) {
      case 'nothing':
        return noted(event, 'ignored', message.reason)
      case 'misfit':
        return noted(event, 'waiting', message.reason, message.payment)
      case 'top-up paid': {
        const { payment, intent } = message
        return (sql) => sql`
            payment_event_topup(${id}, ${type}, ${payment}, ${intent}, ${this.#settings.referralCredits}::integer)`
      }
      case 'checkout ended':
        return (sql) => sql`payment_event_unpaid(${id}, ${type}, ${message.payment})`
      case 'period paid':
        return this.#periodPaid(event, message)
      case 'subscription changed':
        return this.#subscriptionChanged(event, message.subscription)
      case 'charge changed':
        return this.#chargeChanged(event, message.charge)
    }
  }

  async #periodPaid(event: StripeEvent, paid: PeriodPaid): Promise<EventCall> {
    const { payment, subscription, invoice } = paid
    const ends = periodEnd(paid.lines ?? (await this.#linesOf(invoice)), subscription)
    if (!ends) {
      const reason = `paid, but the invoice ${invoice} names no period of a month: ${BY_HAND}`
      return noted(event, 'waiting', reason, payment)
    }
    return (sql) => sql`
        payment_event_period(${event.id}, ${event.type}, ${payment}, ${subscription}, ${invoice},
          ${PLAN_TIERS}::json, ${ends.toISOString()}::timestamptz, ${this.#settings.referralCredits}::integer)`
  }

  async #linesOf(invoice: string): Promise<InvoiceLine[]> {
    const lines = this.#settings.stripe.invoices.listLineItems(invoice, { limit: 100 })
    return readLines(await lines.autoPagingToArray({ limit: MOST_LINES }))
  }

  /** Ends older plans, which the new one replaces. On failure Stripe sends the event again. @returns the ended subscriptions */
  async #endOlderSubscriptions(subscription: string): Promise<string[]> {
    const older = await olderSubscriptions(this.#settings.database, subscription)
    for (const each of older) await endSubscription(this.#settings, each, 'now')
    return older
  }

  /** Reads the subscription's present state, because events may come late. */
  async #subscriptionChanged(event: StripeEvent, id: string): Promise<EventCall> {
    const { status, cancel_at_period_end, metadata } =
      await this.#settings.stripe.subscriptions.retrieve(id)
    const payment = paymentOf(metadata)
    if (!payment) return noted(event, 'ignored', NOT_OURS)
    const isEnded = status === 'canceled' || cancel_at_period_end
    return (sql) => sql`
        payment_event_subscription(${event.id}, ${event.type}, ${id}, ${payment}, ${isEnded}::boolean)`
  }

  async #chargeChanged(event: StripeEvent, id: string): Promise<EventCall> {
    const charge = await claimsOn(this.#settings.stripe, id)
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

  /** Applies an event in one statement. */
  async #endBy(call: EventCall) {
    const [ended] = await this.#settings.database.use(
      ({ sql }) => sql<EventEnd[]>`
        select outcome, reason, is_alert as "isAlert" from ${call(sql)}`,
    )
    return ended
  }

  async apply(event: StripeEvent): Promise<void> {
    this.#logEnd(event, await this.#endBy(await this.callOf(event)))
    await this.follow(event)
  }

  /** Follows up at Stripe on an applied event. @returns the subscriptions that it ended there */
  async follow({ message }: StripeEvent): Promise<string[]> {
    return message.kind === 'period paid' ? this.#endOlderSubscriptions(message.subscription) : []
  }

  /** Logs the end of an event, once. */
  #logEnd(event: StripeEvent, ended: EventEnd | undefined): void {
    if (!ended?.outcome) return
    const fields = { event: event.id, type: event.type, reason: ended.reason }
    if (ended.outcome === 'waiting')
      this.#settings.log.warn('a payment event waits for the operator', fields)
    else if (ended.isAlert)
      this.#settings.log.warn('a payment event was applied, look at it', fields)
    else this.#settings.log.info(`a payment event was ${ended.outcome}`, fields)
  }
}

function noted(
  { id, type }: StripeEvent,
  outcome: 'ignored' | 'waiting',
  reason: string,
  payment: string | null = null,
): EventCall {
  return (sql) => sql`payment_event_noted(${id}, ${type}, ${outcome}, ${reason}, ${payment}::uuid)`
}
