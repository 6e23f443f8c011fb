/** A plan that an operator ends is collected for no more: Stripe is asked first, and what it doesn't say is not claimed. */
import { describe, expect, test } from 'bun:test'
import { stopPlan } from '../../../src/console/acts/accounts.ts'
import { readAuditLog } from '../../../src/console/acts/audit-log.ts'
import { silentLog } from '../../../src/log.ts'
import { showAccount } from '../../../src/money/accounts/accounts.ts'
import { creditsOf } from '../../../src/money/accounts/credits.ts'
import { createPaymentGateway } from '../../../src/money/payments/gateway.ts'
import { does } from '../../console/doing.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { invoiceEvent } from './fake-stripe.ts'
import { type Guest, sharedShop } from './shop.ts'

const MONTH_MS = 30 * 86_400_000

const shop = sharedShop()

const end = ({ account }: Guest, atEnd: boolean, gateway = shop.gateway) =>
  does({ database: shop.database, gateway: () => gateway }, stopPlan, account, { atEnd })
const planOf = async ({ account }: Guest) => (await creditsOf(shop.database, account))?.plan ?? null
const linesOf = async ({ account }: Guest) =>
  (await readAuditLog(shop.database, { account, limit: 9 })).map(({ act }) => act)

/** Somebody for whose plan Stripe collects. */
async function subscriber(): Promise<{ guest: Guest; subscription: string }> {
  const guest = await shop.guest()
  const payment = await guest.choose({ plan: 'essential' })
  const subscription = `sub_${payment}`
  shop.stripe.subscriptions.set(subscription, {
    status: 'active',
    cancel_at_period_end: false,
    metadata: { payment },
  })
  const [{ now } = {}] = await shop.sql<{ now: Date }[]>`select meter_now() as now`
  await shop.deliver(invoiceEvent(payment, subscription, `in_${payment}`, Number(now) + MONTH_MS))
  return { guest, subscription }
}

describe('a plan that an operator ends', () => {
  test('now is over here and at Stripe, once', async () => {
    const { guest, subscription } = await subscriber()
    expect(await showAccount(shop.database, guest.account)).toMatchObject({ planRenews: true })
    const ends = await Promise.all([end(guest, false), end(guest, false)])
    expect(ends.filter((each) => each?.isStopped)).toHaveLength(1)
    expect(shop.stripe.subscriptions.get(subscription)?.status).toBe('canceled')
    expect(await planOf(guest)).toBeNull()
    expect(await linesOf(guest)).toEqual(['plan.stop'])
    expect(await end(guest, false)).toBeUndefined()
  })

  test('with its period is collected for no more, and lasts until then', async () => {
    const { guest, subscription } = await subscriber()
    expect(await end(guest, true)).toMatchObject({ isStopped: true, ended: [subscription] })
    expect(shop.stripe.subscriptions.get(subscription)).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
    })
    expect(await planOf(guest)).toMatchObject({ name: 'essential', renews: false })
  })

  test.each(['failNext', 'loseNext'] as const)(
    'goes on where Stripe does not say that it ends (%s), and ends when it is asked again',
    async (how) => {
      const { guest, subscription } = await subscriber()
      if (how === 'failNext') shop.stripe.failNext(500)
      else shop.stripe.loseNext()
      await expectRejection(
        end(guest, false),
        `because Stripe did not say that it ends ${subscription}`,
      )
      expect(await planOf(guest)).toMatchObject({ name: 'essential' })
      expect(await linesOf(guest)).toEqual([])
      expect(await end(guest, false)).toMatchObject({ isStopped: true, left: null })
      expect(shop.stripe.subscriptions.get(subscription)?.status).toBe('canceled')
      expect(await planOf(guest)).toBeNull()
    },
  )

  test('ends here where Stripe is not set up any more, and says that it may collect on', async () => {
    const { guest, subscription } = await subscriber()
    const manual = createPaymentGateway(shop.database, undefined, silentLog)
    const ended = await end(guest, false, manual)
    expect(ended).toMatchObject({ isStopped: true, left: { subscriptions: [subscription] } })
    expect(ended?.warning).toContain('Stripe may collect on')
    expect(await planOf(guest)).toBeNull()
    // Its subscription can be ended still, once Stripe is set up.
    expect(await end(guest, false)).toMatchObject({ isStopped: false, ended: [subscription] })
  })
})

test('a subscription that ended at Stripe, of which no event came, holds up neither its owner nor the next plan’s event', async () => {
  const { guest, subscription } = await subscriber()
  shop.stripe.subscriptions.get(subscription)!.status = 'canceled'
  await shop.clock.advance(60)
  const next = await guest.choose({ plan: 'team' })
  const [{ now } = {}] = await shop.sql<{ now: Date }[]>`select meter_now() as now`
  const event = invoiceEvent(next, `sub_${next}`, `in_${next}`, Number(now) + MONTH_MS)
  expect(await shop.deliver(event)).toBe(200)
  shop.stripe.subscriptions.set(`sub_${next}`, {
    status: 'canceled',
    cancel_at_period_end: false,
    metadata: { payment: next },
  })
  expect(await shop.gateway.cancelPlan(guest.payer)).toBe('cancelled')
  expect(await planOf(guest)).toMatchObject({ name: 'team', renews: false })
})
