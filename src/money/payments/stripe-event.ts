/** Stripe's events as they are read: their shapes, checked, and what each type tells. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isUuid } from '../../database/uuid.ts'

/** A signed body that is not an event, or whose object is not what its type says. */
export class NotAnEvent extends Error {
  override name = 'NotAnEvent'
}

/** What an event tells. Ids are Stripe's, `payment` is ours. */
export type Told =
  | { tells: 'top-up paid'; payment: string; intent: string | null }
  | PeriodPaid
  | { tells: 'checkout ended'; payment: string }
  | { tells: 'subscription changed'; subscription: string }
  | { tells: 'charge changed'; charge: string }
  /** Nothing is done, for a reason. */
  | { tells: 'nothing'; reason: string }
  /** The operator has to do something. */
  | { tells: 'misfit'; reason: string; payment?: string }

export interface PeriodPaid {
  tells: 'period paid'
  payment: string
  subscription: string
  invoice: string
  /** Null where the event has only the first of them, so that Stripe has to be asked. */
  lines: InvoiceLine[] | null
}

export interface StripeEvent {
  id: string
  type: string
  told: Told
}

/** Why an event about money that is none of ours is ignored. */
export const NOT_OURS = 'it is not for an order of ours'

/** The operator's choice about an invoice that gives no credits by itself. */
export const BY_HAND = 'refund it at Stripe, or grant credits'

const Id = Type.String({ pattern: '^[\\w.-]{1,255}$' })
const Named = Type.Object({ id: Id })
/** Stripe writes an object's id where the object is not expanded. */
const Reference = Type.Union([Id, Named])
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Metadata = orNull(Type.Record(Type.String(), Type.String()))

const Event = Type.Object({
  id: Id,
  type: Type.String({ pattern: '^[\\w.]{1,255}$' }),
  data: Type.Object({ object: Type.Object({}) }),
})

const Checkout = Type.Object({
  mode: Type.String(),
  payment_status: Type.String(),
  payment_intent: orNull(Reference),
  metadata: Metadata,
})

const Moment = Type.Integer({ minimum: 0, maximum: 1e11 })

const Line = Type.Object({
  period: Type.Object({ start: Moment, end: Moment }),
  parent: orNull(
    Type.Object({
      subscription_item_details: orNull(
        Type.Object({ subscription: orNull(Reference), proration: Type.Optional(Type.Boolean()) }),
      ),
    }),
  ),
  // The shape of API versions before 2025, which has no parent.
  type: Type.Optional(Type.String()),
  proration: Type.Optional(Type.Boolean()),
})

export type InvoiceLine = Static<typeof Line>

const Invoice = Type.Object({
  id: Id,
  billing_reason: orNull(Type.String()),
  parent: orNull(
    Type.Object({
      subscription_details: orNull(Type.Object({ metadata: Metadata, subscription: Reference })),
    }),
  ),
  lines: Type.Object({ data: Type.Array(Line), has_more: Type.Optional(Type.Boolean()) }),
})

/** Reasons of invoices that begin a period of a subscription. Others are of changed plans, or made by hand. */
const PERIOD_REASONS = ['subscription_create', 'subscription_cycle']
/** The longest month, and a day for clocks. */
const MONTH_SECONDS = 32 * 86_400

const OfCharge = Type.Object({ charge: orNull(Reference) })

/** The types of events that are acted on, each with its reader. The operator sends these to the webhook. */
const READERS: Readonly<Record<string, (object: object) => Told>> = {
  'checkout.session.completed': checkoutCompleted,
  'checkout.session.async_payment_succeeded': checkoutCompleted,
  'checkout.session.async_payment_failed': checkoutEnded,
  'checkout.session.expired': checkoutEnded,
  'invoice.paid': invoicePaid,
  'customer.subscription.updated': subscriptionChanged,
  'customer.subscription.deleted': subscriptionChanged,
  'charge.refunded': (object) => ({ tells: 'charge changed', charge: read(Named, object).id }),
  'refund.updated': ofCharge,
  'refund.failed': ofCharge,
  'charge.dispute.created': ofCharge,
  'charge.dispute.updated': ofCharge,
  'charge.dispute.closed': ofCharge,
  'charge.dispute.funds_withdrawn': ofCharge,
  'charge.dispute.funds_reinstated': ofCharge,
}

/** @param body what was signed. @throws NotAnEvent */
export function readEvent(body: unknown): StripeEvent {
  const { id, type, data } = read(Event, body)
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  const told = reader?.(data.object) ?? nothing('events of this type change nothing')
  return { id, type, told }
}

/** The payment that a checkout or subscription is for; undefined for those that we did not make. */
export function paymentOf(metadata: Record<string, string> | null | undefined): string | undefined {
  const payment = metadata?.payment ?? ''
  return isUuid(payment) ? payment : undefined
}

/** The id of what Stripe gives as an id or, expanded, as an object. */
export function idOf(reference: string | { id: string }): string {
  return typeof reference === 'string' ? reference : reference.id
}

function checkoutCompleted(object: object): Told {
  const { mode, payment_status: status, payment_intent: intent, metadata } = read(Checkout, object)
  const payment = paymentOf(metadata)
  if (!payment) return nothing(NOT_OURS)
  if (mode !== 'payment') return nothing('the invoice of the plan tells')
  if (status !== 'paid') return nothing('it is not paid yet; another event follows')
  return { tells: 'top-up paid', payment, intent: intent ? idOf(intent) : null }
}

function checkoutEnded(object: object): Told {
  const payment = paymentOf(read(Checkout, object).metadata)
  return payment ? { tells: 'checkout ended', payment } : nothing(NOT_OURS)
}

function invoicePaid(object: object): Told {
  const { id: invoice, billing_reason: cause, parent, lines } = read(Invoice, object)
  if (parent === undefined) {
    return {
      tells: 'misfit',
      reason: 'the webhook sends events of an old API version: choose a newer one at Stripe',
    }
  }
  const details = parent?.subscription_details
  const payment = paymentOf(details?.metadata)
  if (!details || !payment) return nothing(NOT_OURS)
  if (!PERIOD_REASONS.includes(cause ?? '')) {
    const reason = `paid, but the invoice ${invoice} begins no period (${(cause ?? 'no reason').slice(0, 50)}): ${BY_HAND}`
    return { tells: 'misfit', reason, payment }
  }
  const subscription = idOf(details.subscription)
  const all = lines.has_more ? null : lines.data
  return { tells: 'period paid', payment, subscription, invoice, lines: all }
}

/** Lines of an invoice as Stripe's API lists them. */
export const readLines = (lines: unknown): InvoiceLine[] => read(Type.Array(Line), lines)

/**
 * The end of the month that an invoice pays. One-off items and prorations of other periods may come before the subscription's own
 * lines, and an item that is collected by the year or afterwards beside them.
 * @returns undefined where the invoice names no month of the subscription
 */
export function periodEnd(lines: readonly InvoiceLine[], subscription: string): Date | undefined {
  const ends = lines
    .filter((line) => isOwnLine(line, subscription))
    .filter(({ period: { start, end } }) => end - start <= MONTH_SECONDS)
    .map(({ period }) => period.end)
  return ends.length > 0 ? new Date(Math.max(...ends) * 1_000) : undefined
}

/** Tells a line of the subscription's own items from prorations and one-off items. */
function isOwnLine({ parent, type, proration }: InvoiceLine, subscription: string): boolean {
  if (parent === undefined) return type === 'subscription' && proration === false
  const details = parent?.subscription_item_details
  const named = details?.subscription ?? subscription
  return details?.proration === false && idOf(named) === subscription
}

function subscriptionChanged(object: object): Told {
  return { tells: 'subscription changed', subscription: read(Named, object).id }
}

function ofCharge(object: object): Told {
  const { charge } = read(OfCharge, object)
  return charge ? { tells: 'charge changed', charge: idOf(charge) } : nothing('it names no charge')
}

function nothing(reason: string): Told {
  return { tells: 'nothing', reason }
}

function read<T extends TSchema>(schema: T, value: unknown): Static<T> {
  if (Value.Check(schema, value)) return value
  throw new NotAnEvent('a signed body is not an event, or not of the shape that its type has')
}
