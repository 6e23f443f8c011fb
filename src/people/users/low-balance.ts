/**
 * Mails when an account's credits fall below amounts that its owner has set. A sweep looks for them, so that no
 * charge takes longer; each crossing is claimed by one statement, so that of several instances one sends.
 */
import { TIER_RULES, TIERS } from '../../contract/tiers.ts'
import type { Database } from '../../database/client.ts'
import { textArray } from '../../database/text-array.ts'
import { lowBalanceEmail, type Sender } from './email-templates.ts'
import type { Outbox } from './mail-queue.ts'
import type { Session } from './sessions.ts'

/** Amounts of one account. */
export const MAX_THRESHOLDS = 3
/** Members of a workspace who are mailed beside its owner, so that a large one leaves room for others. */
export const MAX_MEMBERS = 8
/** Accounts without a credit ceiling can't run low. */
const UNLIMITED = TIERS.filter((tier) => TIER_RULES[tier].unlimited)

export interface Thresholds {
  /** Credits, ascending. */
  amounts: number[]
  /** True if members of the workspace are mailed as well as the owner. */
  mailsMembers: boolean
}

export async function thresholdsOf(database: Database, accountId: string): Promise<Thresholds> {
  const [row] = await database.use(
    ({ sql }) => sql<Thresholds[]>`
      select coalesce(json_agg(credits order by credits), '[]') as amounts,
             coalesce(bool_or(mails_members), false) as "mailsMembers"
        from balance_thresholds where account_id = ${accountId}`,
  )
  return row ?? { amounts: [], mailsMembers: false }
}

/**
 * Sets the amounts of the session's account. One that the balance is below already is met at its next crossing.
 * @returns false where the session's user is not the owner.
 */
export async function setThresholds(
  database: Database,
  { account, user }: Session,
  { amounts, mailsMembers }: Thresholds,
): Promise<boolean> {
  const several = [...new Set(amounts)].slice(0, MAX_THRESHOLDS)
  // Ascending, so that two who set them at once take the rows in one order.
  const wanted = textArray(several.sort((one, other) => one - other))
  return database.use(async ({ sql }) => {
    const set = await sql`
      with owned as (
        select a.id, a.balance from accounts a join members m on m.account_id = a.id
         where a.id = ${account.id} and m.user_id = ${user.id} and m.role = 'owner'
      ), gone as (
        delete from balance_thresholds t using owned
         where t.account_id = owned.id and t.credits <> all (${wanted}::text::integer[])
      ), kept as (
        insert into balance_thresholds (account_id, credits, mails_members, crossed_at)
        select owned.id, wanted, ${mailsMembers}::boolean, case when owned.balance < wanted then meter_now() end
          from owned, unnest(${wanted}::text::integer[]) as wanted
        on conflict (account_id, credits) do update set mails_members = excluded.mails_members
      )
      select from owned`
    if (set.length === 0) return false
    // Thresholds set at the same moment don't see each other, so the lowest ones are kept.
    await sql`
      delete from balance_thresholds
       where account_id = ${account.id}
         and credits not in (select credits from balance_thresholds where account_id = ${account.id}
                              order by credits limit ${MAX_THRESHOLDS}::integer)`
    return true
  })
}

interface Crossing {
  account: string
  /** As its people call it. */
  name: string
  /** The lowest of the amounts that were crossed. */
  credits: number
  balance: number
  emails: string[]
}

export interface LowBalanceSettings extends Sender {
  database: Database
  outbox: Outbox
}

/** Mails those whose balance has fallen below an amount since the last sweep. Without a mail server it does nothing. */
export async function mailLowBalances({ database, outbox, ...sender }: LowBalanceSettings) {
  if (!outbox.sends) return
  await settleDue(database)
  // One after the other: where the database goes away meanwhile, those that are not claimed yet wait for the next sweep.
  for (;;) {
    const crossing = await claimCrossing(database)
    if (!crossing) return
    const { account, emails } = crossing
    for (const email of emails) {
      const write = async () => lowBalanceEmail(sender, crossing)
      await outbox.send('balance', email, write, `${account} ${email}`)
    }
  }
}

/** Takes expired credits out of the balances that are looked at, as a call of the account would. */
async function settleDue(database: Database): Promise<void> {
  await database.use(
    ({ sql }) => sql`
      select meter_open(due.id)
        from (select a.id from accounts a
               where a.settle_at <= meter_now()
                 and exists (select from balance_thresholds t where t.account_id = a.id)
               order by a.id limit 100) due`,
  )
}

/** Arms again what balances have risen above, and claims what one of them has fallen below. */
async function claimCrossing(database: Database): Promise<Crossing | undefined> {
  const [crossing] = await database.use(
    ({ sql }) => sql<Crossing[]>`
      with risen as (
        update balance_thresholds t set crossed_at = null
          from accounts a
         where a.id = t.account_id and t.crossed_at is not null and a.balance >= t.credits
      ), due as (
        select t.account_id from balance_thresholds t join accounts a on a.id = t.account_id
         where t.crossed_at is null and a.balance < t.credits
           and a.tier <> all (${textArray(UNLIMITED)}::text::text[])
         order by t.account_id limit 1
      ), crossed as (
        update balance_thresholds t set crossed_at = meter_now()
          from accounts a, due
         where t.account_id = due.account_id and a.id = t.account_id
           and t.crossed_at is null and a.balance < t.credits
        returning t.account_id, t.credits, t.mails_members
      ), claimed as (
        select account_id, min(credits) as credits, bool_or(mails_members) as mails_members
          from crossed group by account_id
      )
      select c.account_id as account, coalesce(a.organization, a.name) as name, c.credits,
             a.balance::double precision as balance,
             (select coalesce(json_agg(to_mail.email), '[]') from (
                select u.email from members m join users u on u.id = m.user_id
                 where m.account_id = a.id and u.email_verified_at is not null
                   and (m.role = 'owner' or c.mails_members) and member_may_act(m.role, a.tier)
                 order by m.role = 'member', m.joined_at limit 1 + ${MAX_MEMBERS}::integer) to_mail) as emails
        from claimed c join accounts a on a.id = c.account_id`,
  )
  return crossing
}
