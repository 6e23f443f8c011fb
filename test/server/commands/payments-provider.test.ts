/** The operator's commands that ask Stripe, each a process on a real PostgreSQL, beside the Stripe of the tests. */
import { expect, test } from 'bun:test'
import { openPayment } from '../../../src/money/payments/payments.ts'
import { shared } from '../../helpers/shared.ts'
import { SECRET_KEY, startFakeStripe, WEBHOOK_SECRET } from '../../money/payments/fake-stripe.ts'
import { sharedPeople } from '../../people/users/fixtures.ts'
import { commandsIn } from './cli.ts'

const people = sharedPeople()
const stripe = shared(startFakeStripe, ({ stop }) => stop())
const { done, refused } = commandsIn(() => ({
  DATABASE_URL: people.url,
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: SECRET_KEY,
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  STRIPE_URL: stripe.url,
}))

test('payments check tells what differs at Stripe, and payments take-over applies it, once', async () => {
  const { session } = await people.person('Payer')
  const payment = (await openPayment(people.database, session.account.id, session.user.id, {
    topUp: 'small',
  })) as string
  const id = `cs_${payment}`
  await people.sql`update payments set checkout = ${id} where id = ${payment}`
  stripe.sessions.set(id, {
    id,
    payment,
    mode: 'payment',
    status: 'complete',
    idempotencyKey: '',
  })
  stripe.collect(payment, { amount: 1_000 })
  const difference = { payment, here: 'it waits', there: 'it is paid', canTakeOver: true }
  expect(await done('payments', 'check')).toMatchObject({
    differences: [difference],
    asked: 1,
    hasMore: false,
    failure: null,
  })
  expect(await done('payments', 'take-over', payment)).toEqual({
    taken: ['applied: 500 credits were given'],
    failure: null,
  })
  expect(await done('payments', 'check', payment)).toMatchObject({ differences: [], asked: 1 })
  expect(await done('payments', 'take-over', payment)).toEqual({ taken: [], failure: null })
  const nobody = crypto.randomUUID()
  expect(await refused('payments', 'take-over', nobody)).toBe(`there is no payment ${nobody}`)
  expect(await done('account', 'show', session.account.id)).toMatchObject({
    creditsBalance: 250 + 500,
  })
})

test('plan stop ends the subscription at Stripe, and where Stripe does not say so nothing is ended', async () => {
  const { session } = await people.person('Subscriber')
  const account = session.account.id
  await done('plan', 'start', account, 'pro')
  await people.sql`
    insert into subscriptions (id, account_id, plan, started_at) values ('sub_ended', ${account}, 'pro', meter_now())`
  stripe.failNext(500)
  expect(await refused('plan', 'stop', account)).toContain(
    'Stripe did not say that it ends sub_ended',
  )
  expect(await done('account', 'show', account)).toMatchObject({ plan: 'pro', planRenews: true })
  expect(await done('plan', 'stop', account)).toMatchObject({
    plan: null,
    subscriptionsEnded: ['sub_ended'],
    warning: null,
  })
  expect(stripe.subscriptions.get('sub_ended')?.status).toBe('canceled')
})
