/** Payments as operators see them: one with all its details, and lists by outcome. */
import { type Database, isoTime } from '../../database/client.ts'
import type { payments } from '../../database/tables/payments.ts'
import { isUuid } from '../../database/uuid.ts'

type Row = typeof payments.$inferSelect

export interface PaymentEventEnd {
  /** The provider's. */
  id: string
  kind: string
  at: string
  outcome: 'applied' | 'ignored' | 'waiting' | null
  reason: string | null
  dismissedAt: string | null
}

/** A payment whole. `charged` and `reversed` are in the smallest unit of their currency; times are ISO 8601 in UTC. */
export interface PaymentDetails extends Omit<Row, 'accountId' | 'userId' | 'refundTries'> {
  account: { id: string; name: string; email: string }
  /** Who chose it; null where they have gone. */
  user: { name: string; email: string } | null
  /** Events of the payment provider, newest first, for as long as they are kept. */
  events: PaymentEventEnd[]
}

/** Events of a page: a payment has a handful. */
const MOST_EVENTS = 50

/** @returns undefined where there is no such payment. */
export async function paymentDetails(
  database: Database,
  id: string,
): Promise<PaymentDetails | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await database.use(
    ({ sql }) => sql<PaymentDetails[]>`
      select p.id, p.kind, p.item, p.credits, p.usd, p.state, p.refused_by as "refusedBy", p.checkout, p.reference,
             p.charged::float8 as charged, p.reversed::float8 as reversed, p.created_at as "createdAt",
             p.decided_at as "decidedAt", p.refund, p.refund_at as "refundAt", p.refund_note as "refundNote",
             json_build_object('id', a.id, 'name', a.name, 'email', a.email) as account,
             case when u.id is not null then json_build_object('name', u.name, 'email', u.email) end as user,
             (select coalesce(json_agg(told), '[]') from (
                select id, kind, at, outcome, reason, dismissed_at as "dismissedAt" from payment_events
                 where payment_id = p.id order by at desc, id limit ${MOST_EVENTS}::integer) told) as events
        from payments p join accounts a on a.id = p.account_id left join users u on u.id = p.user_id
       where p.id = ${id}`,
  )
  for (const event of row?.events ?? []) {
    event.at = isoTime(event.at)
    event.dismissedAt &&= isoTime(event.dismissedAt)
  }
  return row
}

/** The outcome of a payment: accepted, refused, or refunded (wholly, in part, or under way). */
export const PAYMENT_ENDS = ['paid', 'refused', 'refunded'] as const
export type PaymentEnd = (typeof PAYMENT_ENDS)[number]

/** One of a list. Times are ISO 8601 in UTC. */
export interface ListedPayment
  extends Pick<Row, 'id' | 'kind' | 'item' | 'usd' | 'state' | 'refund' | 'createdAt'> {
  account: { id: string; name: string; email: string }
  reversed: 'none' | 'part' | 'all'
}

/** A page of the payments with this outcome, the newest first, and whether there is another page. @param page from 1 */
export async function endedPayments(
  database: Database,
  end: PaymentEnd,
  { page, limit }: { page: number; limit: number },
): Promise<{ payments: ListedPayment[]; hasMore: boolean }> {
  const rows = await database.use(
    ({ sql }) => sql<ListedPayment[]>`
      select p.id, p.kind, p.item, p.usd, p.state, p.refund, p.created_at as "createdAt",
             case when coalesce(p.reversed, 0) = 0 then 'none'
                  when p.reversed = p.charged then 'all' else 'part' end as reversed,
             json_build_object('id', a.id, 'name', a.name, 'email', a.email) as account
        from payments p join accounts a on a.id = p.account_id
       where case ${end}::text
               when 'paid' then p.state = 'accepted' when 'refused' then p.state = 'refused'
               else p.reversed > 0 or p.refund is not null end
       order by p.created_at desc, p.id
       limit ${limit + 1}::integer offset ${(page - 1) * limit}::integer`,
  )
  return { payments: rows.slice(0, limit), hasMore: rows.length > limit }
}
