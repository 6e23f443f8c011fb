/** Stripe's events: their shapes, validated, and the message in each type. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isUuid } from '../../database/uuid.ts'

/** A signed body is no event, or its object doesn't match its type. */
export class NotAnEvent extends Error {
  override name = 'NotAnEvent'
}

/** Message of an event. Ids are Stripe's, `payment` is ours. */
export type EventMessage =
  | { kind: 'top-up paid'; payment: string; intent: string | null }
  | PeriodPaid
  | { kind: 'checkout ended'; payment: string }
  | { kind: 'subscription changed'; subscription: string }
  | { kind: 'charge changed'; charge: string }
  | { kind: 'nothing'; reason: string }
  /** The operator has to do something. */
  | { kind: 'misfit'; reason: string; payment?: string }

export interface PeriodPaid {
  kind: 'period paid'
  payment: string
  subscription: string
  invoice: string
  /** Null if the event has only the first lines, so that Stripe has to be asked. */
  lines: InvoiceLine[] | null
}

export interface StripeEvent {
  id: string
  type: string
  message: EventMessage
}

/** Reason for ignoring an event about other money. */
export const NOT_OURS = 'it is not for an order of ours'

/** Advice about an invoice that gives no credits by itself. */
export const BY_HAND = 'refund it at Stripe, or grant credits'

const Id = Type.String({ pattern: '^[\\w.-]{1,255}$' })
const Named = Type.Object({ id: Id })
/** Stripe gives an id, or the object if it is expanded. */
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
  // API versions before 2025 have these instead of `parent`.
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

/** Reasons of invoices that begin a period; others come from changed plans or are made by hand. */
const PERIOD_REASONS = ['subscription_create', 'subscription_cycle']
/** Longest month, and a day for clocks. */
const MONTH_SECONDS = 32 * 86_400

const ChargePart = Type.Object({ charge: orNull(Reference) })

/** Readers by event type. The webhook needs these types. */
const READERS: Readonly<Record<string, (object: object) => EventMessage>> = {
  'checkout.session.completed': checkoutCompleted,
  'checkout.session.async_payment_succeeded': checkoutCompleted,
  'checkout.session.async_payment_failed': checkoutEnded,
  'checkout.session.expired': checkoutEnded,
  'invoice.paid': invoicePaid,
  'customer.subscription.updated': subscriptionChanged,
  'customer.subscription.deleted': subscriptionChanged,
  'charge.refunded': (object) => ({ kind: 'charge changed', charge: read(Named, object).id }),
  'refund.updated': chargeChanged,
  'refund.failed': chargeChanged,
  'charge.dispute.created': chargeChanged,
  'charge.dispute.updated': chargeChanged,
  'charge.dispute.closed': chargeChanged,
  'charge.dispute.funds_withdrawn': chargeChanged,
  'charge.dispute.funds_reinstated': chargeChanged,
}

/** Reads a signed body. @throws NotAnEvent */
export function readEvent(body: unknown): StripeEvent {
  const { id, type, data } = read(Event, body)
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  const message = reader?.(data.object) ?? nothing('events of this type change nothing')
  return { id, type, message }
}

/** @returns the payment of a checkout or subscription; undefined if it isn't ours. */
export function paymentOf(metadata: Record<string, string> | null | undefined): string | undefined {
  const payment = metadata?.payment ?? ''
  return isUuid(payment) ? payment : undefined
}

export function idOf(reference: string | { id: string }): string {
  return typeof reference === 'string' ? reference : reference.id
}

function checkoutCompleted(object: object): EventMessage {
  const { mode, payment_status: status, payment_intent: intent, metadata } = read(Checkout, object)
  const payment = paymentOf(metadata)
  if (!payment) return nothing(NOT_OURS)
  if (mode !== 'payment') return nothing('the invoice of the plan tells')
  if (status !== 'paid') return nothing('it is not paid yet; another event follows')
  return { kind: 'top-up paid', payment, intent: intent ? idOf(intent) : null }
}

function checkoutEnded(object: object): EventMessage {
  const payment = paymentOf(read(Checkout, object).metadata)
  return payment ? { kind: 'checkout ended', payment } : nothing(NOT_OURS)
}

function invoicePaid(object: object): EventMessage {
  const { id: invoice, billing_reason: cause, parent, lines } = read(Invoice, object)
  if (parent === undefined) {
    return {
      kind: 'misfit',
      reason: 'the webhook sends events of an old API version: choose a newer one at Stripe',
    }
  }
  const details = parent?.subscription_details
  const payment = paymentOf(details?.metadata)
  if (!details || !payment) return nothing(NOT_OURS)
  if (!PERIOD_REASONS.includes(cause ?? '')) {
    const reason = `paid, but the invoice ${invoice} begins no period (${(cause ?? 'no reason').slice(0, 50)}): ${BY_HAND}`
    return { kind: 'misfit', reason, payment }
  }
  const subscription = idOf(details.subscription)
  const all = lines.has_more ? null : lines.data
  return { kind: 'period paid', payment, subscription, invoice, lines: all }
}

/** Reads an invoice's lines from Stripe's API. */
export const readLines = (lines: unknown): InvoiceLine[] => read(Type.Array(Line), lines)

/**
 * Finds the end of the month that an invoice pays. One-off items, prorations of other periods, and items billed by the year or in
 * arrears may stand beside the subscription's own lines.
 * @returns undefined if the invoice has no month of the subscription
 */
export function periodEnd(lines: readonly InvoiceLine[], subscription: string): Date | undefined {
  const ends = lines
    .filter((line) => isOwnLine(line, subscription))
    .filter(({ period: { start, end } }) => end - start <= MONTH_SECONDS)
    .map(({ period }) => period.end)
  return ends.length > 0 ? new Date(Math.max(...ends) * 1_000) : undefined
}

/** True for the subscription's own items, false for prorations and one-off items. */
function isOwnLine({ parent, type, proration }: InvoiceLine, subscription: string): boolean {
  if (parent === undefined) return type === 'subscription' && proration === false
  const details = parent?.subscription_item_details
  const named = details?.subscription ?? subscription
  return details?.proration === false && idOf(named) === subscription
}

function subscriptionChanged(object: object): EventMessage {
  return { kind: 'subscription changed', subscription: read(Named, object).id }
}

function chargeChanged(object: object): EventMessage {
  const { charge } = read(ChargePart, object)
  return charge ? { kind: 'charge changed', charge: idOf(charge) } : nothing('it names no charge')
}

function nothing(reason: string): EventMessage {
  return { kind: 'nothing', reason }
}

function read<T extends TSchema>(schema: T, value: unknown): Static<T> {
  if (Value.Check(schema, value)) return value
  throw new NotAnEvent('a signed body is not an event, or not of the shape that its type has')
}
