/** Paid invoices that give a plan's credits, and until when, by the lines and reasons that Stripe's invoices have. */
import { describe, expect, test } from 'bun:test'
import { paymentDetails } from '../../../src/console/acts/payment-details.ts'
import { creditsOf } from '../../../src/money/accounts/credits.ts'
import { waitingEvents } from '../../../src/money/payments/payments.ts'
import { eventOf, invoiceEvent, invoiceOf, lineOf } from './fake-stripe.ts'
import { type Guest, sharedShop } from './shop.ts'

const DAY_MS = 86_400_000

const shop = sharedShop()

interface Subscriber {
  guest: Guest
  payment: string
  subscription: string
  /** When the month ends that is paid, to the second. */
  ends: number
}

/** Somebody whose first month of Essential is paid. */
async function subscriber(): Promise<Subscriber> {
  const guest = await shop.guest()
  const payment = await guest.choose({ plan: 'essential' })
  const subscription = `sub_${payment}`
  const ends = Math.floor(shop.clock.now() / 1_000) * 1_000 + 30 * DAY_MS
  const first = invoiceEvent(payment, subscription, `in_${payment}`, ends, {
    billing_reason: 'subscription_create',
  })
  expect(await shop.deliver(first)).toBe(200)
  expect(await creditsOn(guest)).toMatchObject({ balance: 3_250 })
  return { guest, payment, subscription, ends }
}

/** The balance, and when the plan ends without its day of grace. */
async function creditsOn({ account }: Guest) {
  const credits = await creditsOf(shop.database, account)
  const endsAt = credits?.plan?.endsAt
  return {
    balance: credits?.balance,
    plan: credits?.plan?.name,
    ends: endsAt === undefined ? undefined : Date.parse(endsAt ?? '') - DAY_MS,
  }
}

/** The invoice of the next month, or of whatever these lines and this reason say. */
const renewal = (
  { payment, subscription, ends }: Subscriber,
  changes: Parameters<typeof invoiceOf>[4] = {},
) => invoiceOf(payment, subscription, `in2_${payment}`, ends + 30 * DAY_MS, changes)

describe('a renewal is paid until the end of the subscription’s own month', () => {
  const before: [string, (by: Subscriber) => object][] = [
    [
      'a one-off item of the day',
      ({ subscription, ends }) =>
        lineOf(subscription, ends - 40 * DAY_MS, { parent: 'one-off item', days: 0 }),
    ],
    [
      'a one-off item of a year',
      ({ subscription, ends }) =>
        lineOf(subscription, ends + 365 * DAY_MS, { parent: 'one-off item', days: 365 }),
    ],
    [
      'a proration of an earlier period',
      ({ subscription, ends }) =>
        lineOf(subscription, ends - 40 * DAY_MS, { parent: 'proration', days: 10 }),
    ],
    [
      'a proration of a later period',
      ({ subscription, ends }) =>
        lineOf(subscription, ends + 59 * DAY_MS, { parent: 'proration', days: 29 }),
    ],
    [
      'an item that the subscription collects by the year',
      ({ subscription, ends }) => lineOf(subscription, ends + 365 * DAY_MS, { days: 365 }),
    ],
    [
      'an item that is collected afterwards',
      ({ subscription, ends }) => lineOf(subscription, ends, { days: 30 }),
    ],
    [
      'an item of another subscription',
      ({ ends }) => lineOf('sub_of_another', ends + 31 * DAY_MS, { days: 31 }),
    ],
    [
      'a line without a parent',
      ({ subscription, ends }) => ({
        ...lineOf(subscription, ends + 31 * DAY_MS, { days: 31 }),
        parent: null,
      }),
    ],
  ]

  test.each(before)('behind %s', async (_, line) => {
    const by = await subscriber()
    const own = lineOf(by.subscription, by.ends + 30 * DAY_MS)
    for (const [index, lines] of [
      [line(by), own],
      [own, line(by)],
    ].entries()) {
      const { id, ...invoice } = renewal(by, { lines })
      const event = eventOf('invoice.paid', { ...invoice, id: `${id}_${index}` })
      expect(await shop.deliver(event)).toBe(200)
      expect(await shop.endOf(event.id)).toMatchObject({ outcome: 'applied' })
      expect(await creditsOn(by.guest)).toMatchObject({
        balance: 3_250 + (index + 1) * 3_000,
        plan: 'essential',
        ends: by.ends + 30 * DAY_MS,
      })
    }
  })

  test.each([28, 31])('where the month has %i days', async (days) => {
    const by = await subscriber()
    const ends = by.ends + days * DAY_MS
    await shop.deliver(
      invoiceEvent(...argumentsOf(by), { lines: [lineOf(by.subscription, ends, { days })] }),
    )
    expect(await creditsOn(by.guest)).toMatchObject({ balance: 6_250, ends })
  })

  test('as lines were before 2025', async () => {
    const by = await subscriber()
    const { period } = lineOf(by.subscription, by.ends + 30 * DAY_MS)
    const later = { start: period.start + 60 * 86_400, end: period.end + 60 * 86_400 }
    const lines = [
      { id: 'il_a', type: 'invoiceitem', proration: false, period: later },
      { id: 'il_b', type: 'subscription', proration: true, period: later },
      { id: 'il_c', type: 'subscription', proration: false, period },
    ]
    await shop.deliver(invoiceEvent(...argumentsOf(by), { lines }))
    expect(await creditsOn(by.guest)).toMatchObject({
      balance: 6_250,
      ends: by.ends + 30 * DAY_MS,
    })
  })

  test('behind more lines than the event has: Stripe is asked for them, and asked again where it does not answer', async () => {
    const by = await subscriber()
    const lines = [
      ...Array.from({ length: 120 }, () =>
        lineOf(by.subscription, by.ends - 40 * DAY_MS, { parent: 'proration', days: 10 }),
      ),
      lineOf(by.subscription, by.ends + 30 * DAY_MS),
    ]
    shop.stripe.invoices.set(`in2_${by.payment}`, renewal(by, { lines }))
    const event = invoiceEvent(...argumentsOf(by), { lines })
    shop.stripe.failNext(402)
    expect(await shop.deliver(event)).toBe(503)
    expect(await shop.endOf(event.id)).toBeUndefined()
    expect(await shop.deliver(event)).toBe(200)
    expect(await creditsOn(by.guest)).toMatchObject({
      balance: 6_250,
      ends: by.ends + 30 * DAY_MS,
    })
  })

  test.each([
    ['no line', () => []],
    [
      'a proration alone',
      ({ subscription, ends }: Subscriber) => [
        lineOf(subscription, ends + 30 * DAY_MS, { parent: 'proration' }),
      ],
    ],
    [
      'a year alone',
      ({ subscription, ends }: Subscriber) => [
        lineOf(subscription, ends + 365 * DAY_MS, { days: 365 }),
      ],
    ],
  ])('and one with %s waits for the operator', async (_, linesFor) => {
    const by = await subscriber()
    await expectsToWait(by, invoiceEvent(...argumentsOf(by), { lines: linesFor(by) }))
  })
})

const argumentsOf = ({ payment, subscription, ends }: Subscriber) =>
  [payment, subscription, `in2_${payment}`, ends + 30 * DAY_MS] as const

/** Delivers an event that gives nothing, and says so where operators look. */
async function expectsToWait({ guest, payment }: Subscriber, event: { id: string }) {
  const before = await creditsOn(guest)
  expect([await shop.deliver(event), await shop.deliver(event)]).toEqual([200, 200])
  expect(await creditsOn(guest)).toEqual(before)
  const reason = expect.stringContaining(`in2_${payment}`)
  expect(await waitingEvents(shop.database)).toContainEqual(
    expect.objectContaining({ id: event.id, reason }),
  )
  const details = await paymentDetails(shop.database, payment)
  expect(details?.events).toContainEqual(
    expect.objectContaining({ id: event.id, outcome: 'waiting', reason }),
  )
  const [warned] = shop.logged.filter((line) => line.includes(`"${event.id}"`))
  expect(JSON.parse(warned ?? '{}')).toMatchObject({ level: 'warn', reason })
}

test.each([
  'subscription_update',
  'manual',
  'subscription_threshold',
  'subscription',
  'automatic_pending_invoice_item_invoice',
  'quote_accept',
  'a_reason_of_tomorrow',
  null,
])(
  'an invoice of the reason %p gives nothing by itself, waits for the operator, and says so',
  async (billing_reason) => {
    const by = await subscriber()
    await expectsToWait(by, invoiceEvent(...argumentsOf(by), { billing_reason }))
  },
)

test('an order whose only paid invoice was made by hand stays open', async () => {
  const guest = await shop.guest()
  const payment = await guest.choose({ plan: 'essential' })
  const ends = shop.clock.now() + 30 * DAY_MS
  const made = { billing_reason: 'manual' }
  await shop.deliver(invoiceEvent(payment, `sub_${payment}`, `in_${payment}`, ends, made))
  expect(await paymentDetails(shop.database, payment)).toMatchObject({
    state: 'open',
    reference: null,
  })
  expect(await creditsOn(guest)).toMatchObject({ balance: 0, plan: undefined })
})
