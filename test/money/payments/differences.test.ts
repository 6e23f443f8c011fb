/** Where Stripe's state differs from ours, because its events were lost: shown with both, and taken over by the rules of events. */
import { describe, expect, test } from 'bun:test'
import { readAuditLog } from '../../../src/console/acts/audit-log.ts'
import { acceptPayment, refund, takeOver } from '../../../src/console/acts/payments.ts'
import { creditsOf } from '../../../src/money/accounts/credits.ts'
import { findPayment } from '../../../src/money/payments/payments.ts'
import { does } from '../../console/doing.ts'
import { checkoutEvent, invoiceEvent, invoiceOf, lineOf } from './fake-stripe.ts'
import { type Guest, REWARD, sharedShop } from './shop.ts'

const DAY_MS = 86_400_000
const MONTH_MS = 30 * DAY_MS

const shop = sharedShop()
const atStripe = () => ({ database: shop.database, gateway: () => shop.gateway })

const check = async (payment?: string) => (await shop.gateway.check(payment))!
const told = async (payment: string) =>
  (await check(payment)).differences.map(({ here, there, event }) => [here, there, event?.type])
const take = (payment: string) => does(atStripe(), takeOver, payment)
const creditsOn = async ({ account }: Guest) => {
  const { balance, plan } = (await creditsOf(shop.database, account))!
  return { balance, plan: plan?.name ?? null }
}
const monthFromNow = async () => {
  const [row] = await shop.sql<{ now: Date }[]>`select meter_now() as now`
  return Number(row?.now) + MONTH_MS
}

function completed(payment: string, status = 'complete') {
  for (const session of shop.stripe.sessions.values())
    if (session.payment === payment) session.status = status
}

/** A top-up that was paid, and told. */
async function paidTopUp() {
  const guest = await shop.guest()
  const payment = await guest.choose({ topUp: 'small' })
  const charge = shop.stripe.collect(payment, { amount: 1_000 })
  completed(payment)
  await shop.deliver(checkoutEvent(payment, { payment_intent: charge.intent }))
  return { guest, payment, charge }
}

/** A plan of which the first period was paid at Stripe. */
async function paidPlan(isTold: boolean, guest?: Guest) {
  guest ??= await shop.guest()
  const payment = await guest.choose({ plan: 'essential' })
  const [invoice, subscription] = [`in_${payment}`, `sub_${payment}`]
  const charge = shop.stripe.collect(payment, { invoice })
  const ends = await monthFromNow()
  shop.stripe.invoices.set(invoice, invoiceOf(payment, subscription, invoice, ends))
  const metadata = { payment }
  shop.stripe.subscriptions.set(subscription, {
    status: 'active',
    cancel_at_period_end: false,
    metadata,
  })
  completed(payment)
  if (isTold) await shop.deliver(invoiceEvent(payment, subscription, invoice, ends))
  return { guest, payment, charge, subscription }
}

test('what stands here as it does at Stripe is no difference, and takes nothing over', async () => {
  const waiting = await (await shop.guest()).choose({ topUp: 'small' })
  const { payment } = await paidTopUp()
  const plan = await paidPlan(true)
  for (const id of [waiting, payment, plan.payment]) {
    expect([id, await check(id)]).toMatchObject([id, { differences: [], asked: 1, failure: null }])
    expect(await take(id)).toEqual({ taken: [], failure: null })
  }
  expect(await shop.gateway.check(crypto.randomUUID())).toBeUndefined()
})

describe('taken over as its event would have been', () => {
  test('a top-up that is paid there and waits here, once, with its line in the audit log', async () => {
    const guest = await shop.guest()
    const payment = await guest.choose({ topUp: 'small' })
    shop.stripe.collect(payment, { amount: 1_000 })
    completed(payment)
    expect(await told(payment)).toEqual([['it waits', 'it is paid', 'checkout.session.completed']])
    expect((await creditsOn(guest)).balance).toBe(0)
    const ends = await Promise.all([take(payment), take(payment)])
    expect(ends.flatMap((end) => end?.taken)).toEqual(['applied: 500 credits were given'])
    expect((await creditsOn(guest)).balance).toBe(500)
    expect(await told(payment)).toEqual([])
    const lines = await readAuditLog(shop.database, { subject: payment, limit: 5 })
    expect(lines).toMatchObject([
      { act: 'payment.take-over', before: { payment: 'open' }, after: { payment: 'accepted' } },
    ])
  })

  test('the first period of a plan, and a later one', async () => {
    const { guest, payment, subscription } = await paidPlan(false)
    expect(await told(payment)).toEqual([['it waits', 'it is paid', 'invoice.paid']])
    await take(payment)
    expect(await creditsOn(guest)).toEqual({ balance: 3_000, plan: 'essential' })
    const next = `in2_${payment}`
    shop.stripe.invoices.set(
      next,
      invoiceOf(payment, subscription, next, (await monthFromNow()) + MONTH_MS),
    )
    expect(await told(payment)).toEqual([
      ['nothing is known of a further period', `it is paid: ${next}`, 'invoice.paid'],
    ])
    await take(payment)
    expect((await creditsOn(guest)).balance).toBe(6_000)
    expect(await told(payment)).toEqual([])
  })

  test('a Checkout that ended', async () => {
    const payment = await (await shop.guest()).choose({ topUp: 'small' })
    completed(payment, 'expired')
    expect((await told(payment))[0]?.[1]).toBe('its Checkout ended without a payment')
    await take(payment)
    expect(await findPayment(shop.database, payment)).toMatchObject({
      state: 'refused',
      refusedBy: 'checkout',
    })
  })

  test('a refund there, also one that we asked for', async () => {
    const { guest, payment, charge } = await paidTopUp()
    await does(atStripe(), refund, payment)
    expect(await told(payment)).toEqual([
      ['$0.00 went back', '$10.00 of $10.00 went back', 'charge.refunded'],
    ])
    expect((await take(payment))?.taken).toEqual([
      expect.stringContaining('applied: 500 credits were taken back'),
    ])
    expect((await creditsOn(guest)).balance).toBe(0)
    expect(await findPayment(shop.database, payment)).toMatchObject({ refund: null })
    expect(charge.refunds).toHaveLength(1)
  })

  test('a subscription that ended there', async () => {
    const { payment, subscription } = await paidPlan(true)
    shop.stripe.subscriptions.get(subscription)!.status = 'canceled'
    expect(await told(payment)).toEqual([
      [
        'its subscription goes on',
        'it has ended, or ends with its period',
        'customer.subscription.updated',
      ],
    ])
    expect((await take(payment))?.taken).toEqual(['applied: the plan ends with its period'])
    expect(await told(payment)).toEqual([])
  })

  test('a newer plan ends the older one’s subscription at Stripe: where Stripe does not answer, what was done is told, and asking again does the rest', async () => {
    const { guest, subscription: older } = await paidPlan(true)
    await shop.clock.advance(60)
    const newer = await paidPlan(false, guest)
    const at = shop.stripe.calls.length
    await check(newer.payment)
    // The call behind those of a check and of the event is the one that ends the older subscription.
    shop.stripe.failAfter(shop.stripe.calls.length - at, 500)
    const first = await take(newer.payment)
    expect(first?.taken).toEqual([expect.stringContaining('applied: 3000 credits were given')])
    expect(first?.failure).toStartWith('an older subscription may go on at Stripe, ask again')
    expect(shop.stripe.subscriptions.get(older)?.status).toBe('active')
    expect((await told(newer.payment))[0]?.[0]).toBe(`${older}, which it replaced, has not ended`)
    expect(await take(newer.payment)).toEqual({
      taken: [`${older} was ended at Stripe`],
      failure: null,
    })
    expect(shop.stripe.subscriptions.get(older)?.status).toBe('canceled')
    expect(await told(newer.payment)).toEqual([])
    expect((await creditsOn(guest)).balance).toBe(6_000 + REWARD)
  })

  test('an order that was accepted by hand, and is paid there, waits for the operator and gives nothing twice', async () => {
    const guest = await shop.guest()
    const payment = await guest.choose({ topUp: 'small' })
    await does(atStripe(), acceptPayment, payment)
    shop.stripe.collect(payment, { amount: 1_000 })
    completed(payment)
    expect((await told(payment))[0]?.[0]).toBe('it was accepted by hand')
    expect((await take(payment))?.taken[0]).toStartWith('waiting: paid, but its credits were given')
    expect((await creditsOn(guest)).balance).toBe(500)
    expect(await told(payment)).toEqual([])
  })
})

test('an invoice that begins no month is told with what to do, and not taken over', async () => {
  const { guest, payment, subscription } = await paidPlan(true)
  const made = `in2_${payment}`
  const ends = (await monthFromNow()) + MONTH_MS
  shop.stripe.invoices.set(
    made,
    invoiceOf(payment, subscription, made, ends, { billing_reason: 'subscription_update' }),
  )
  const { differences } = await check(payment)
  expect(differences).toEqual([
    {
      payment,
      here: 'it gave no credits by itself',
      there: `it is paid: ${made}`,
      todo: expect.stringContaining('refund it at Stripe, or grant credits'),
    },
  ])
  expect(await take(payment)).toEqual({ taken: [], failure: null })
  expect((await creditsOn(guest)).balance).toBe(3_000 + REWARD)
})

test('a further month is taken over by the subscription’s own line, also where Stripe shows a part of the lines', async () => {
  const { guest, payment, subscription } = await paidPlan(true)
  const next = `in2_${payment}`
  const ends = (await monthFromNow()) + MONTH_MS
  const lines = [
    ...Array.from({ length: 12 }, () =>
      lineOf(subscription, ends + 365 * DAY_MS, { parent: 'one-off item', days: 365 }),
    ),
    lineOf(subscription, ends),
  ]
  shop.stripe.invoices.set(next, invoiceOf(payment, subscription, next, ends, { lines }))
  expect((await take(payment))?.taken).toEqual([
    expect.stringContaining('applied: 3000 credits were given'),
  ])
  const credits = await creditsOf(shop.database, guest.account)
  expect(credits?.plan?.endsAt).toBe(
    new Date(Math.floor(ends / 1_000) * 1_000 + DAY_MS).toISOString(),
  )
})

test('another amount than the price list’s, and what Stripe doesn’t know, are for the operator to judge', async () => {
  const { payment, charge } = await paidTopUp()
  charge.amount = 900
  expect(await told(payment)).toEqual([['$10.00 by the price list', '$9.00 collected', undefined]])
  charge.currency = 'jpy'
  expect(await told(payment)).toEqual([['$10.00 by the price list', '¥900 collected', undefined]])
  shop.stripe.charges.delete(charge.id)
  expect(await told(payment)).toEqual([['it is paid', 'Stripe doesn’t know it', undefined]])
  expect(await take(payment)).toEqual({ taken: [], failure: null })
})

test('a check of all asks for what waits alone, and stops where Stripe is away', async () => {
  await shop.sql`update payments set state = 'refused' where state = 'open'`
  await shop.sql`update payments set refund = null`
  await shop.sql`update subscriptions set ended_at = started_at`
  const payments = [await (await shop.guest()).choose({ topUp: 'small' })]
  payments.push(await (await shop.guest()).choose({ plan: 'pro' }))
  completed(payments[0]!, 'expired')
  const { differences, asked, failure, hasMore } = await check()
  expect({ asked, failure, hasMore }).toEqual({ asked: 2, failure: null, hasMore: false })
  expect(differences.map(({ payment }) => payment)).toEqual([payments[0]!])
  // A plan whose subscription goes on, of which no further month was told.
  const { payment: late } = await paidPlan(true)
  await shop.clock.advance(40 * 86_400)
  expect((await check()).asked).toBe(3)
  shop.stripe.failNext(500)
  const away = await check(late)
  expect(away).toMatchObject({ asked: 0, differences: [], failure: 'refused by the test' })
  shop.stripe.failNext(500)
  expect(await take(late)).toMatchObject({ taken: [], failure: 'refused by the test' })
})
