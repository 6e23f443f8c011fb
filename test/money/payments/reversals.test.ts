/** What refunds and disputes take back, where credits were spent, have expired, or came with an earlier release. */
import { describe, expect, test } from 'bun:test'
import postgres, { type Sql } from 'postgres'
import { migrate } from '../../../src/database/migrate.ts'
import { ledgerPage } from '../../../src/money/accounts/ledger.ts'
import { paymentsOf } from '../../../src/money/payments/payments.ts'
import { databases, withPool } from '../../database/schema.ts'
import { expectBooksToBalance } from '../charge/fixtures.ts'
import { type Charge, checkoutEvent, claimEvent, invoiceEvent } from './fake-stripe.ts'
import { type Guest, sharedShop } from './shop.ts'

const DAY_MS = 86_400_000

const shop = sharedShop()

const balanceOf = async ({ account }: Guest) => {
  const [row] = await shop.sql`
    select balance::integer from accounts cross join meter_open(${account}) where id = ${account}`
  return row?.balance
}
const spend = async ({ account }: Guest, credits: number) => {
  await shop.sql`
    with counted as (
      update accounts set balance = balance - ${credits}::integer, unallotted = unallotted + ${credits}::integer
       where id = ${account} returning balance
    )
    insert into ledger (account_id, at, kind, credits, balance_after)
    select ${account}, meter_now(), 'charge', -${credits}::integer, balance from counted`
}

/** A top-up of 500 credits that is paid. */
async function paidTopUp(): Promise<{ guest: Guest; charge: Charge; payment: string }> {
  const guest = await shop.guest()
  const payment = await guest.choose({ topUp: 'small' })
  const charge = shop.stripe.collect(payment)
  await shop.deliver(checkoutEvent(payment, { payment_intent: charge.intent }))
  return { guest, charge, payment }
}

/** @returns how the event ended */
async function refunded(charge: Charge, amount: number) {
  charge.refunds.push({ id: `re_${crypto.randomUUID()}`, amount, status: 'succeeded' })
  const event = claimEvent(charge, 'charge.refunded')
  expect(await shop.deliver(event)).toBe(200)
  return (await shop.endOf(event.id))!
}

async function disputed(charge: Charge, status: string, changes = {}) {
  charge.disputes = [
    { id: `dp_${charge.id}`, amount: charge.amount, currency: 'usd', status, ...changes },
  ]
  const event = claimEvent(charge)
  expect(await shop.deliver(event)).toBe(200)
  return (await shop.endOf(event.id))!
}

describe('what was spent', () => {
  test('stays spent; the rest is taken back, and the operator is warned of what is not', async () => {
    const { guest, charge } = await paidTopUp()
    await spend(guest, 300)
    const end = await refunded(charge, charge.amount)
    expect(end).toMatchObject({ outcome: 'applied', alert: true })
    expect(end.reason).toStartWith('200 credits were taken back; 300 that are due were spent')
    // The referral's credits were not spent, and are taken back too.
    expect(await balanceOf(guest)).toBe(0)
  })

  test('of a dispute: what was taken back is given again once it is won, and no more', async () => {
    const { guest, charge } = await paidTopUp()
    await spend(guest, 300)
    await disputed(charge, 'needs_response')
    expect(await balanceOf(guest)).toBe(0)
    const end = await disputed(charge, 'won')
    expect(end.reason).toBe(
      '200 credits were given again; 500 credits of its referral were given again',
    )
    expect(await balanceOf(guest)).toBe(200 + 250)
  })

  test('the ledger shows both, with the grant that they are of', async () => {
    const { guest, charge } = await paidTopUp()
    await disputed(charge, 'needs_response')
    await disputed(charge, 'won')
    const { entries } = await ledgerPage(shop.database, guest.account)
    expect(entries.map(({ kind, source, credits }) => [kind, source, credits])).toEqual([
      ['reversal', 'referral', 250],
      ['reversal', 'topup', 500],
      ['reversal', 'referral', -250],
      ['reversal', 'topup', -500],
      ['grant', 'referral', 250],
      ['grant', 'topup', 500],
    ])
  })
})

describe('in proportion', () => {
  test('a hundred refunds of a cent leave what the rest of the money pays for, never more', async () => {
    const { guest, charge } = await paidTopUp()
    charge.refunds = Array.from({ length: 100 }, (_, i) => ({
      id: `re_${charge.id}_${i}`,
      amount: 1,
      status: 'succeeded',
    }))
    await refunded(charge, 0)
    const kept = 1 - 100 / charge.amount
    expect(await balanceOf(guest)).toBe(Math.floor(500 * kept) + Math.floor(250 * kept))
    await refunded(charge, charge.amount - 101)
    // One cent of the money is kept, and pays for no whole credit.
    expect(await balanceOf(guest)).toBe(0)
  })

  test('refunds and disputes of more than was paid take back all of it, once', async () => {
    const { guest, charge, payment } = await paidTopUp()
    await refunded(charge, charge.amount)
    await disputed(charge, 'lost')
    expect(await balanceOf(guest)).toBe(0)
    expect(
      (await paymentsOf(shop.database, guest.account)).map(({ id, reversed }) => [id, reversed]),
    ).toEqual([[payment, 'all']])
  })

  test('a dispute in another currency is taken for the whole charge', async () => {
    const { guest, charge } = await paidTopUp()
    await disputed(charge, 'needs_response', { amount: 10, currency: 'eur' })
    expect(await balanceOf(guest)).toBe(0)
  })
})

describe('a plan', () => {
  const paidPlan = async () => {
    const guest = await shop.guest()
    const payment = await guest.choose({ plan: 'pro' })
    const pay = async (days: number) => {
      const charge = shop.stripe.collect(payment, { invoice: `in_${crypto.randomUUID()}` })
      const ends = shop.clock.now() + days * DAY_MS
      await shop.deliver(invoiceEvent(payment, `sub_${payment}`, charge.invoice ?? '', ends))
      return charge
    }
    return { guest, pay }
  }
  const planOf = async ({ account }: Guest) => {
    const [row] = await shop.sql`
      select plan, tier, plan_ends_at as ends from accounts where id = ${account}`
    return [row?.plan, row?.tier, row?.ends && Math.round((row.ends - shop.clock.now()) / DAY_MS)]
  }

  test('ends with the money of its last period, goes back to the period before, and comes again', async () => {
    const { guest, pay } = await paidPlan()
    await pay(10)
    const second = await pay(40)
    expect(await planOf(guest)).toEqual(['pro', 'pro', 41])
    await disputed(second, 'needs_response')
    expect(await planOf(guest)).toEqual(['pro', 'pro', 11])
    await disputed(second, 'won')
    expect(await planOf(guest)).toEqual(['pro', 'pro', 41])
  })

  test('that the operator gave meanwhile stays', async () => {
    const { guest, pay } = await paidPlan()
    const charge = await pay(10)
    await shop.sql`select meter_start_plan(${guest.account}, 'team', 'team', 15000, false)`
    await refunded(charge, charge.amount)
    expect(await planOf(guest)).toEqual(['team', 'team', 28])
  })

  test('that comes again stands behind one that ends later, and takes the place of one that ends sooner', async () => {
    for (const [days, plan] of [
      [10, ['team', 'team', 28]],
      [60, ['pro', 'pro', 61]],
    ] as const) {
      const { guest, pay } = await paidPlan()
      const charge = await pay(days)
      await disputed(charge, 'needs_response')
      await shop.sql`select meter_start_plan(${guest.account}, 'team', 'team', 15000, false)`
      expect(await planOf(guest)).toEqual(['team', 'team', 28])
      await disputed(charge, 'won')
      expect(await planOf(guest)).toEqual([...plan])
    }
  })

  test('that has ended gives nothing again when a dispute is won later', async () => {
    const { guest, pay } = await paidPlan()
    const charge = await pay(10)
    await disputed(charge, 'needs_response')
    await shop.clock.advance(20 * 86_400)
    await disputed(charge, 'won')
    // The referral's credits never expire, and come again.
    expect(await balanceOf(guest)).toBe(250)
    expect(await planOf(guest)).toEqual([null, 'free', null])
  })
})

describe('the last release', () => {
  /** A database of 1.6.0 with a guest and who referred them; the guest has three orders. */
  async function ofLastRelease(work: (sql: Sql, upgrade: () => Promise<unknown>) => Promise<void>) {
    const made = await databases()
    const url = await made.ofVersion160()
    const sql = postgres(url, { max: 2, onnotice: () => {} })
    try {
      await sql`
        insert into accounts (id, name, email) values (${REFERRER}, 'Ada', 'a@example.com'), (${GUEST}, 'Ben', 'b@example.com')`
      await sql`update referrals set referrer_id = ${REFERRER} where account_id = ${GUEST}`
      for (const [id, kind, item, credits] of ORDERS) {
        await sql`
          insert into payments (id, account_id, kind, item, credits, usd, created_at)
          values (${id}, ${GUEST}, ${kind}, ${item}, ${credits}, 10, now())`
      }
      await work(sql, () => withPool(url, migrate))
      await expectBooksToBalance(sql)
    } finally {
      await sql.end()
      await made.drop()
    }
  }
  const [REFERRER, GUEST] = [crypto.randomUUID(), crypto.randomUUID()]
  const ORDERS = [
    [crypto.randomUUID(), 'topup', 'small', 500],
    [crypto.randomUUID(), 'topup', 'small', 500],
    [crypto.randomUUID(), 'plan', 'essential', 3_000],
  ] as const
  const [[first], [second], [plan]] = ORDERS

  const balances = async (sql: Sql) => {
    const rows = await sql`
      select balance::integer from accounts where id in (${GUEST}, ${REFERRER}) order by name desc`
    return rows.map(({ balance }) => balance)
  }
  const claimed = (sql: Sql, payment: string, reference: string) => sql`
    select reason from payment_event_claims(${`evt_${payment}`}, 'charge.refunded', ${payment}, ${reference}, 1000,
      ${JSON.stringify([{ id: `re_${payment}`, amount: 1_000, stage: 1 }])}::text::json, '{"essential": "starter"}')`

  test('a payment that the last release accepted is taken back with its referral and its plan', () =>
    ofLastRelease(async (sql, upgrade) => {
      for (const id of [first, second]) {
        await sql`select payment_topup_paid(${`evt_old_${id}`}, 'paid', ${id}, 250)`
      }
      await sql`
        select payment_period_paid('evt_old', 'paid', ${plan}, 'sub_1', 'in_1', 'starter', now() + interval '30 days', 250)`
      expect(await balances(sql)).toEqual([500 + 500 + 3_000 + 250, 250])
      await upgrade()
      await claimed(sql, plan, 'in_1')
      expect(await balances(sql)).toEqual([500 + 500 + 250, 250])
      const [account] = await sql`select tier from accounts where id = ${GUEST}`
      expect(account?.tier).toBe('free')
      await claimed(sql, first, 'pi_1')
      expect(await balances(sql)).toEqual([500 + 250, 250])
      await claimed(sql, second, 'pi_2')
      expect(await balances(sql)).toEqual([0, 0])
    }))

  test('calls its functions as before, beside this one', () =>
    ofLastRelease(async (sql, upgrade) => {
      await upgrade()
      await sql`
        insert into newcomers (account_id, mailbox, trial_credits, trial_lasts, welcomed_at)
        values (${GUEST}, 'b@example.com', 0, '0', now())`
      const called = async () => {
        const [row] = await sql`
          select payment_topup_paid('evt_1', 'paid', ${first}, 250) as "topUp",
                 payment_period_paid('evt_2', 'paid', ${plan}, 'sub_1', 'in_1', 'starter',
                                     now() + interval '30 days', 250) as period,
                 payment_subscription_seen('evt_3', 'seen', 'sub_1', ${plan}, true) as seen`
        return row
      }
      expect(await called()).toEqual({ topUp: true, period: true, seen: true })
      expect(await called()).toEqual({ topUp: false, period: false, seen: false })
      await sql`select referral_reward_next('0', 20)`
      expect(await balances(sql)).toEqual([500 + 3_000 + 250, 250])
    }))
})
