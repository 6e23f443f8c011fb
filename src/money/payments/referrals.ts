/** Referrals: who came by an account's link, and the rewards that are due. Their rules are in `drizzle/functions/money/newcomers.sql`. */
import type { Database } from '../../database/client.ts'
import { isTrue } from '../../database/scalar.ts'

/** Whether a text can be the end of a referral link. */
export const isReferralCode = (text: string): boolean => /^[0-9a-f]{12}$/.test(text)

export interface ReferralRules {
  /** Days from the payment until it can no longer be taken back. */
  holdDays: number
  /** Referrals that reward one account in a calendar month, UTC. */
  perMonth: number
}

/** Rewards of one sweep: what is left is given by the next. */
const MAX_REWARDS = 1_000

/** Gives every reward that is due, each in a transaction of its own. Several instances may do so at once. */
export async function giveRewards(database: Database, { holdDays, perMonth }: ReferralRules) {
  for (let given = 0; given < MAX_REWARDS; given++) {
    const isGiven = await database.use(({ sql }) =>
      isTrue(sql`
        select referral_reward_next(make_interval(days => ${holdDays}::integer), ${perMonth}::integer)`),
    )
    if (!isGiven) return
  }
}

/** What has become of an account's referral link. */
export interface Referral {
  /** The end of the link. */
  code: string
  /** Accounts that signed up by it; those that paid and wait for their reward; those that were rewarded. */
  joined: number
  waiting: number
  rewarded: number
}

/** @returns undefined where there is no such account. */
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

/** Who gave a referral link. */
export interface Referrer {
  /** What the account is called; null where that is an address, which no page tells. */
  name: string | null
}

/** @param code the end of the link. @returns undefined where no account has it. */
export async function referrerOf(database: Database, code: string): Promise<Referrer | undefined> {
  if (!isReferralCode(code)) return undefined
  const [found] = await database.use(
    ({ sql }) => sql<{ name: string }[]>`
      select a.name
        from referrals r join accounts a on a.id = r.account_id where r.code = ${code}`,
  )
  return found && { name: found.name.includes('@') ? null : found.name }
}
