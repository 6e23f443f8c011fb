/** Plans and top-ups that were chosen, and what becomes of them. The rules stand in `drizzle/0005_payments.sql`. */
import { type SQL, sql } from 'drizzle-orm'
import { runId } from '../accounts/web-runs.ts'
import { PLANS, type PlanName, TOP_UPS, type TopUpName } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import { isoTime } from '../database/iso-time.ts'

/** What can be chosen. */
export type Choice = { plan: PlanName } | { topUp: TopUpName }

export type PaymentState = 'open' | 'accepted' | 'refused'

export interface Payment {
  id: string
  accountId: string
  kind: 'plan' | 'topup'
  /** A name of `PLANS` or of `TOP_UPS`. */
  item: string
  /** As the price list had it when it was chosen; null is unlimited, or a price to agree on. */
  credits: number | null
  usd: number | null
  state: PaymentState
  createdAt: string
  decidedAt: string | null
}

export interface ListedPayment extends Payment {
  account: { name: string; email: string }
}

/** Payments of one account that may be open at once. */
const MAX_OPEN = 20

const COLUMNS = sql`
  p.id, p.account_id as "accountId", p.kind, p.item, p.credits, p.usd, p.state,
  ${isoTime('p.created_at')} as "createdAt", ${isoTime('p.decided_at')} as "decidedAt"`

/**
 * Writes down that somebody chose this for an account that they own. Nothing is given before it is paid.
 * @param once by which the same choice sent again is known: it is written down once. Another account's is another.
 * @returns the payment's id, or undefined where they don't own the account, or too many are open.
 */
export async function openPayment(
  database: Database,
  accountId: string,
  userId: string,
  choice: Choice,
  once: string = crypto.randomUUID(),
): Promise<string | undefined> {
  const { kind, item, credits, usd } = itemOf(choice)
  const id = runId(accountId, once, `${kind} ${item}`)
  const [row] = await database.use(({ db }) =>
    db.execute<{ id: string }>(sql`
      insert into payments (id, account_id, user_id, kind, item, credits, usd, created_at)
      select ${id}::uuid, m.account_id, m.user_id, ${kind}, ${item}, ${credits}::integer, ${usd}::integer, meter_now()
        from members m
       where m.account_id = ${accountId} and m.user_id = ${userId} and m.role = 'owner'
         and (select count(*) from payments p where p.account_id = m.account_id and p.state = 'open')
             < ${MAX_OPEN}::integer
      on conflict (id) do update set id = payments.id
      returning id`),
  )
  return row?.id
}

/** What a choice costs and gives: the price list's. */
export function itemOf(choice: Choice) {
  if ('topUp' in choice) {
    return { kind: 'topup' as const, item: choice.topUp, ...TOP_UPS[choice.topUp] }
  }
  const { credits, usdPerMonth: usd } = PLANS[choice.plan]
  return { kind: 'plan' as const, item: choice.plan, credits, usd }
}

/** Newest first, at most 100. */
export async function paymentsOf(database: Database, accountId: string): Promise<Payment[]> {
  return rows<Payment>(
    database,
    sql`select ${COLUMNS} from payments p where p.account_id = ${accountId}
         order by p.created_at desc, p.id limit 100`,
  )
}

/** For the operator: oldest first, so that what waits longest stands on top. */
export async function listPayments(
  database: Database,
  state?: PaymentState,
): Promise<ListedPayment[]> {
  return rows<ListedPayment>(
    database,
    sql`select ${COLUMNS}, json_build_object('name', a.name, 'email', a.email) as account
          from payments p join accounts a on a.id = p.account_id
         ${state ? sql`where p.state = ${state}` : sql``}
         order by p.created_at, p.id`,
  )
}

/**
 * Gives what an open payment was for, and the referral's credits where it is the first; all of it once.
 * @param renews a plan goes on by itself when its period ends.
 * @returns the payment, or undefined where there is none that is open.
 */
export async function acceptPayment(
  database: Database,
  id: string,
  { renews = false, referralCredits }: { renews?: boolean; referralCredits: number },
): Promise<Payment | undefined> {
  const [payment] = await rows<Payment>(
    database,
    sql`select ${COLUMNS}
          from (select p.id, ${TIER_OF_PLAN} as tier from payments p where p.id = ${id}) chosen
         cross join lateral payment_accept(chosen.id, chosen.tier, ${renews}::boolean, ${referralCredits}::integer) p
         where p.id is not null`,
  )
  return payment
}

/** @returns the payment, or undefined where there is none that is open. */
export async function refusePayment(database: Database, id: string): Promise<Payment | undefined> {
  const [payment] = await rows<Payment>(
    database,
    sql`update payments p set state = 'refused', decided_at = meter_now()
         where p.id = ${id} and p.state = 'open' returning ${COLUMNS}`,
  )
  return payment
}

/** An account's referral link ends in `code`; how many accounts came by it, and for how many it was paid. */
export async function referralOf(
  database: Database,
  accountId: string,
): Promise<{ code: string; joined: number; rewarded: number } | undefined> {
  const [referral] = await rows<{ code: string; joined: number; rewarded: number }>(
    database,
    sql`select r.code, count(o.account_id)::integer as joined, count(o.rewarded_at)::integer as rewarded
          from referrals r left join referrals o on o.referrer_id = r.account_id
         where r.account_id = ${accountId} group by r.code`,
  )
  return referral
}

/** The tier that a payment's plan leads to, by the price list; null for a top-up. */
const TIER_OF_PLAN = sql.join(
  [
    sql`case p.item`,
    ...Object.entries(PLANS).map(([name, { tier }]) => sql.raw(`when '${name}' then '${tier}'`)),
    sql`end`,
  ],
  sql` `,
)

async function rows<T>(database: Database, statement: SQL): Promise<T[]> {
  return database.use(async ({ db }) => [...(await db.execute(statement))] as T[])
}
