/** What an account has: its balance, what of it expires when, and its plan. */
import { sql } from 'drizzle-orm'
import { type GrantSource, type PlanName, TIER_RULES, type Tier } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import { isoTime } from '../database/iso-time.ts'

export interface Credits {
  balance: number
  tier: Tier
  /** No credit ceiling (D16). */
  unlimited: boolean
  plan: {
    name: PlanName
    /** Whether it goes on when the period ends, by itself or by a subscription. */
    renews: boolean
    endsAt: string
  } | null
  /** With something left, soonest to expire first. They add up to the balance, unless that is below zero. */
  grants: {
    id: string
    source: GrantSource
    amount: number
    remaining: number
    expiresAt: string | null
  }[]
}

/** Everything that fell due is settled first. Undefined where there is no such account. */
export async function creditsOf(
  database: Database,
  accountId: string,
): Promise<Credits | undefined> {
  return database.use(async ({ db }) => {
    await db.execute(sql`select meter_open(${accountId})`)
    const [row] = await db.execute<{ credits: Omit<Credits, 'unlimited'> }>(sql`
      select json_build_object(
               'balance', a.balance,
               'tier', a.tier,
               'plan', case when a.plan is not null then json_build_object(
                 'name', a.plan,
                 'renews', a.plan_renews or exists (
                   select from subscriptions s
                    where s.account_id = a.id and s.plan = a.plan and s.ended_at is null),
                 'endsAt', ${isoTime('a.plan_ends_at')}) end,
               'grants', (
                 select coalesce(json_agg(json_build_object(
                          'id', g.id, 'source', g.source, 'amount', g.amount, 'remaining', g.unspent,
                          'expiresAt', ${isoTime('g.expires_at')})), '[]')
                   from meter_grants(a.id) g where g.unspent > 0)) as credits
        from accounts a where a.id = ${accountId}`)
    return row && { ...row.credits, unlimited: TIER_RULES[row.credits.tier].unlimited }
  })
}
