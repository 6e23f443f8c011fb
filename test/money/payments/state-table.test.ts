/**
 * The table of `src/money/payments/README.md`: in each state of an order each event is delivered, and what it leads to is what
 * the table says. A failing test shows the row as it is.
 */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '../../helpers/command.ts'
import { type Charge, checkoutEvent, claimEvent, eventOf, invoiceEvent } from './fake-stripe.ts'
import { type Guest, sharedShop } from './shop.ts'

const DAY_MS = 86_400_000

const shop = sharedShop()

/** An order, and what Stripe has collected for it. */
interface Order {
  guest: Guest
  payment: string
  charge: Charge
}

const half = ({ amount }: Charge) => amount / 2
const dispute = (charge: Charge, status: string) => {
  charge.disputes = [{ id: `dp_${charge.id}`, amount: charge.amount, currency: 'usd', status }]
}
const refund = (charge: Charge, amount: number, status: string) => {
  charge.refunds = [{ id: `re_${charge.id}`, amount, status }]
}

/** Events of refunds and disputes: what has happened at Stripe, and the type that tells it. */
const CLAIMS: Record<string, (order: Order) => object> = {
  'half refunded': ({ charge }) => {
    refund(charge, half(charge), 'succeeded')
    return claimEvent(charge, 'charge.refunded')
  },
  refunded: ({ charge }) => {
    refund(charge, charge.amount, 'succeeded')
    return claimEvent(charge, 'charge.refunded')
  },
  'refund failed': ({ charge }) => {
    refund(charge, charge.amount, 'failed')
    return claimEvent(charge, 'refund.failed')
  },
  inquiry: ({ charge }) => {
    dispute(charge, 'warning_needs_response')
    return claimEvent(charge, 'charge.dispute.created')
  },
  disputed: ({ charge }) => {
    dispute(charge, 'needs_response')
    return claimEvent(charge, 'charge.dispute.funds_withdrawn')
  },
  'dispute lost': ({ charge }) => {
    dispute(charge, 'lost')
    return claimEvent(charge, 'charge.dispute.closed')
  },
  'dispute won': ({ charge }) => {
    dispute(charge, 'won')
    return claimEvent(charge, 'charge.dispute.funds_reinstated')
  },
}

const periodEvent = (
  { payment, charge }: Order,
  ends = shop.clock.now() + 30 * DAY_MS,
  billing_reason = 'subscription_cycle',
) => invoiceEvent(payment, `sub_${payment}`, charge.invoice ?? '', ends, { billing_reason })

const TOP_UP_EVENTS: Record<string, (order: Order) => object> = {
  paid: ({ payment, charge }) => checkoutEvent(payment, { payment_intent: charge.intent }),
  'paid a second time': ({ payment, charge }) =>
    checkoutEvent(payment, { payment_intent: `${charge.intent}_2` }),
  'not paid yet': ({ payment }) => checkoutEvent(payment, { payment_status: 'unpaid' }),
  'Checkout ended': ({ payment }) => checkoutEvent(payment, {}, 'checkout.session.expired'),
  ...CLAIMS,
}

const PLAN_EVENTS: Record<string, (order: Order) => object> = {
  paid: (order) => periodEvent(order),
  'paid, next period': ({ charge, ...order }) =>
    periodEvent(
      { ...order, charge: { ...charge, invoice: `${charge.invoice}_2` } },
      shop.clock.now() + 60 * DAY_MS,
    ),
  'paid, period over': (order) => periodEvent(order, shop.clock.now() - 2 * DAY_MS),
  'paid, by hand': (order) => periodEvent(order, undefined, 'manual'),
  'Checkout ended': ({ payment }) =>
    checkoutEvent(payment, { mode: 'subscription' }, 'checkout.session.expired'),
  'subscription ended': ({ payment }) => {
    const id = `sub_${payment}`
    const metadata = { payment }
    shop.stripe.subscriptions.set(id, { status: 'canceled', cancel_at_period_end: false, metadata })
    return eventOf('customer.subscription.deleted', { id })
  },
  ...CLAIMS,
}

/** How an order comes into each state: by these events, after it was withdrawn or not. */
const STATES: Record<string, readonly string[]> = {
  unknown: [],
  open: [],
  refused: [],
  accepted: ['paid'],
  'half paid back': ['paid', 'half refunded'],
  'paid back': ['paid', 'refunded'],
  'in dispute': ['paid', 'disputed'],
}

async function orderIn(state: string, kind: 'plan' | 'topup'): Promise<Order> {
  const guest = await shop.guest()
  const payment =
    state === 'unknown'
      ? crypto.randomUUID()
      : await guest.choose(kind === 'plan' ? { plan: 'essential' } : { topUp: 'small' })
  if (state === 'refused') await guest.withdraw(payment)
  const invoice = kind === 'plan' ? { invoice: `in_${payment}` } : {}
  return { guest, payment, charge: shop.stripe.collect(payment, invoice) }
}

/** The order's state, its credits, what its referral gives to both sides, and the account's plan. */
async function outcomeOf({ guest, payment }: Order) {
  const [row] = await shop.sql`
    select (select state || case when reversed = charged then ', paid back'
                                 when reversed > 0 then ', half paid back' else '' end
              from payments where id = ${payment}) as state,
           (select coalesce(sum(remaining), 0)::integer from credit_grants
             where account_id = ${guest.account} and source <> 'referral') as credits,
           (select coalesce(sum(remaining), 0)::integer from credit_grants
             where account_id in (${guest.account}, ${guest.referrer}) and source = 'referral') as reward,
           (select plan from accounts where id = ${guest.account}) as plan`
  return row!
}

async function rowOf(kind: 'plan' | 'topup', state: string, event: string): Promise<string> {
  const events = kind === 'plan' ? PLAN_EVENTS : TOP_UP_EVENTS
  const order = await orderIn(state, kind)
  const make = (name: string) => events[name]?.(order) as { id: string }
  for (const before of STATES[state] ?? []) expect(await shop.deliver(make(before))).toBe(200)
  const told = make(event)
  // Twice: a repeat changes nothing.
  expect([await shop.deliver(told), await shop.deliver(told)]).toEqual([200, 200])
  const after = await outcomeOf(order)
  const end = await shop.endOf(told.id)
  const cells = [
    ...[state, event, after.state ?? 'unknown', after.credits, after.reward],
    ...(kind === 'plan' ? [after.plan ?? '–'] : []),
    end?.alert ? `**${end.outcome}**` : end?.outcome,
    end?.reason?.replace(order.charge.invoice ?? 'ID', 'ID'),
  ]
  return `| ${cells.join(' | ')} |`
}

const README = readFileSync(join(PROJECT_ROOT, 'src/money/payments/README.md'), 'utf8')

describe.each([
  ['topup', 'Top-ups', TOP_UP_EVENTS],
  ['plan', 'Plans', PLAN_EVENTS],
] as const)('%s, as the table under “%s” says', (kind, title, events) => {
  const [, table = ''] = new RegExp(`## ${title}\\n([\\s\\S]*?)(?=\\n## |$)`).exec(README) ?? []
  // A row may name several events that end alike.
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .flatMap((line) => {
      const [state, together = '', ...rest] = line.split(' | ')
      return together.split(' / ').map((event) => [state, event, ...rest].join(' | '))
    })

  test('it has a row for each event in each state', () => {
    expect(rows).toHaveLength(Object.keys(STATES).length * Object.keys(events).length)
  })

  test.each(Object.keys(STATES))('an order that is %s', async (state) => {
    const said = rows.filter((row) => row.startsWith(`| ${state} |`)).sort()
    const found = await Promise.all(Object.keys(events).map((event) => rowOf(kind, state, event)))
    expect(said).toEqual(found.sort())
  })
})
