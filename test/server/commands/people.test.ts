/** The operator's commands for people and payments, each a process on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { openPayment } from '../../../src/money/payments/payments.ts'
import { PASSWORD, requestWith, sharedPeople, signedIn } from '../../people/users/fixtures.ts'
import { commandsIn } from './cli.ts'

const people = sharedPeople()
const { chainkin, done, refused } = commandsIn(() => ({
  DATABASE_URL: people.url,
  APP_URL: 'https://app.example',
  REFERRAL_CREDITS: '10',
}))

test.concurrent('user list names everybody, and no password', async () => {
  const { email, session } = await people.person('Listed')
  const { users } = await done('user', 'list')
  expect(users.find(({ id }: { id: string }) => id === session.user.id)).toEqual({
    id: session.user.id,
    email,
    name: 'Listed',
    emailVerifiedAt: null,
    operatorSince: null,
    createdAt: new Date(people.clock.now()).toISOString(),
  })
})

test.concurrent('user reset gives a link that sets a new password once, without mail', async () => {
  const { email, cookie } = await people.person()
  const { link } = await done('user', 'reset', email.toUpperCase())
  expect(link).toStartWith('https://app.example/reset?token=')
  const form = { token: new URL(link).searchParams.get('token') ?? '', password: `${PASSWORD} too` }
  expect(await people.unmailed.resetPassword(form, people.newAddress())).toMatchObject({
    outcome: 'changed',
  })
  expect(await people.unmailed.resetPassword(form, people.newAddress())).toEqual({
    outcome: 'used',
  })
  expect(await people.unmailed.session(requestWith(cookie))).toBeUndefined()
  await signedIn(people.unmailed, email, form.password, people.newAddress())
})

test.concurrent('user verify lets somebody in whom no mail has reached', async () => {
  const form = { name: 'Far', email: 'far@example.com', password: PASSWORD }
  await people.mailed.signUp(form, people.newAddress())
  expect(await people.mailed.signIn(form, requestWith(), people.newAddress())).toEqual({
    outcome: 'unverified',
  })
  expect(await done('user', 'verify', form.email)).toMatchObject({
    email: form.email,
    verified: true,
  })
  await signedIn(people.mailed, form.email, PASSWORD, people.newAddress())
})

test.concurrent('user factor turns two-step sign-in off for somebody who has lost app and codes', async () => {
  const { email, session } = await people.person('Lost')
  const { id } = session.user
  expect(await done('user', 'factor', email)).toEqual({ id, email, on: false })
  await people.sql`
    insert into second_factors (user_id, secret, session_id, begun_at, on_since)
    values (${id}, 'JBSWY3DPEHPK3PXP', ${session.id}, meter_now(), meter_now())`
  const form = { email, password: PASSWORD }
  expect(await people.unmailed.signIn(form, requestWith(), people.newAddress())).toMatchObject({
    outcome: 'code',
  })
  const onSince = new Date(people.clock.now()).toISOString()
  expect(await done('user', 'factor', email)).toEqual({
    id,
    email,
    on: true,
    onSince,
    recoveryCodesLeft: 0,
  })
  expect(await done('user', 'factor', email, '--off')).toEqual({
    id,
    email,
    on: false,
    wasOn: true,
  })
  await signedIn(people.unmailed, email, PASSWORD, people.newAddress())
})

test.concurrent('nobody’s address is refused, and what is none is wrong usage', async () => {
  expect(await refused('user', 'reset', 'stranger@example.com')).toContain('nobody has signed up')
  expect(await refused('user', 'verify', 'stranger@example.com')).toContain('nobody has signed up')
  expect((await chainkin(['user', 'reset', 'no address', '--json'])).code).toBe(2)
})

test.concurrent('payments list, accept and refuse: what was chosen is given once', async () => {
  const { session } = await people.person('Payer')
  const open = async (choice: Parameters<typeof openPayment>[3]) =>
    (await openPayment(people.database, session.account.id, session.user.id, choice)) ?? ''
  const [topUp, plan, other] = [
    await open({ topUp: 'small' }),
    await open({ plan: 'pro' }),
    await open({ plan: 'team' }),
  ]
  const { payments } = await done('payments', 'list', '--state', 'open')
  expect(payments.map(({ id }: { id: string }) => id).sort()).toEqual([topUp, plan, other].sort())
  expect(await done('payments', 'accept', topUp)).toMatchObject({
    id: topUp,
    state: 'accepted',
    credits: 500,
  })
  expect(await done('payments', 'accept', plan, '--renews')).toMatchObject({
    item: 'pro',
    state: 'accepted',
  })
  expect(await done('payments', 'refuse', other)).toMatchObject({ item: 'team', state: 'refused' })
  for (const id of [topUp, other, crypto.randomUUID()]) {
    expect(await refused('payments', 'accept', id)).toContain('no open payment')
  }
  expect(await refused('payments', 'refund', topUp)).toContain('repeat it with --yes')
  expect(await done('account', 'show', session.account.id)).toMatchObject({
    tier: 'pro',
    planRenews: true,
    creditsBalance: 250 + 500 + 6_000,
  })
  expect(await done('payments', 'refund', topUp, '--yes')).toMatchObject({
    id: topUp,
    state: 'accepted',
    reversed: 'all',
    refund: 'done',
  })
  expect(await refused('payments', 'refund', topUp, '--yes')).toContain('no payment to refund')
  expect(await refused('payments', 'check', topUp)).toContain('PAYMENTS is not stripe')
})

test.concurrent('payments list shows events that wait, until payments dismiss', async () => {
  const event = `evt_${crypto.randomUUID()}`
  await people.sql`select payment_event_topup(${event}, 'checkout.session.completed', ${crypto.randomUUID()}, 'pi_1', 10)`
  const listed = async () => {
    const { waiting } = await done('payments', 'list', '--state', 'open')
    return waiting.find(({ id }: { id: string }) => id === event)
  }
  expect(await listed()).toMatchObject({
    kind: 'checkout.session.completed',
    reason: expect.stringContaining('refund it at the provider'),
  })
  const { stdout } = await chainkin(['payments', 'list'])
  expect(stdout).toContain(`${event}  `)
  expect(await done('payments', 'dismiss', event)).toMatchObject({ id: event })
  expect(await refused('payments', 'dismiss', event)).toContain('that waits')
  expect(await listed()).toBeUndefined()
})
