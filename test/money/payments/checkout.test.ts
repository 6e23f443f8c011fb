/** One Checkout for an account, and orders that are withdrawn. */
import { describe, expect, test } from 'bun:test'
import { silentLog } from '../../../src/log.ts'
import { createPaymentGateway, type Payer } from '../../../src/money/payments/gateway.ts'
import { type Choice, paymentsOf } from '../../../src/money/payments/payments.ts'
import { checkoutEvent } from './fake-stripe.ts'
import { type Guest, sharedShop } from './shop.ts'

const shop = sharedShop()

const choose = (payer: Payer, choice: Choice, key: string = crypto.randomUUID()) =>
  shop.gateway.checkout(payer, choice, key)
/** The account's orders, oldest first, as state and who refused it. */
const ordersOf = async ({ account }: Guest) =>
  (await paymentsOf(shop.database, account))
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt))
    .map(({ state, refusedBy }) => [state, refusedBy])
const openSessionsOf = async ({ account }: Guest) => {
  const rows = await shop.sql`select id from payments where account_id = ${account}`
  const ids = new Set(rows.map(({ id }) => id))
  return [...shop.stripe.sessions.values()].filter(
    ({ payment, status }) => ids.has(payment) && status === 'open',
  )
}
const creditsOf = async ({ account }: Guest) => {
  const [row] = await shop.sql`select balance::integer from accounts where id = ${account}`
  return row?.balance
}

describe('choosing again', () => {
  test('leads to one Checkout: the one before is expired, and its order withdrawn', async () => {
    const guest = await shop.guest()
    for (const choice of [{ topUp: 'small' }, { topUp: 'small' }, { plan: 'pro' }] as const) {
      await guest.choose(choice)
      await shop.clock.advance(1)
    }
    expect(await ordersOf(guest)).toEqual([
      ['refused', 'choice'],
      ['refused', 'choice'],
      ['open', null],
    ])
    expect(await openSessionsOf(guest)).toHaveLength(1)
  })

  test('eight times at once leaves one Checkout', async () => {
    const guest = await shop.guest()
    const chosen = await Promise.all(
      Array.from({ length: 8 }, () => choose(guest.payer, { topUp: 'small' })),
    )
    expect(new Set(chosen.map(({ outcome }) => outcome))).toEqual(new Set(['redirect']))
    expect(await openSessionsOf(guest)).toHaveLength(1)
    const states = await ordersOf(guest)
    expect(states.filter(([state]) => state === 'open')).toHaveLength(1)
  })

  test('with the same form leads to the same Checkout, and to none once its order is decided', async () => {
    const guest = await shop.guest()
    const key = crypto.randomUUID()
    const again = () => choose(guest.payer, { topUp: 'small' }, key)
    const answers = await Promise.all([again(), again(), again()])
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['redirect']))
    expect(await openSessionsOf(guest)).toHaveLength(1)
    const [session] = await openSessionsOf(guest)
    await shop.deliver(checkoutEvent(session?.payment ?? ''))
    expect(await again()).toEqual({ outcome: 'decided' })
    expect(await creditsOf(guest)).toBe(500 + 250)
  })

  test('with the form whose Checkout could not begin begins another', async () => {
    const guest = await shop.guest()
    const key = crypto.randomUUID()
    shop.stripe.failNext(402)
    expect(await choose(guest.payer, { topUp: 'small' }, key)).toEqual({ outcome: 'unavailable' })
    expect(await choose(guest.payer, { topUp: 'small' }, key)).toMatchObject({
      outcome: 'redirect',
    })
    expect((await ordersOf(guest)).map(([state]) => state).sort()).toEqual(['open', 'refused'])
  })

  test('leaves a Checkout alone that is completed; both orders that are paid get their credits', async () => {
    const guest = await shop.guest()
    const first = await guest.choose({ topUp: 'small' })
    const [session] = await openSessionsOf(guest)
    session!.status = 'complete'
    const second =
      (await choose(guest.payer, { topUp: 'medium' })) && (await openSessionsOf(guest))[0]
    for (const payment of [first, second?.payment ?? '']) await shop.deliver(checkoutEvent(payment))
    expect(await creditsOf(guest)).toBe(500 + 2_500 + 250)
  })
})

describe('withdrawing an order', () => {
  test('expires its Checkout; only the owner can, and only while it is open', async () => {
    const guest = await shop.guest()
    const stranger = await shop.guest()
    const payment = await guest.choose({ plan: 'pro' })
    const { payer } = guest
    expect(await shop.gateway.withdraw({ ...payer, role: 'member' }, payment)).toBe('not open')
    expect(await stranger.withdraw(payment)).toBe('not open')
    expect(await guest.withdraw('x')).toBe('not open')
    expect(await guest.withdraw(payment)).toBe('withdrawn')
    expect(await openSessionsOf(guest)).toEqual([])
    expect(await ordersOf(guest)).toEqual([['refused', 'owner']])
    expect(await guest.withdraw(payment)).toBe('not open')
  })

  test('is refused once the Checkout is completed, and where Stripe does not answer nothing is withdrawn', async () => {
    const guest = await shop.guest()
    const payment = await guest.choose({ topUp: 'small' })
    shop.stripe.failNext(402)
    expect(await guest.withdraw(payment)).toBe('unavailable')
    const [session] = await openSessionsOf(guest)
    session!.status = 'complete'
    expect(await guest.withdraw(payment)).toBe('paid')
    expect(await ordersOf(guest)).toEqual([['open', null]])
  })

  test('that was paid a moment before keeps nobody’s money: its credits are given, with a warning', async () => {
    const guest = await shop.guest()
    const payment = await guest.choose({ topUp: 'small' })
    await guest.withdraw(payment)
    const event = checkoutEvent(payment)
    expect(await shop.deliver(event)).toBe(200)
    expect(await creditsOf(guest)).toBe(500 + 250)
    expect(await ordersOf(guest)).toEqual([['accepted', null]])
    expect(await shop.endOf(event.id)).toMatchObject({ outcome: 'applied', alert: true })
    const line = shop.logged.find((each) => each.includes(`"${event.id}"`))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 'warn' })
    expect(line).toContain('it was paid after it was refused')
  })

  test('works where the operator collects', async () => {
    const gateway = createPaymentGateway(shop.database, undefined, silentLog)
    const { payer } = await shop.guest()
    const chosen = await gateway.checkout(payer, { topUp: 'small' })
    const id = chosen.outcome === 'requested' ? chosen.id : ''
    expect(await gateway.withdraw(payer, id)).toBe('withdrawn')
    expect(await gateway.withdraw(payer, id)).toBe('not open')
  })
})
