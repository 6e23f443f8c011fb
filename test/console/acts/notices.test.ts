/** Who is told by mail of orders and privacy requests. On a real PostgreSQL, whose clock the tests set. */
import { beforeEach, expect, test } from 'bun:test'
import { mailNotices } from '../../../src/console/acts/notices.ts'
import { acceptPayment, refusePayment } from '../../../src/console/acts/payments.ts'
import { waitingCounts } from '../../../src/console/acts/waiting.ts'
import { silentLog } from '../../../src/log.ts'
import { createPaymentGateway } from '../../../src/money/payments/gateway.ts'
import type { Choice } from '../../../src/money/payments/payments.ts'
import { shared } from '../../helpers/shared.ts'
import { type Person, sharedPeople } from '../../people/users/fixtures.ts'
import { does } from '../doing.ts'

const people = sharedPeople()
const gateway = shared(async () => createPaymentGateway(people.database, undefined, silentLog))

/** Operators are told once in ten minutes: each test begins after them, with operators of its own. */
beforeEach(async () => {
  await people.clock.advance(86_400)
  await people.sql`delete from mails`
  await people.sql`update users set operator_since = null`
})

interface Mailed {
  kind: string
  recipient: string
  subject: string
  body: string
}

type Settings = Partial<Parameters<typeof mailNotices>[0]>

/** Mails that a sweep of several processes at once puts into the queue. */
async function sweep(settings: Settings = {}): Promise<Mailed[]> {
  await people.sql`delete from mails`
  const { database } = people
  const all = {
    database,
    serviceName: 'Test',
    appUrl: 'https://app.test',
    payments: 'manual' as const,
    mailNoticesTo: undefined,
    ...settings,
  }
  await Promise.all([1, 2, 3].map(() => mailNotices(all)))
  return people.sql<Mailed[]>`select kind, recipient, subject, body from mails order by recipient`
}

async function confirmed(name: string): Promise<Person> {
  const person = await people.person(name)
  await people.sql`update users set email_verified_at = now() where id = ${person.session.user.id}`
  return person
}

async function operator(name = 'Olga'): Promise<Person> {
  const person = await confirmed(name)
  await people.sql`update users set operator_since = now() where id = ${person.session.user.id}`
  return person
}

async function order({ session }: Person, choice: Choice = { plan: 'pro' }): Promise<string> {
  const answer = await gateway.checkout(session, choice)
  if (answer.outcome !== 'requested') throw new Error(answer.outcome)
  return answer.id
}

test('an order that waits is told to every operator with a confirmed address, once, and names nobody', async () => {
  const [one, other, buyer] = [await operator(), await operator('Omar'), await confirmed('Grace')]
  const unconfirmed = await people.person('Nobody')
  await people.sql`
    update users set operator_since = now() where id = ${unconfirmed.session.user.id}`
  expect(await sweep()).toEqual([])
  await order(buyer)
  const mails = await sweep()
  expect(mails.map(({ recipient }) => recipient)).toEqual([one.email, other.email].sort())
  expect(mails[0]).toMatchObject({ kind: 'orders', subject: 'New orders at Test' })
  expect(mails[0]?.body).toContain('https://app.test/operator/payments')
  expect(JSON.stringify(mails)).not.toMatch(/grace|pro plan/i)
  expect(await sweep()).toEqual([])
  expect(await waitingCounts(people.database)).toMatchObject({ ordersAtOperator: 1 })
})

test('many orders are one mail in ten minutes, and none of them is left untold', async () => {
  await operator()
  const buyer = await confirmed('Grace')
  await order(buyer)
  expect(await sweep()).toHaveLength(1)
  await order(buyer, { topUp: 'small' })
  await order(buyer, { topUp: 'large' })
  expect(await sweep()).toEqual([])
  await people.clock.advance(600)
  expect(await sweep()).toHaveLength(1)
  await people.clock.advance(600)
  expect(await sweep()).toEqual([])
})

test('an order that was accepted or refused is told to who ordered, once; one that they withdrew is not', async () => {
  const buyer = await confirmed('Grace')
  const [accepted, refused, withdrawn] = [
    await order(buyer),
    await order(buyer, { topUp: 'small' }),
    await order(buyer, { topUp: 'large' }),
  ]
  await does(people, acceptPayment, accepted)
  await does(people, refusePayment, refused)
  await gateway.withdraw(buyer.session, withdrawn)
  const mails = await sweep()
  expect(mails.map(({ kind, recipient }) => [kind, recipient])).toEqual([
    ['order', buyer.email],
    ['order', buyer.email],
  ])
  const texts = mails.map(({ subject, body }) => `${subject} ${body}`).sort()
  expect(texts[0]).toContain('Your order of the pro plan was accepted')
  expect(texts[1]).toContain('Your order of the small top-up was refused')
  expect(await sweep()).toEqual([])
})

test('what Stripe collects is told by Stripe: neither operators nor owners get a mail', async () => {
  await operator()
  const buyer = await confirmed('Grace')
  const waiting = await order(buyer)
  const paid = await order(buyer, { topUp: 'small' })
  await people.sql`update payments set checkout = 'cs_1' where id = ${waiting}`
  await people.sql`
    update payments set state = 'accepted', decided_at = meter_now(), reference = 'pi_1' where id = ${paid}`
  expect(await sweep({ payments: 'stripe' })).toEqual([])
  const counts = await waitingCounts(people.database)
  expect(counts.ordersAtProvider).toBe(1)
})

test('a privacy request is told once it counts, and neither who asked nor what about', async () => {
  const { email } = await operator()
  const ask = (state: string) => people.sql`
    insert into privacy_requests (kind, state, email, person, asked_at)
    values ('remove', ${state}, 'secret@example.com', 'Ada Ashford', meter_now())`
  await ask('unconfirmed')
  expect(await sweep()).toEqual([])
  await ask('open')
  const [mail, ...others] = await sweep()
  expect(others).toEqual([])
  expect(mail).toMatchObject({ kind: 'requests', recipient: email })
  expect(mail?.body).toContain('https://app.test/operator/directory/requests')
  expect(JSON.stringify(mail)).not.toMatch(/secret|ashford|remove/i)
  expect(await sweep()).toEqual([])
})

test('MAIL_NOTICES_TO says who is told instead, and may say that nobody is', async () => {
  await operator()
  await order(await confirmed('Grace'))
  expect(await sweep({ mailNoticesTo: [] })).toEqual([])
  const to = ['desk@example.com', 'sales@example.com']
  const mails = await sweep({ mailNoticesTo: to })
  expect(mails.map(({ recipient }) => recipient)).toEqual(to)
})

test('what is older than a day is not told, as when a mail server is set up later', async () => {
  await operator()
  const buyer = await confirmed('Grace')
  const decided = await order(buyer)
  await does(people, refusePayment, decided)
  await order(buyer)
  await people.clock.advance(86_401)
  expect(await sweep()).toEqual([])
})
