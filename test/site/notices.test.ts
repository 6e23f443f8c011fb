/** Mails about orders and privacy requests, from the form to a mail server. On the embedded database. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openPayment } from '../../src/money/payments/payments.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import { listenForMail } from '../helpers/smtp.ts'
import { sharedOperator } from './operators.ts'
import { textIn } from './reading.ts'
import { startTown } from './visitor.ts'

const service = sharedService()
let smtp: Awaited<ReturnType<typeof listenForMail>>
beforeAll(async () => {
  smtp = await listenForMail()
})
afterAll(() => smtp.stop())
const town = shared(() =>
  startTown(service, {
    environment: { SMTP_URL: smtp.url, MAIL_FROM: 'mail@example.com' },
  }),
)
const operator = sharedOperator(service, town)

/** Subjects and addresses of the mails that a sweep sends. */
async function sweep(): Promise<(string | undefined)[][]> {
  smtp.mails.length = 0
  await town.site.application.mailNews()
  const header = (mail: string, name: string) =>
    new RegExp(`^${name}: (.+?)\r$`, 'm').exec(mail)?.[1]
  return smtp.mails.map((mail) => [header(mail, 'To'), header(mail, 'Subject')]).sort()
}

test('an order and a privacy request are mailed to the operator, and their answer to the buyer; the first page says what waits', async () => {
  const buyer = await town.customer(0, 'free')
  await buyer.submit('/credits', { plan: 'pro', idempotencyKey: crypto.randomUUID() })
  const asked = await town.visitor().submit('/privacy', {
    kind: 'show',
    email: 'grace@example.com',
    person: 'Grace Hopper',
    details: '',
    declared: 'yes',
  })
  expect(asked.status).toBe(200)
  expect(await sweep()).toEqual([
    [operator.email, 'New orders at Chainkin'],
    [operator.email, 'New privacy requests at Chainkin'],
  ])
  expect(smtp.mails.join()).not.toMatch(/grace|hopper/i)
  expect(textIn(await operator.text('/operator'))).toContain('Privacy requests that wait 1')

  const [order] = await service.sql`select id from payments where account_id = ${buyer.accountId}`
  await operator.submit('/operator/payments', { ids: order?.id ?? '', action: 'payment.accept' })
  expect(await sweep()).toEqual([[buyer.email, 'Your order at Chainkin was accepted']])
  expect(await sweep()).toEqual([])
})

test('the first page says why mails wait', async () => {
  const buyer = await town.customer(0, 'free')
  const order = await openPayment(service.database, buyer.accountId, buyer.userId, { plan: 'pro' })
  await operator.submit('/operator/payments', { ids: order ?? '', action: 'payment.refuse' })
  smtp.refusal = '451 4.7.1 later'
  expect(await sweep()).toEqual([])
  expect(textIn(await operator.text('/operator'))).toMatch(
    /Mails ok waiting: 1 not taken yet \(451\), the oldest since \d{4}-\d\d-\d\d, \d\d:\d\d \(UTC\)/,
  )
  smtp.refusal = '550 nobody here'
  await service.sql`update mails set next_try_at = meter_now()`
  await sweep()
  expect(textIn(await operator.text('/operator'))).toContain(
    'Mails ok none waits; given up in the last day: 1 refused for good (550)',
  )
})
