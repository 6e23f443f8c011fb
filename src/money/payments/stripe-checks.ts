/** Checks payments at Stripe on demand: one, or those that wait. */
import type Stripe from 'stripe'
import type { Database } from '../../database/client.ts'
import { type ComparedPayment, type Difference, differencesOf } from './differences.ts'

export interface Check {
  differences: Difference[]
  /** Number of payments that Stripe answered about. */
  asked: number
  /** More payments wait. */
  hasMore: boolean
  /** Reason why Stripe was not asked about all; null if it was. */
  failure: string | null
}

/** Payments of one check, and requests in parallel. */
const MOST_CHECKED = 25
const AT_ONCE = 4
/** Longest month of a subscription, and a day of grace. */
const LATE_DAYS = 33

/** @param payment checks this one instead of those that wait. @returns undefined if there is no such payment */
export async function checkPayments(
  database: Database,
  stripe: Stripe,
  payment?: string,
): Promise<Check | undefined> {
  const compared = await comparedPayments(database, payment)
  if (payment !== undefined && compared.length === 0) return undefined
  const check: Check = {
    differences: [],
    asked: 0,
    hasMore: compared.length > MOST_CHECKED,
    failure: null,
  }
  const waiting = compared.slice(0, MOST_CHECKED)
  const worker = async () => {
    // A failure ends the check.
    for (let next = waiting.shift(); next && check.failure === null; next = waiting.shift()) {
      try {
        check.differences.push(...(await differencesOf(stripe, next)))
        check.asked++
      } catch (error) {
        if (!(error instanceof Error)) throw error
        check.failure = error.message
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return check
}

/**
 * Selects one payment, or those that Stripe may know more about: orders waiting at Checkout, requested refunds, and plans whose
 * subscription goes on without news of a further period.
 */
function comparedPayments(database: Database, payment?: string): Promise<ComparedPayment[]> {
  return database.use(
    ({ sql }) => sql<ComparedPayment[]>`
      select p.id, p.kind, p.usd, p.state, p.checkout, p.reference, p.reversed::float8 as reversed,
             to_json(array(select reference from payments r
                            where r.account_id = p.account_id and r.reference is not null)) as references,
             to_json(array(select id from subscriptions s
                            where s.account_id = p.account_id and s.ended_at is not null)) as ended,
             to_json(array(select id from subscriptions s
                            where s.account_id = p.account_id and s.ended_at is null order by started_at, id)) as running
        from payments p
       where case when ${payment ?? null}::uuid is not null then p.id = ${payment ?? null}::uuid else
               p.state = 'open' and p.checkout is not null
               or p.refund in ('asked', 'begun', 'unknown')
               or p.state = 'accepted' and p.kind = 'plan' and p.reference is not null
                  and p.decided_at < meter_now() - make_interval(days => ${LATE_DAYS}::integer)
                  and exists (select from subscriptions s
                               where s.account_id = p.account_id and s.plan = p.item and s.ended_at is null)
                  and not exists (select from payments l
                                   where l.account_id = p.account_id and l.kind = 'plan' and l.reference is not null
                                     and l.decided_at > p.decided_at)
             end
       order by p.created_at, p.id limit ${MOST_CHECKED + 1}::integer`,
  )
}
