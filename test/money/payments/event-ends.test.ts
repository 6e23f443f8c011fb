/** How events end that are no orders' business, or no events. The others are in the table of `src/money/payments/README.md`. */
import { describe, expect, test } from 'bun:test'
import { setTimeout } from 'node:timers/promises'
import { dismissEvent } from '../../../src/console/acts/payments.ts'
import { perform } from '../../../src/console/acts/perform.ts'
import { clean } from '../../../src/money/charge/housekeeping.ts'
import { waitingEvents } from '../../../src/money/payments/payments.ts'
import { accepted } from './accepted.ts'
import { checkoutEvent, claimEvent, eventOf, invoiceEvent, signed } from './fake-stripe.ts'
import { REWARD, sharedShop } from './shop.ts'

const shop = sharedShop()

describe('a signed body', () => {
  const object = { object: 'charge', id: 'ch_1' }
  test.each([
    ['a number', 7],
    ['null', null],
    ['a list', [1, 2]],
    ['nothing', {}],
    ['an event without an id', { type: 'charge.refunded', data: { object } }],
    ['an id that is no text', { id: 7, type: 'charge.refunded', data: { object } }],
    ['an id with a NUL', { id: 'evt_\0', type: 'charge.refunded', data: { object } }],
    ['an id without an end', { id: 'e'.repeat(10_000), type: 'charge.refunded', data: { object } }],
    ['an event about nothing', { id: 'evt_x1', type: 'charge.refunded', data: {} }],
    ['a refund of no charge', eventOf('charge.refunded', {})],
    ['an invoice without lines', eventOf('invoice.paid', { id: 'in_1', parent: null })],
    ['a period that ends never', invoiceEvent('x', 'sub_1', 'in_1', 1e300)],
    ['a subscription without an id', eventOf('customer.subscription.updated', { metadata: {} })],
    ['metadata that is no text', checkoutEvent('', { metadata: { payment: 7 } })],
  ])('that is %p is a 400, and nothing is noted', async (_, body) => {
    const [before] = await shop.sql`select count(*) from payment_events`
    expect(await shop.deliver(body as object)).toBe(400)
    const [after] = await shop.sql`select count(*) from payment_events`
    expect(after).toEqual(before)
  })

  test('of a type that we don’t know is noted as ignored', async () => {
    const event = eventOf('some.new.type', { anything: [1] })
    expect(await shop.deliver(event)).toBe(200)
    expect(await shop.endOf(event.id)).toEqual({
      outcome: 'ignored',
      reason: 'events of this type change nothing',
      alert: false,
    })
  })
})

describe('what waits', () => {
  test('is listed for the operator with what to do, warned of, and gone once it is dismissed', async () => {
    const event = checkoutEvent(crypto.randomUUID())
    expect(await shop.deliver(event)).toBe(200)
    const waiting = await waitingEvents(shop.database)
    expect(waiting).toContainEqual(
      expect.objectContaining({ id: event.id, reason: expect.stringContaining('refund it') }),
    )
    const warned = shop.logged.filter((line) => line.includes(`"${event.id}"`))
    expect(warned.map((line) => JSON.parse(line).level)).toEqual(['warn'])
    // Repeated, it is neither listed nor warned of a second time.
    expect(await shop.deliver(event)).toBe(200)
    expect(shop.logged.filter((line) => line.includes(`"${event.id}"`))).toHaveLength(1)
    const by = { via: 'command', userId: null, who: 'olga', address: null } as const
    expect(await perform(shop.database, by, dismissEvent, event.id)).toBe(true)
    expect(await perform(shop.database, by, dismissEvent, event.id)).toBeUndefined()
    expect((await waitingEvents(shop.database)).map(({ id }) => id)).not.toContain(event.id)
  })

  test('is kept until it is dismissed, however old; others are kept for 90 days', async () => {
    const [paid, ignored] = [checkoutEvent(crypto.randomUUID()), eventOf('some.type', {})]
    for (const event of [paid, ignored]) await shop.deliver(event)
    await shop.sql`update payment_events set at = at - interval '91 days'`
    await clean(shop.database)
    expect(await shop.endOf(paid.id)).toMatchObject({ outcome: 'waiting' })
    expect(await shop.endOf(ignored.id)).toBeUndefined()
  })

  test.each([
    [
      'an event of an old API version',
      () => eventOf('invoice.paid', { id: 'in_old', lines: { data: [] } }),
      'old API version',
    ],
    [
      'an invoice that names no period',
      () => invoiceEvent(crypto.randomUUID(), 'sub_1', 'in_none', 0, { lines: [] }),
      'names no period',
    ],
  ])('%s', async (_, make, said) => {
    const event = make()
    expect(await shop.deliver(event)).toBe(200)
    expect(await shop.endOf(event.id)).toMatchObject({
      outcome: 'waiting',
      reason: expect.stringContaining(said),
    })
  })

  test('a dispute in a state that is not known here', async () => {
    const guest = await shop.guest()
    const charge = shop.stripe.collect(await guest.choose({ topUp: 'small' }))
    charge.disputes.push({ id: 'dp_new', amount: 1, currency: 'usd', status: 'brand_new' })
    const event = claimEvent(charge)
    expect(await shop.deliver(event)).toBe(200)
    expect(await shop.endOf(event.id)).toMatchObject({
      outcome: 'waiting',
      reason: expect.stringContaining('brand_new'),
    })
  })
})

test('claims on charges that are none of ours are ignored; where Stripe does not answer, the event is sent again', async () => {
  const guest = await shop.guest()
  const payment = await guest.choose({ topUp: 'small' })
  const charge = shop.stripe.collect(payment)
  await shop.deliver(checkoutEvent(payment, { payment_intent: charge.intent }))
  const event = claimEvent(charge)
  shop.stripe.failNext(402)
  expect(await shop.deliver(event)).toBe(503)
  expect(await shop.endOf(event.id)).toBeUndefined()
  expect(await shop.deliver(event)).toBe(200)

  const foreign = claimEvent(shop.stripe.collect('not one of ours'))
  expect(await shop.deliver(foreign)).toBe(200)
  expect(await shop.endOf(foreign.id)).toMatchObject({ outcome: 'ignored' })
})

describe('an order that the operator accepted by hand, and that Stripe says is paid', () => {
  test.each([
    ['a top-up', { topUp: 'small' }, 500],
    ['a plan', { plan: 'essential' }, 3_000],
  ] as const)('waits, and gives nothing twice: %s', async (_, choice, credits) => {
    const guest = await shop.guest()
    const payment = await guest.choose(choice)
    await accepted(shop.database, payment, { referralCredits: REWARD })
    const isPlan = 'plan' in choice
    const charge = shop.stripe.collect(payment, isPlan ? { invoice: `in_${payment}` } : {})
    const event = isPlan
      ? invoiceEvent(payment, `sub_${payment}`, `in_${payment}`, shop.clock.now() + 30 * 86_400_000)
      : checkoutEvent(payment, { payment_intent: charge.intent })
    expect(await shop.deliver(event)).toBe(200)
    expect(await shop.endOf(event.id)).toMatchObject({
      outcome: 'waiting',
      reason: expect.stringContaining('by hand'),
    })
    const balance = async () => {
      const [row] =
        await shop.sql`select balance::integer from accounts where id = ${guest.account}`
      return row?.balance
    }
    expect(await balance()).toBe(credits + REWARD)
    charge.refunds.push({ id: `re_${payment}`, amount: charge.amount, status: 'succeeded' })
    await shop.deliver(claimEvent(charge))
    expect(await balance()).toBe(0)
  })
})

test('a reward and a claim on the payment that earned it, at once, do not wait for each other', async () => {
  const guest = await shop.guest()
  const payment = await guest.choose({ topUp: 'small' })
  const { sql, gateway } = shop
  const paid = checkoutEvent(payment, { payment_intent: `pi_${payment}` })
  expect(await gateway.webhook(...(await signed(paid)))).toBe(200)
  const waiters = async (count: number) => {
    for (;;) {
      const [row] = await sql`
        select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      if (row?.count === count) return
      await setTimeout(5)
    }
  }
  const ends: Promise<unknown>[] = []
  await sql.begin(async (holder) => {
    await holder`select from accounts where id = ${guest.account} for update`
    ends.push(sql`select referral_reward_next('0', 20)`.execute())
    await waiters(1)
    const claims = JSON.stringify([{ id: `re_${payment}`, amount: 1_000, stage: 1 }])
    ends.push(
      sql`select payment_event_claims(${`evt_${payment}`}, 'charge.refunded', ${payment}, ${`pi_${payment}`}, 1000,
            ${claims}::text::json, '{}')`.execute(),
    )
    // The claim has locked the payment, and waits for the account behind the reward.
    await waiters(2)
  })
  expect((await Promise.allSettled(ends)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
  ])
})
