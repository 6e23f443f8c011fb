/** Acts on payments that wait for the operator, and on their provider's events. */
import { type Database, isoTime } from '../../database/client.ts'
import {
  type Acceptance,
  acceptCall,
  dismissCall,
  type Payment,
  refuseCall,
} from '../../money/payments/payments.ts'
import { refundAskCall, refundCall } from '../../money/payments/refunds.ts'
import type { Act } from './perform.ts'

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
