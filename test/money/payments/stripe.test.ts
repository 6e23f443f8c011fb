/** Payment by Stripe: nothing before payment, everything once, in whatever order events come. */
import { describe, expect, test } from 'bun:test'
import { createLog } from '../../../src/log.ts'
import { creditsOf } from '../../../src/money/accounts/credits.ts'
import { createPaymentGateway } from '../../../src/money/payments/gateway.ts'
import { type Choice, paymentsOf } from '../../../src/money/payments/payments.ts'
import { giveRewards, referralOf } from '../../../src/money/payments/referrals.ts'
import { StripePayments } from '../../../src/money/payments/stripe.ts'
import { shared } from '../../helpers/shared.ts'
import { APP_URL, type Person, sharedPeople } from '../../people/users/fixtures.ts'
import { expectBooksToBalance } from '../charge/fixtures.ts'
import {
  checkoutEvent,
  eventOf,
  invoiceEvent,
  SECRET_KEY,
  signed,
  startFakeStripe,
  WEBHOOK_SECRET,
} from './fake-stripe.ts'

const DAY_MS = 86_400_000

const people = sharedPeople(({ sql }) => expectBooksToBalance(sql))
const stripe = shared(startFakeStripe, ({ stop }) => stop())
const logged: string[] = []
const gateway = shared(async () => {
  const log = createLog('debug', (line) => logged.push(line))
  const payments = new StripePayments({
    log,
    database: people.database,
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    url: stripe.url,
    appUrl: APP_URL,
    serviceName: 'Test',
    referralCredits: 250,
  })
  return createPaymentGateway(people.database, payments, log)
})

const deliver = async (event: object) => gateway.webhook(...(await signed(event)))
const creditsNow = async ({ session }: Person) =>
  (await creditsOf(people.database, session.account.id))!

/** Somebody who went to Stripe for this; the payment that waits for its event. */
async function chosen(choice: Choice, person?: Person) {
  const buyer = person ?? (await people.person('Buyer'))
  const answer = await gateway.checkout(buyer.session, choice)
  const [payment] =
    await people.sql`select id from payments where account_id = ${buyer.session.account.id} and state = 'open'`
  return { buyer, answer, payment: payment?.id as string, call: stripe.calls.at(-1)! }
}

let last = 0
const newId = (kind: string) => `${kind}_${++last}`

describe('checkout', () => {
  test('a top-up is one item at our own price; the person is sent to Stripe and has nothing yet', async () => {
    const { buyer, answer, payment, call } = await chosen({ topUp: 'medium' })
    expect(answer).toEqual({ outcome: 'redirect', url: 'https://checkout.stripe.test/pay' })
    expect([call.method, call.path, call.authorization]).toEqual([
      'POST',
      '/v1/checkout/sessions',
      `Bearer ${SECRET_KEY}`,
    ])
    expect(Object.fromEntries(call.form)).toMatchObject({
      mode: 'payment',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '4500',
      'metadata[payment]': payment,
      customer_email: buyer.email,
      success_url: `${APP_URL}/credits?payment=done`,
    })
    expect(call.idempotencyKey).toBe(payment)
    expect((await creditsNow(buyer)).balance).toBe(250)
  })

  test('a plan is a subscription by the month', async () => {
    const { payment, call } = await chosen({ plan: 'essential' })
    expect(Object.fromEntries(call.form)).toMatchObject({
      mode: 'subscription',
      'line_items[0][price_data][unit_amount]': '4900',
      'line_items[0][price_data][recurring][interval]': 'month',
      'subscription_data[metadata][payment]': payment,
    })
  })

  test('what has no price is a request to the operator, and nobody but the owner chooses', async () => {
    const before = stripe.calls.length
    expect((await chosen({ plan: 'enterprise' })).answer.outcome).toBe('requested')
    const { session } = await people.person()
    expect(await gateway.checkout({ ...session, role: 'member' }, { topUp: 'small' })).toEqual({
      outcome: 'refused',
    })
    expect(stripe.calls).toHaveLength(before)
  })

  test('where Stripe refuses, nothing stays open', async () => {
    stripe.failNext(400)
    const { buyer, answer } = await chosen({ topUp: 'small' })
    expect(answer).toEqual({ outcome: 'unavailable' })
    const [only] = await paymentsOf(people.database, buyer.session.account.id)
    expect(only?.state).toBe('refused')
  })

  test('a checkout that was left is refused, and frees its place', async () => {
    const { buyer, payment } = await chosen({ topUp: 'small' })
    expect(
      await deliver(
        checkoutEvent(payment, { payment_status: 'unpaid' }, 'checkout.session.expired'),
      ),
    ).toBe(200)
    const [only] = await paymentsOf(people.database, buyer.session.account.id)
    expect(only?.state).toBe('refused')
    expect((await creditsNow(buyer)).balance).toBe(250)
  })
})

describe('top-ups', () => {
  test('its credits follow once the checkout is paid, however often the event comes', async () => {
    const { buyer, payment } = await chosen({ topUp: 'small' })
    const event = checkoutEvent(payment)
    const statuses = await Promise.all(Array.from({ length: 10 }, () => deliver(event)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await creditsNow(buyer)).balance).toBe(750)
  })

  test('two events that tell of one payment give its credits once', async () => {
    const { buyer, payment } = await chosen({ topUp: 'small' })
    await deliver(checkoutEvent(payment))
    await deliver(checkoutEvent(payment, {}, 'checkout.session.async_payment_succeeded'))
    expect((await creditsNow(buyer)).balance).toBe(750)
  })

  test('a checkout that is completed but not paid gives nothing until it is', async () => {
    const { buyer, payment } = await chosen({ topUp: 'small' })
    await deliver(checkoutEvent(payment, { payment_status: 'unpaid' }))
    expect((await creditsNow(buyer)).balance).toBe(250)
    await deliver(checkoutEvent(payment, {}, 'checkout.session.async_payment_succeeded'))
    expect((await creditsNow(buyer)).balance).toBe(750)
  })
})

describe('plans', () => {
  test('each paid invoice is a period with its credits; the plan goes on as long as they come', async () => {
    const { buyer, payment } = await chosen({ plan: 'pro' })
    const subscription = newId('sub')
    await deliver(checkoutEvent(payment, { mode: 'subscription' }))
    expect((await creditsNow(buyer)).tier).toBe('free')
    const first = people.clock.now() + 30 * DAY_MS
    await deliver(invoiceEvent(payment, subscription, newId('in'), first))
    expect(await creditsNow(buyer)).toMatchObject({
      tier: 'pro',
      balance: 6_250,
      plan: { name: 'pro', renews: true },
    })
    // The trial is over; the provider collects an hour after the period's end.
    await people.clock.set(first + 3_600_000)
    expect((await creditsNow(buyer)).tier).toBe('pro')
    await deliver(invoiceEvent(payment, subscription, newId('in'), first + 30 * DAY_MS))
    expect(await creditsNow(buyer)).toMatchObject({ tier: 'pro', balance: 12_000 })
    await people.clock.advance(86_400)
    expect(await creditsNow(buyer)).toMatchObject({ tier: 'pro', balance: 6_000 })
    expect(await paymentsOf(people.database, buyer.session.account.id)).toHaveLength(2)
    await people.clock.advance(32 * 86_400)
    expect(await creditsNow(buyer)).toMatchObject({ tier: 'free', balance: 0, plan: null })
  })

  test('an invoice gives its credits once, told by one event or by two, one after another or at once', async () => {
    const { buyer, payment } = await chosen({ plan: 'essential' })
    const [subscription, invoice] = [newId('sub'), newId('in')]
    const ends = people.clock.now() + 30 * DAY_MS
    const events = [1, 2].map(() => invoiceEvent(payment, subscription, invoice, ends))
    await Promise.all([...events, ...events].map(deliver))
    await deliver(events[0]!)
    expect((await creditsNow(buyer)).balance).toBe(3_250)
  })

  test('periods told in the wrong order give the same', async () => {
    const { buyer, payment } = await chosen({ plan: 'essential' })
    const subscription = newId('sub')
    const ends = people.clock.now() + 30 * DAY_MS
    await deliver(invoiceEvent(payment, subscription, newId('in'), ends + 30 * DAY_MS))
    await deliver(invoiceEvent(payment, subscription, newId('in'), ends))
    const credits = await creditsNow(buyer)
    expect(credits.balance).toBe(6_250)
    expect(credits.plan?.endsAt).toBe(
      new Date(Math.floor((ends + 31 * DAY_MS) / 1_000) * 1_000).toISOString(),
    )
  })

  test('a cancelled one runs to its end and is not said to renew, even if that is told before the invoice', async () => {
    const { buyer, payment } = await chosen({ plan: 'pro' })
    const subscription = newId('sub')
    stripe.subscriptions.set(subscription, {
      status: 'canceled',
      cancel_at_period_end: false,
      metadata: { payment },
    })
    await deliver(eventOf('customer.subscription.deleted', { id: subscription }))
    await deliver(
      invoiceEvent(payment, subscription, newId('in'), people.clock.now() + 30 * DAY_MS),
    )
    expect(await creditsNow(buyer)).toMatchObject({ tier: 'pro', plan: { renews: false } })
  })

  test('cancelling asks Stripe to collect no more', async () => {
    const { buyer, payment } = await chosen({ plan: 'pro' })
    const subscription = newId('sub')
    await deliver(
      invoiceEvent(payment, subscription, newId('in'), people.clock.now() + 30 * DAY_MS),
    )
    expect(await gateway.cancelPlan(buyer.session)).toBe('cancelled')
    expect(stripe.subscriptions.get(subscription)?.cancel_at_period_end).toBe(true)
    expect((await creditsNow(buyer)).plan).toMatchObject({ name: 'pro', renews: false })
  })

  test('another plan takes the place of the one before, which is collected for no more; late news of that one change nothing', async () => {
    const { buyer, payment } = await chosen({ plan: 'essential' })
    const [essential, team] = [newId('sub'), newId('sub')]
    await deliver(invoiceEvent(payment, essential, newId('in'), people.clock.now() + 20 * DAY_MS))
    await people.clock.advance(60)
    const next = await chosen({ plan: 'team' }, buyer)
    stripe.failNext(400)
    const event = invoiceEvent(next.payment, team, newId('in'), people.clock.now() + 30 * DAY_MS)
    expect(await deliver(event)).toBe(503)
    // What was applied is logged, although Stripe is to send the event again.
    const ofEvent = logged.filter((line) => line.includes(`"${event.id}"`))
    expect(ofEvent.map((line) => JSON.parse(line).message)).toEqual(['a payment event was applied'])
    expect(await deliver(event)).toBe(200)
    expect(stripe.subscriptions.get(essential)?.status).toBe('canceled')
    expect(await creditsNow(buyer)).toMatchObject({ tier: 'team', balance: 250 + 3_000 + 15_000 })
    await deliver(invoiceEvent(payment, essential, newId('in'), people.clock.now() + 25 * DAY_MS))
    expect(await creditsNow(buyer)).toMatchObject({
      tier: 'team',
      plan: { name: 'team', renews: true },
    })
    expect(stripe.subscriptions.get(team)).toBeUndefined()
  })

  test('the first payment of somebody who came by a link rewards both, once, when its hold is over', async () => {
    const referrer = await people.person('Referrer')
    const code = (await referralOf(people.database, referrer.session.account.id))?.code
    const { buyer, payment } = await chosen({ plan: 'pro' }, await people.person('Guest', code))
    const subscription = newId('sub')
    for (const month of [1, 2]) {
      await deliver(
        invoiceEvent(payment, subscription, newId('in'), people.clock.now() + month * 30 * DAY_MS),
      )
    }
    expect((await creditsNow(referrer)).balance).toBe(250)
    // Both periods are over by then, and the trials.
    await people.clock.advance(120 * 86_400)
    await giveRewards(people.database, { holdDays: 120, perMonth: 20 })
    expect((await creditsNow(referrer)).balance).toBe(250)
    expect((await creditsNow(buyer)).balance).toBe(250)
  })
})

describe('events that are not to be believed', () => {
  test('signed by another, changed on the way, too old, or without a signature: refused, and nothing is given', async () => {
    const { buyer, payment } = await chosen({ topUp: 'large' })
    const event = checkoutEvent(payment)
    const [body, signature] = await signed(event)
    const forged = await signed(event, { secret: 'whsec_other' })
    const old = await signed(event, { timestamp: Math.floor(Date.now() / 1_000) - 3_600 })
    expect(await gateway.webhook(...forged)).toBe(400)
    expect(await gateway.webhook(...old)).toBe(400)
    expect(await gateway.webhook(body.replace('paid', 'Paid'), signature)).toBe(400)
    expect(await gateway.webhook(body, null)).toBe(400)
    expect(await gateway.webhook(body, '')).toBe(400)
    expect(await gateway.webhook('', signature)).toBe(400)
    expect((await creditsNow(buyer)).balance).toBe(250)
  })

  test('well signed but about nothing of ours: taken, and nothing happens', async () => {
    const events = [
      checkoutEvent(crypto.randomUUID()),
      checkoutEvent('no id'),
      eventOf('checkout.session.completed', {
        mode: 'payment',
        payment_status: 'paid',
        metadata: null,
      }),
      invoiceEvent(crypto.randomUUID(), newId('sub'), newId('in'), people.clock.now() + DAY_MS),
      eventOf('invoice.paid', { id: newId('in'), parent: null, lines: { data: [] } }),
      eventOf('charge.succeeded', {}),
    ]
    for (const event of events) expect(await deliver(event)).toBe(200)
  })

  test('the log names no key, no signature and no body', async () => {
    stripe.failNext(400)
    const { buyer } = await chosen({ plan: 'pro' })
    const { payment } = await chosen({ plan: 'pro' }, buyer)
    const subscription = newId('sub')
    stripe.failNext(400)
    await deliver(
      eventOf('customer.subscription.updated', { id: subscription, metadata: { payment } }),
    )
    expect(logged.length).toBeGreaterThan(0)
    const all = logged.join('\n')
    for (const secret of [SECRET_KEY, WEBHOOK_SECRET, payment, buyer.email])
      expect(all).not.toContain(secret)
  })
})
