/** Credits of an account: balance, grants and plan. */
import { asc, eq, getTableColumns, sql } from 'drizzle-orm'
import {
  type GrantSource,
  PLANS,
  type PlanName,
  TIER_RULES,
  type Tier,
  TRIAL_DAYS,
} from '../../contract/tiers.ts'
import { type Connection, type Database, isoTime } from '../../database/client.ts'
import { type Fragment, isTrue, scalar } from '../../database/scalar.ts'
import { creditGrants } from '../../database/tables/accounts.ts'

export interface Credits {
  balance: number
  tier: Tier
  /** No credit ceiling. */
  unlimited: boolean
  plan: {
    name: PlanName
    /** Another period follows, by the plan itself or by a subscription. */
    renews: boolean
    endsAt: string
  } | null
  /** Grants with credits left, soonest to expire first. Their sum is the balance, unless that is below zero. */
  grants: Pick<
    typeof creditGrants.$inferSelect,
    'id' | 'source' | 'amount' | 'remaining' | 'expiresAt'
  >[]
}

/** Expiry of credits. */
export type Expiry = { lastsSeconds: number } | { at: Date } | 'never'

/** Settles what fell due: expired grants and ended plans. @returns false where there is no such account. */
export async function settle({ sql }: Connection, accountId: string): Promise<boolean> {
  return (await scalar<string>(sql`select meter_open(${accountId})`)) !== null
}

/** Settles the account, then reads its credits. @returns undefined where there is no such account. */
export async function creditsOf(database: Database, id: string): Promise<Credits | undefined> {
  const found = await database.use(async (connection) => {
    return (await settle(connection, id)) ? settledCredits(connection, id) : undefined
  })
  if (!found) return undefined
  for (const grant of found.grants) grant.expiresAt &&= isoTime(grant.expiresAt)
  if (found.plan) found.plan.endsAt = isoTime(found.plan.endsAt)
  return { ...found, unlimited: TIER_RULES[found.tier].unlimited }
}

/** SQL over a row of `accounts`: another period follows, by the plan itself or by a subscription. */
export const PLAN_RENEWS = `
  (accounts.plan_renews or exists (
    select from subscriptions s
     where s.account_id = accounts.id and s.plan = accounts.plan and s.ended_at is null))`

/** One statement, so that the grants add up to the balance. Times are as PostgreSQL's JSON writes them. */
async function settledCredits({ sql }: Connection, accountId: string) {
  const [row] = await sql<Omit<Credits, 'unlimited'>[]>`
    select balance::double precision, tier,
           case when plan is not null then json_build_object(
             'name', plan, 'renews', ${sql.unsafe(PLAN_RENEWS)}, 'endsAt', plan_ends_at) end as plan,
           (select coalesce(json_agg(json_build_object(
                     'id', g.id, 'source', g.source, 'amount', g.amount, 'remaining', g.unspent,
                     'expiresAt', g.expires_at)), '[]')
              from meter_grants(accounts.id) g where g.unspent > 0) as grants
      from accounts where id = ${accountId}`
  return row
}

/** Default expiry of a source. `plan` credits last 30 days. */
export function defaultExpiry(source: GrantSource): Expiry {
  if (source === 'trial') return { lastsSeconds: TRIAL_DAYS * 86_400 }
  if (source === 'plan') return { lastsSeconds: 30 * 86_400 }
  return 'never'
}

/** SQL that grants credits; returns the new balance as text, null if there is no such account. */
export function grantCall(
  sql: Connection['sql'],
  id: string,
  amount: number,
  source: GrantSource,
  expiry: Expiry = defaultExpiry(source),
): Fragment {
  const lasts =
    expiry !== 'never' && 'lastsSeconds' in expiry ? `${expiry.lastsSeconds} seconds` : null
  const at = expiry !== 'never' && 'at' in expiry ? expiry.at.toISOString() : null
  return sql`meter_grant(${id}, ${source}, ${amount}::integer, ${lasts}::interval, ${at}::timestamptz)`
}

/** @returns the new balance; undefined if there is no such account. */
export async function grantCredits(
  database: Database,
  ...grant: [id: string, amount: number, source: GrantSource, expiry?: Expiry]
): Promise<number | undefined> {
  const balance = await database.use(({ sql }) =>
    scalar<string>(sql`select ${grantCall(sql, ...grant)}`),
  )
  return balance === null ? undefined : Number(balance)
}

/** Lists grants with the credits left, soonest to expire first. @returns undefined if there is no such account. */
export async function listGrants(database: Database, id: string) {
  return database.use(async (connection) => {
    // Settles the account and brings `remaining` of its grants up to date.
    const balance = await scalar<string>(connection.sql`select meter_review(${id})`)
    if (balance === null) return undefined
    const { accountId: _, sequence: __, ...columns } = getTableColumns(creditGrants)
    return connection.db
      .select(columns)
      .from(creditGrants)
      .where(eq(creditGrants.accountId, id))
      .orderBy(sql`${creditGrants.expiresAt} nulls last`, asc(creditGrants.sequence))
  })
}

/** SQL that starts a plan; false if there is no such account. */
export function startPlanCall(
  sql: Connection['sql'],
  id: string,
  plan: PlanName,
  renews: boolean,
): Fragment {
  const { tier, credits } = PLANS[plan]
  return sql`meter_start_plan(${id}, ${plan}, ${tier}, ${credits}::integer, ${renews}::boolean)`
}

/** SQL that ends a plan; false if the account has none or does not exist. */
export const stopPlanCall = (sql: Connection['sql'], id: string, atEnd: boolean): Fragment =>
  sql`meter_stop_plan(${id}, ${atEnd}::boolean)`

/** @returns false where there is no such account. */
export async function startPlan(database: Database, id: string, plan: PlanName, renews: boolean) {
  return database.use(({ sql }) => isTrue(sql`select ${startPlanCall(sql, id, plan, renews)}`))
}

/** @returns false where the account has no plan, or does not exist. */
export async function stopPlan(database: Database, id: string, atEnd: boolean): Promise<boolean> {
  return database.use(({ sql }) => isTrue(sql`select ${stopPlanCall(sql, id, atEnd)}`))
}
