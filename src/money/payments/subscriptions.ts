/** Subscriptions, by which Stripe collects a plan's price each month. */
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import type { Database } from '../../database/client.ts'
import { subscriptions } from '../../database/tables/payments.ts'
import { isRefusal } from './refunds.ts'

/** End of a subscription. */
export type SubscriptionEnd = 'now' | 'with its period'

/** Statuses in which Stripe collects no more, for good. */
const ENDED = ['canceled', 'incomplete_expired']

/** Lists the account's running subscriptions, oldest first. */
export async function runningSubscriptions(database: Database, account: string): Promise<string[]> {
  const { id, accountId, startedAt, endedAt } = subscriptions
  const running = and(eq(accountId, account), isNull(endedAt))
  const rows = await database.use(({ db }) =>
    db.select({ id }).from(subscriptions).where(running).orderBy(asc(startedAt), asc(id)),
  )
  return rows.map((row) => row.id)
}

/** Lists the account's running subscriptions that are older than this one. */
export async function olderSubscriptions(
  database: Database,
  subscription: string,
): Promise<string[]> {
  const rows = await database.use(
    ({ sql }) => sql<{ id: string }[]>`
      select o.id from subscriptions s join subscriptions o on o.account_id = s.account_id
       where s.id = ${subscription} and s.ended_at is null and o.ended_at is null and o.started_at < s.started_at`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Ends a subscription at Stripe, then here. One that has ended there is noted as ended.
 * @throws if Stripe doesn't confirm; then nothing is noted
 */
export async function endSubscription(
  { database, stripe }: { database: Database; stripe: Stripe },
  id: string,
  when: SubscriptionEnd,
): Promise<void> {
  try {
    if (when === 'now') await stripe.subscriptions.cancel(id)
    else await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Stripe refuses to end twice.
    if (!isRefusal(error) || !ENDED.includes((await stripe.subscriptions.retrieve(id)).status))
      throw error
  }
  const running = and(eq(subscriptions.id, id), isNull(subscriptions.endedAt))
  const endedAt = sql`meter_now()`
  await database.use(({ db }) => db.update(subscriptions).set({ endedAt }).where(running))
}
