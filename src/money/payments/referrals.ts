/** Referral links and their rewards. The rules are in `drizzle/functions/newcomers.sql`. */
import type { Database } from '../../database/client.ts'
import { isTrue } from '../../database/scalar.ts'

export const isReferralCode = (text: string): boolean => /^[0-9a-f]{12}$/.test(text)

export interface ReferralRules {
  /** Days until a payment can no longer be taken back. */
  holdDays: number
  /** Rewarded referrals per account and calendar month (UTC). */
  perMonth: number
}

/** Rewards of one sweep; the next gives the rest. */
const MAX_REWARDS = 1_000

/** Gives every due reward, each in its own transaction. Several instances may do so at once. */
export async function giveRewards(database: Database, { holdDays, perMonth }: ReferralRules) {
  for (let given = 0; given < MAX_REWARDS; given++) {
    const isGiven = await database.use(({ sql }) =>
      isTrue(sql`
        select referral_reward_next(make_interval(days => ${holdDays}::integer), ${perMonth}::integer)`),
    )
    if (!isGiven) return
  }
}

/** Referral link of an account, and its results. */
export interface Referral {
  /** End of the link. */
  code: string
  /** Accounts that signed up; that paid and wait for their reward; that were rewarded. */
  joined: number
  waiting: number
  rewarded: number
}

/** @returns undefined if there is no such account. */
export async function referralOf(database: Database, account: string) {
  const [referral] = await database.use(
    ({ sql }) => sql<Referral[]>`
      select r.code, count(o.account_id)::integer as joined,
             count(*) filter (where o.credits > 0 and o.rewarded_at is null)::integer as waiting,
             count(o.rewarded_at)::integer as rewarded
        from referrals r left join referrals o on o.referrer_id = r.account_id
       where r.account_id = ${account} group by r.code`,
  )
  return referral
}

/** Account behind a referral link. */
export interface Referrer {
  /** Name of the account; null if it is an e-mail address, which no page shows. */
  name: string | null
}

/** @param code end of the link. @returns undefined if no account has it. */
export async function referrerOf(database: Database, code: string): Promise<Referrer | undefined> {
  if (!isReferralCode(code)) return undefined
  const [found] = await database.use(
    ({ sql }) => sql<{ name: string }[]>`
      select a.name
        from referrals r join accounts a on a.id = r.account_id where r.code = ${code}`,
  )
  return found && { name: found.name.includes('@') ? null : found.name }
}
