/** Refunds that the operator asks for: by hand, where no provider collected, and of Stripe. */
import { describe, expect, test } from 'bun:test'
import { readAuditLog } from '../../../src/console/acts/audit-log.ts'
import { acceptPayment, refund, takeOver } from '../../../src/console/acts/payments.ts'
import { silentLog } from '../../../src/log.ts'
import { creditsOf } from '../../../src/money/accounts/credits.ts'
import { paidBackText } from '../../../src/money/payments/amounts.ts'
import { createPaymentGateway } from '../../../src/money/payments/gateway.ts'
import { type Choice, findPayment, openPayment } from '../../../src/money/payments/payments.ts'
import { receiptOf } from '../../../src/money/payments/receipts.ts'
import { does } from '../../console/doing.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { type Charge, checkoutEvent, claimEvent, invoiceEvent } from './fake-stripe.ts'
import { type Guest, sharedShop } from './shop.ts'

const MONTH_MS = 30 * 86_400_000

const shop = sharedShop()
const atStripe = () => ({ database: shop.database, gateway: () => shop.gateway })

const refundAtStripe = (payment: string) => does(atStripe(), refund, payment)
const refundByHand = (payment: string) =>
  does(
    {
      database: shop.database,
      gateway: () => createPaymentGateway(shop.database, undefined, silentLog),
    },
    refund,
    payment,
  )

const creditsOn = async (account: string) => {
  const { balance, plan } = (await creditsOf(shop.database, account))!
  return { balance, plan: plan?.name ?? null }
}
const linesOf = async (payment: string) =>
  (await readAuditLog(shop.database, { subject: payment, limit: 9 })).filter(
    ({ act }) => act === 'payment.refund',
  )
/** What is noted of the refund that was asked for. */
const asked = async (payment: string) => {
  const [row] = await shop.sql`
    select refund, refund_note as note, refund_tries as tries from payments where id = ${payment}`
  return row
}
const refundCalls = () =>
  shop.stripe.calls.filter(({ method, path }) => method === 'POST' && path === '/v1/refunds')

/** An order that the operator has accepted. */
async function settled(choice: Choice): Promise<{ guest: Guest; payment: string }> {
  const guest = await shop.guest()
  const payment = (await openPayment(
    shop.database,
    guest.account,
    guest.payer.user.id,
    choice,
  )) as string
  await does(atStripe(), acceptPayment, payment)
  return { guest, payment }
}

/** An order that Stripe has collected. */
async function collected(
  choice: Choice = { topUp: 'small' },
): Promise<{ guest: Guest; payment: string; charge: Charge }> {
  const guest = await shop.guest()
  const payment = await guest.choose(choice)
  if ('plan' in choice) {
    const charge = shop.stripe.collect(payment, { invoice: `in_${payment}` })
    const [{ now } = {}] = await shop.sql<{ now: Date }[]>`select meter_now() as now`
    const ends = Number(now) + MONTH_MS
    await shop.deliver(invoiceEvent(payment, `sub_${payment}`, `in_${payment}`, ends))
    return { guest, payment, charge }
  }
  const charge = shop.stripe.collect(payment)
  await shop.deliver(checkoutEvent(payment, { payment_intent: charge.intent }))
  return { guest, payment, charge }
}

test.each([
  [1, '1 % of it'],
  [2_950, '50 % of it'],
  [5_899, '99 % of it'],
  [5_900, 'All of it'],
])('%p of 5,900 that went back of an agreed price is %p', (reversed, words) => {
  expect(paidBackText({ usd: null, charged: 5_900, reversed })).toBe(words)
})

describe('what was settled without a provider', () => {
  test('is refunded once, however often it is asked: credits go, the plan ends, and the receipt says so', async () => {
    const { guest, payment } = await settled({ plan: 'essential' })
    expect(await creditsOn(guest.account)).toEqual({ balance: 3_000, plan: 'essential' })
    const ends = await Promise.all([1, 2, 3].map(() => refundByHand(payment)))
    expect(ends.filter(Boolean)).toEqual([{ refund: 'done' }])
    expect(await refundByHand(payment)).toBeUndefined()
    expect(await creditsOn(guest.account)).toEqual({ balance: 0, plan: null })
    expect(await findPayment(shop.database, payment)).toMatchObject({ reversed: 'all' })
    expect(await linesOf(payment)).toMatchObject([
      { who: 'root', before: { balance: 3_000 }, after: { balance: 0, plan: null } },
    ])
    const receipt = await receiptOf(shop.database, guest.account, payment)
    expect(receipt?.paidBack).toBe('$49.00 of $49.00')
    expect(refundCalls()).toEqual([])
  })

  test('a plan without a credit ceiling, whose price was agreed, ends too', async () => {
    const { guest, payment } = await settled({ plan: 'enterprise' })
    expect((await creditsOn(guest.account)).plan).toBe('enterprise')
    expect(await refundByHand(payment)).toEqual({ refund: 'done' })
    expect((await creditsOn(guest.account)).plan).toBeNull()
    const receipt = await receiptOf(shop.database, guest.account, payment)
    expect(receipt).toMatchObject({ usd: null, paidBack: 'All of it' })
  })

  test('credits that were spent stay spent, and those of a referral go back with their payment', async () => {
    const { guest, payment } = await settled({ topUp: 'small' })
    await shop.sql`
      with counted as (
        update accounts set balance = balance - 200, unallotted = unallotted + 200
         where id = ${guest.account} returning balance
      )
      insert into ledger (account_id, at, kind, credits, balance_after)
      select ${guest.account}, meter_now(), 'charge', -200, balance from counted`
    expect(await refundByHand(payment)).toEqual({ refund: 'done' })
    expect((await creditsOn(guest.account)).balance).toBe(0)
  })

  test('nothing is refunded that waits, was refused, or is nobody’s', async () => {
    const guest = await shop.guest()
    const open = (await openPayment(shop.database, guest.account, guest.payer.user.id, {
      topUp: 'small',
    })) as string
    expect(await refundByHand(open)).toBeUndefined()
    await guest.withdraw(open)
    expect(await refundByHand(open)).toBeUndefined()
    expect(await refundByHand(crypto.randomUUID())).toBeUndefined()
    expect(await linesOf(open)).toEqual([])
  })

  test('stays refunded when Stripe tells of another payment for the order, and of its dispute that is won', async () => {
    const guest = await shop.guest()
    const payment = await guest.choose({ topUp: 'small' })
    await does(atStripe(), acceptPayment, payment)
    expect(await refundAtStripe(payment)).toEqual({ refund: 'done' })
    const charge = shop.stripe.collect(payment, { amount: 1_000 })
    await shop.deliver(checkoutEvent(payment, { payment_intent: charge.intent }))
    charge.disputes = [{ id: 'dp_won', amount: 1_000, currency: 'usd', status: 'won' }]
    await shop.deliver(claimEvent(charge))
    expect((await creditsOn(guest.account)).balance).toBe(0)
  })
})

describe('an order that has a Checkout and was accepted by hand', () => {
  test('is not refunded by hand where Stripe collected it, does not say, or can’t be asked; Stripe refunds it once its state is taken over', async () => {
    const guest = await shop.guest()
    const payment = await guest.choose({ topUp: 'small' })
    await does(atStripe(), acceptPayment, payment)
    const charge = shop.stripe.collect(payment)
    for (const session of shop.stripe.sessions.values())
      if (session.payment === payment) session.status = 'complete'
    await expectRejection(refundAtStripe(payment), 'Stripe says that it collected this order')
    shop.stripe.failNext(500)
    await expectRejection(refundAtStripe(payment), 'is not known: refused by the test')
    await expectRejection(refundByHand(payment), 'PAYMENTS is not stripe')
    expect((await creditsOn(guest.account)).balance).toBe(500)
    expect(await linesOf(payment)).toEqual([])
    await does(atStripe(), takeOver, payment)
    expect(await refundAtStripe(payment)).toMatchObject({ refund: 'begun' })
    expect(charge.refunds).toHaveLength(1)
  })
})

describe('of what Stripe collected Stripe is asked', () => {
  test('once, however often the form is sent; its event takes the credits back, and nothing before', async () => {
    const { guest, payment, charge } = await collected()
    const before = await creditsOn(guest.account)
    const ends = await Promise.all([1, 2, 3].map(() => refundAtStripe(payment)))
    expect(ends.filter(Boolean)).toEqual([{ refund: 'begun', note: charge.refunds[0]!.id }])
    expect(await refundAtStripe(payment)).toBeUndefined()
    expect(charge.refunds).toHaveLength(1)
    expect(await asked(payment)).toMatchObject({ refund: 'begun', note: charge.refunds[0]!.id })
    expect(await creditsOn(guest.account)).toEqual(before)
    expect(await linesOf(payment)).toHaveLength(1)

    await shop.deliver(claimEvent(charge, 'charge.refunded'))
    expect((await creditsOn(guest.account)).balance).toBe(0)
    expect(await asked(payment)).toMatchObject({ refund: null })
    expect(await refundAtStripe(payment)).toBeUndefined()
    expect(refundCalls().at(-1)?.form.get('metadata[payment]')).toBe(payment)
  })

  test('of a plan by the payment of its invoice', async () => {
    const { guest, payment, charge } = await collected({ plan: 'essential' })
    expect(await refundAtStripe(payment)).toMatchObject({ refund: 'begun' })
    expect(charge.refunds).toMatchObject([{ amount: 4_900 }])
    await shop.deliver(claimEvent(charge, 'charge.refunded'))
    expect(await creditsOn(guest.account)).toEqual({ balance: 0, plan: null })
  })

  test('of a plan whose invoice was paid in parts Stripe is not asked for one of them', async () => {
    const { payment, charge } = await collected({ plan: 'essential' })
    const { invoice = '' } = charge
    const other = shop.stripe.collect(payment, { invoice })
    expect(await refundAtStripe(payment)).toMatchObject({
      refund: 'refused',
      note: expect.stringContaining('in several parts'),
    })
    expect(charge.refunds).toEqual([])
    // What was paid outside Stripe is no part that Stripe could refund.
    shop.stripe.charges.delete(other.id)
    shop.stripe.charges.delete(charge.id)
    shop.stripe.collect(payment, { invoice, intent: '' })
    shop.stripe.charges.set(charge.id, charge)
    expect(await refundAtStripe(payment)).toMatchObject({ refund: 'begun' })
    expect(charge.refunds).toHaveLength(1)
  })

  test('where its answer is lost the end is unknown, and asking again is the same refund', async () => {
    const { payment, charge } = await collected()
    shop.stripe.loseNext()
    expect(await refundAtStripe(payment)).toMatchObject({ refund: 'unknown' })
    expect(await asked(payment)).toMatchObject({ refund: 'unknown', tries: 1 })
    expect(charge.refunds).toHaveLength(1)
    expect(await refundAtStripe(payment)).toEqual({
      refund: 'begun',
      note: charge.refunds[0]!.id,
    })
    expect(charge.refunds).toHaveLength(1)
    const keys = refundCalls().slice(-2)
    expect(new Set(keys.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  })

  test('where Stripe fails the end is unknown; where it refuses nothing was refunded, and another try is another request', async () => {
    const { payment, charge } = await collected()
    shop.stripe.failNext(500)
    expect(await refundAtStripe(payment)).toMatchObject({ refund: 'unknown' })
    shop.stripe.failNext(402)
    expect(await refundAtStripe(payment)).toEqual({
      refund: 'refused',
      note: 'Stripe refused: refused by the test',
    })
    expect(charge.refunds).toEqual([])
    expect(await refundAtStripe(payment)).toMatchObject({ refund: 'begun' })
    const keys = refundCalls().slice(-3)
    expect(keys.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
      [1, 1, 2].map((attempt) => `refund-${payment}-${attempt}`),
    )
  })

  test('a process that ended while it asked keeps nobody from asking again, a minute later', async () => {
    const { payment, charge } = await collected()
    await shop.sql`select payment_refund_ask(${payment})`
    expect(await refundAtStripe(payment)).toBeUndefined()
    await shop.clock.advance(61)
    expect(await refundAtStripe(payment)).toMatchObject({ refund: 'begun' })
    expect(charge.refunds).toHaveLength(1)
  })

  test('one that was asked for while the clock ran ahead may be asked again once it is right, and is one refund', async () => {
    const { payment, charge } = await collected()
    const right = shop.clock.now()
    await shop.clock.advance(7_200)
    await shop.sql`select payment_refund_ask(${payment})`
    await shop.clock.set(right)
    expect(await refundAtStripe(payment)).toMatchObject({ refund: 'begun' })
    expect(charge.refunds).toHaveLength(1)
  })

  test('an event that comes before the answer ends it, and a refund that fails later may be asked for again', async () => {
    const { guest, payment, charge } = await collected()
    await refundAtStripe(payment)
    charge.refunds[0]!.status = 'failed'
    await shop.deliver(claimEvent(charge, 'refund.failed'))
    expect(await asked(payment)).toMatchObject({ refund: 'refused', tries: 1 })
    await shop.sql`update payments set refund = 'asked' where id = ${payment}`
    charge.refunds.push({ id: 're_elsewhere', amount: charge.amount, status: 'succeeded' })
    await shop.deliver(claimEvent(charge, 'charge.refunded'))
    expect((await creditsOn(guest.account)).balance).toBe(0)
    await shop.sql`
      select payment_refund_answered(${payment}, 1, 'unknown', 'late')`
    expect(await asked(payment)).toMatchObject({ refund: null })
  })

  test('where Stripe is not set up any more it is not asked, and the page can say why', async () => {
    const { payment } = await collected()
    expect(await refundByHand(payment)).toMatchObject({ refund: 'refused' })
  })
})

test('each event is kept with the payment that it is of', async () => {
  const { payment, charge } = await collected({ plan: 'essential' })
  await shop.deliver(claimEvent(charge, 'charge.refunded'))
  const [{ now } = {}] = await shop.sql<{ now: Date }[]>`select meter_now() as now`
  const next = invoiceEvent(payment, `sub_${payment}`, `in2_${payment}`, Number(now) + 2 * MONTH_MS)
  await shop.deliver(next)
  const kinds = async (id: string) =>
    (await shop.sql`select kind from payment_events where payment_id = ${id} order by kind`).map(
      ({ kind }) => kind,
    )
  expect(await kinds(payment)).toEqual(['charge.refunded', 'invoice.paid'])
  const [later] = await shop.sql`select id from payments where reference = ${`in2_${payment}`}`
  expect(await kinds(later?.id)).toEqual(['invoice.paid'])
})
