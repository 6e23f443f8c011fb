/** Acts on payments: accept, refuse, refund, take over from Stripe, and dismiss an event of the provider. */
import { type Database, DatabaseUnavailable, isoTime } from '../../database/client.ts'
import type { PaymentGateway } from '../../money/payments/gateway.ts'
import {
  type Acceptance,
  acceptCall,
  dismissCall,
  type Payment,
  refuseCall,
} from '../../money/payments/payments.ts'
import { type RefundAnswer, refundAskCall, refundCall } from '../../money/payments/refunds.ts'
import type { EventCall } from '../../money/payments/stripe-events.ts'
import type { Act, Perform } from './perform.ts'

/** Gives what an open payment is for. @returns its id */
export const acceptPayment = (id: string, acceptance: Acceptance): Act<string> => ({
  name: 'payment.accept',
  to: { kind: 'payment', id },
  call: (sql) => acceptCall(sql, id, acceptance),
  result: String,
})

/** Refuses an open payment. @returns its id */
export const refusePayment = (id: string): Act<string> => ({
  name: 'payment.refuse',
  to: { kind: 'payment', id },
  call: (sql) => refuseCall(sql, id),
  result: String,
})

/** Refunds what is left of a payment that was settled without a provider, and takes back what is left of its credits. @returns its id */
export const refundPayment = (id: string): Act<string> => ({
  name: 'payment.refund',
  to: { kind: 'payment', id },
  call: (sql) => refundCall(sql, id),
  result: String,
})

/** Notes that Stripe is asked to refund what is left of a payment. @returns which try it is */
export const askForRefund = (id: string): Act<number> => ({
  name: 'payment.refund',
  to: { kind: 'payment', id },
  call: (sql) => refundAskCall(sql, id),
  result: Number,
})

/** An order that waits. Times are ISO 8601 in UTC. */
export interface WaitingPayment
  extends Pick<Payment, 'id' | 'kind' | 'item' | 'credits' | 'usd' | 'createdAt'> {
  account: { id: string; name: string; email: string }
  /** Whether its owner was led to the payment provider, who tells when it is paid. */
  isAtProvider: boolean
}

/** The orders that wait, the oldest first, at most `limit`, and how many there are. */
export async function waitingPayments(database: Database, limit: number) {
  const [row] = await database.use(
    ({ sql }) => sql<{ payments: WaitingPayment[]; count: number }[]>`
      select (select count(*)::integer from payments where state = 'open') as count,
             (select coalesce(json_agg(waiting), '[]') from (
                select p.id, p.kind, p.item, p.credits, p.usd, p.created_at as "createdAt",
                       p.checkout is not null as "isAtProvider",
                       json_build_object('id', a.id, 'name', a.name, 'email', a.email) as account
                  from payments p join accounts a on a.id = p.account_id
                 where p.state = 'open' order by p.created_at, p.id limit ${limit}::integer) waiting) as payments`,
  )
  const payments = row?.payments ?? []
  for (const payment of payments) payment.createdAt = isoTime(payment.createdAt)
  return { payments, count: row?.count ?? 0 }
}

/** Notes that an event of the payment provider was dealt with. Nothing is done where it doesn't wait. @param id the provider's */
export const dismissEvent = (id: string): Act<boolean> => ({
  name: 'payment.dismiss',
  to: { kind: 'event', id },
  call: (sql) => dismissCall(sql, id),
  result: () => true,
})

export type RefundEnd =
  /** The remaining credits were taken back. */
  | { refund: 'done' }
  /** Nothing was done: the order was accepted by hand, and Stripe collected it too, or may have. */
  | { refund: 'held'; note: string }
  /** Stripe was asked. Where it has begun, its event takes the credits back. */
  | RefundAnswer

/**
 * Refunds a payment, once. Where Stripe's answer is unknown the refund may be asked for again: it is the same refund at Stripe.
 * @returns undefined where there is nothing to refund: it was not paid, is paid back, or another one asks Stripe at this moment
 */
export async function refund(
  gateway: PaymentGateway,
  perform: Perform,
  id: string,
): Promise<RefundEnd | undefined> {
  const obstacle = await gateway.refundObstacle(id)
  if (obstacle !== null) return { refund: 'held', note: obstacle }
  if ((await perform(refundPayment(id))) !== undefined) return { refund: 'done' }
  const attempt = await perform(askForRefund(id))
  return attempt === undefined ? undefined : gateway.refund(id, attempt)
}

/** Applies an event to a payment as if Stripe had sent it. @returns its outcome in words; undefined where the event changed nothing */
export const takeOverPayment = (id: string, event: EventCall): Act<string> => ({
  name: 'payment.take-over',
  to: { kind: 'payment', id },
  call: (sql) =>
    sql`(select e.outcome || ': ' || e.reason from ${event(sql)} e where e.outcome <> 'ignored')`,
  result: String,
})

interface TakenOver {
  /** Descriptions of applied events. */
  taken: string[]
  /** Why it ended early; null where it didn't. */
  failure: string | null
}

/**
 * Takes over how Stripe says that a payment stands, by the functions that apply its events. Stripe is asked anew.
 * @returns undefined where there is no such payment
 */
export async function takeOver(
  gateway: PaymentGateway,
  perform: Perform,
  id: string,
): Promise<TakenOver | undefined> {
  const check = await gateway.check(id)
  if (!check) return undefined
  const taken: string[] = []
  try {
    for (const { event } of check.differences) {
      if (!event) continue
      const { call, follow } = await gateway.applying(event)
      const said = await perform(takeOverPayment(id, call))
      if (said !== undefined) taken.push(said)
      // Even where the event was applied before: its follow-up at Stripe may have failed then.
      try {
        for (const older of await follow()) taken.push(`${older} was ended at Stripe`)
      } catch (error) {
        if (!(error instanceof Error)) throw error
        const failure = `an older subscription may go on at Stripe, ask again: ${error.message}`
        return { taken, failure }
      }
    }
  } catch (error) {
    if (error instanceof DatabaseUnavailable || !(error instanceof Error)) throw error
    return { taken, failure: error.message }
  }
  return { taken, failure: check.failure }
}
