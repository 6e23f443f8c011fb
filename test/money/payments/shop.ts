/** A gateway to a Stripe of the tests, and accounts that come by a referral, for tests of payment events. */
import { createLog } from '../../../src/log.ts'
import { createPaymentGateway, type Payer } from '../../../src/money/payments/gateway.ts'
import type { Choice } from '../../../src/money/payments/payments.ts'
import { giveRewards } from '../../../src/money/payments/referrals.ts'
import { StripePayments } from '../../../src/money/payments/stripe.ts'
import { type Clock, startClock } from '../../helpers/clock.ts'
import { testDatabase } from '../../helpers/postgres.ts'
import { shared } from '../../helpers/shared.ts'
import { expectBooksToBalance } from '../charge/fixtures.ts'
import { SECRET_KEY, signed, startFakeStripe, WEBHOOK_SECRET } from './fake-stripe.ts'

/** What a referral gives to each side. */
export const REWARD = 250

export interface Guest {
  account: string
  referrer: string
  payer: Payer
  /** Sends an order to Checkout. @returns its payment's id */
  choose(choice: Choice): Promise<string>
  withdraw(payment: string): Promise<string>
}

export interface EventRow {
  outcome: string | null
  reason: string | null
  alert: boolean
}

export type Shop = Awaited<ReturnType<typeof startShop>>

/** Started before the tests of a file. After them the books of all its accounts balance. */
export function sharedShop(): Shop {
  return shared(startShop, async ({ sql, stop }) => {
    await expectBooksToBalance(sql)
    await stop()
  })
}

async function startShop() {
  const [test, stripe] = await Promise.all([testDatabase(), startFakeStripe()])
  const { sql, database } = test
  const clock: Clock = await startClock(sql, '2026-01-31T10:00:00.000Z')
  const logged: string[] = []
  const log = createLog('debug', (line) => logged.push(line))
  const payments = new StripePayments({
    database,
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    url: stripe.url,
    log,
    appUrl: 'http://app.test',
    serviceName: 'Test',
    referralCredits: REWARD,
  })
  const gateway = createPaymentGateway(database, payments, log)

  /** Somebody with an account of their own, who came by the link of the account `referrer`. */
  async function person(referrer: string | null) {
    const email = `${crypto.randomUUID()}@example.com`
    const [row] = await sql<{ user: string; account: string }[]>`
      with a_user as (
        insert into users (email, name, password, created_at) values (${email}, 'Ada', 'x', meter_now())
        returning id
      ), an_account as (
        insert into accounts (name, email) values ('Ada', ${email}) returning id
      )
      insert into members (account_id, user_id, role, joined_at)
      select a.id, u.id, 'owner', meter_now() from a_user u, an_account a
      returning user_id as "user", account_id as account`
    await sql`
      with referred as (update referrals set referrer_id = ${referrer} where account_id = ${row!.account})
      insert into newcomers (account_id, mailbox, trial_credits, trial_lasts, welcomed_at)
      values (${row!.account}, ${email}, 0, '0', meter_now())`
    return { ...row!, email }
  }

  /** Somebody without credits who came by another one's link. */
  async function guest(): Promise<Guest> {
    const referrer = await person(null)
    const { user, account, email } = await person(referrer.account)
    const payer: Payer = { user: { id: user, email }, account: { id: account }, role: 'owner' }
    return {
      account,
      referrer: referrer.account,
      payer,
      async choose(choice) {
        const { outcome } = await gateway.checkout(payer, choice, crypto.randomUUID())
        if (outcome !== 'redirect') throw new Error(outcome)
        const [row] = await sql`
          select id from payments where account_id = ${account} and state = 'open'
           order by created_at desc limit 1`
        return row?.id
      },
      withdraw: (payment) => gateway.withdraw(payer, payment),
    }
  }

  return {
    sql,
    stripe,
    clock,
    logged,
    database,
    gateway,
    guest,
    /** Posts an event as Stripe does; referrals reward at once, without a hold. @returns the status */
    async deliver(event: object) {
      const status = await gateway.webhook(...(await signed(event)))
      await giveRewards(database, { holdDays: 0, perMonth: 1_000_000 })
      return status
    },
    /** How an event ended. */
    async endOf(id: string): Promise<EventRow | undefined> {
      const [row] = await sql<EventRow[]>`
        select outcome, reason, is_alert as alert from payment_events where id = ${id}`
      return row
    },
    async stop() {
      await test.drop()
      await stripe.stop()
    },
  }
}
