/** The operator's page of payments: orders that wait are accepted or refused, one or several, each decided once. */
import { expect, test } from 'bun:test'
import { readAuditLog } from '../../src/console/acts/audit-log.ts'
import { creditsOf } from '../../src/money/accounts/credits.ts'
import { type Choice, findPayment, openPayment } from '../../src/money/payments/payments.ts'
import { sharedOperator } from './operators.ts'
import { textIn } from './reading.ts'
import { type Person, sharedTown } from './visitor.ts'

const { service, town } = sharedTown()
const PAGE = '/operator/payments'

const operator = sharedOperator(service, town)

async function order({ accountId, userId }: Person, choice: Choice): Promise<string> {
  return (await openPayment(service.database, accountId, userId, choice)) ?? ''
}

const stateOf = async (id: string) => (await findPayment(service.database, id))?.state

test('several are accepted at once, each with its line in the audit log, and a second form does nothing more', async () => {
  const [one, two] = [await town.customer(0, 'free'), await town.customer(0, 'free')]
  const ids = [await order(one, { topUp: 'small' }), await order(two, { plan: 'pro' })]
  const page = await operator.text(PAGE)
  for (const id of ids) expect(page).toContain(`name="ids" value="${id}"`)
  expect(textIn(page)).toContain('$99 a month')
  const forms = [1, 2].map(() =>
    operator.submit(PAGE, { ids: [...ids, ids[0] ?? ''], action: 'payment.accept', renews: 'yes' }),
  )
  const led = (await Promise.all(forms)).map(({ headers }) => headers.get('location') ?? '')
  const done = led.map((path) => Number(new URLSearchParams(path.split('?')[1]).get('done')))
  expect(done.reduce((sum, count) => sum + count)).toBe(2)
  const [small, pro] = await Promise.all(
    [one, two].map(({ accountId }) => creditsOf(service.database, accountId)),
  )
  expect([small?.balance, pro?.balance]).toEqual([750, 6_250])
  expect(pro?.plan).toMatchObject({ name: 'pro', renews: true })
  for (const [i, { accountId }] of [one, two].entries()) {
    const lines = await readAuditLog(service.database, { account: accountId, limit: 5 })
    expect(lines).toMatchObject([
      { act: 'payment.accept', who: operator.email, subjects: [ids[i]], via: 'page' },
    ])
  }
  expect(await operator.text(`${PAGE}?said=accepted&done=2&gone=0`)).toContain(
    '2 orders were accepted',
  )
  expect(await operator.text(PAGE)).toContain('No order waits.')
})

test('one is refused, and one that was decided meanwhile keeps none from the others', async () => {
  const person = await town.customer(0, 'free')
  const [first, second] = [
    await order(person, { topUp: 'small' }),
    await order(person, { topUp: 'large' }),
  ]
  await operator.submit(PAGE, { ids: first, action: 'payment.refuse' })
  expect([await stateOf(first), await stateOf(second)]).toEqual(['refused', 'open'])
  const late = await operator.submit(PAGE, { ids: [first, second], action: 'payment.accept' })
  const next = late.headers.get('location') ?? ''
  expect(next).toBe(`${PAGE}?said=accepted&done=1&gone=1`)
  expect(textIn(await operator.text(next))).toContain('1 was decided before.')
  expect([await stateOf(first), await stateOf(second)]).toEqual(['refused', 'accepted'])
  expect((await creditsOf(service.database, person.accountId))?.balance).toBe(10_250)
})

test('a form that names no order, something else, or too many is refused as a whole, on the page itself', async () => {
  const id = await order(await town.customer(0, 'free'), { topUp: 'small' })
  const many = Array.from({ length: 101 }, () => crypto.randomUUID())
  for (const [status, fields] of [
    [422, { action: 'payment.accept' }],
    [422, { action: 'payment.accept', ids: [id, 'x'] }],
    [422, { action: 'payment.accept', ids: [id, ...many] }],
    [400, { action: 'give', ids: id }],
    [400, { ids: id }],
  ] as const) {
    const answer = await operator.submit(PAGE, fields as unknown as Record<string, string>)
    expect(answer.status).toBe(status)
    const html = await answer.text()
    if (status === 422) expect(html).toContain('Nothing was changed: tick the orders first')
    expect(html.includes(`name="ids" value="${id}"`)).toBe(status === 422)
  }
  expect(await stateOf(id)).toBe('open')
})

test('the only order that waits is ticked already, its name leads to it, and renewal is asked of plans alone', async () => {
  await service.sql`update payments set state = 'refused', decided_at = now() where state = 'open'`
  const person = await town.customer(0, 'free')
  const box = (id: string) => new RegExp(`name="ids" value="${id}"[^>]* checked`)
  const topUp = await order(person, { topUp: 'small' })
  const one = await operator.text(PAGE)
  expect(one).toMatch(box(topUp))
  expect(one).toContain(`<a href="${PAGE}/${topUp}">Small top-up`)
  expect(one).not.toContain('Plans renew')
  await service.sql`update payments set checkout = 'cs_waits' where id = ${topUp}`
  expect(await operator.text(PAGE)).not.toMatch(box(topUp))
  const plan = await order(person, { plan: 'pro' })
  const two = await operator.text(PAGE)
  expect(two).toContain('Plans renew')
  for (const id of [topUp, plan]) expect(two).not.toMatch(box(id))
})

test('an event that waits is shown with what to do', async () => {
  await service.sql`
    insert into payment_events (id, kind, at, outcome, reason)
    values ('evt_waits', 'charge.dispute.created', now(), 'waiting', 'Nobody has this payment.')`
  expect(textIn(await operator.text(PAGE))).toContain('Nobody has this payment.')
})

test('the audit log is found by act, and an act that can be none is named', async () => {
  await operator.submit(`/operator/accounts/${operator.accountId}`, {
    ...{
      action: 'credits.grant',
      amount: '3',
      source: 'topup',
      idempotencyKey: crypto.randomUUID(),
    },
  })
  const html = await operator.text('/operator/audit?act=credits.grant')
  expect(html).toContain('>credits.grant</code>')
  // The choice of acts names all of them.
  expect(html).not.toMatch(/<code[^>]*>payment\./)
  for (const act of ['x', 'credits.gran']) {
    const wrong = await operator.get(`/operator/audit?act=${act}`)
    expect([act, wrong.status, await wrong.text()]).toEqual([
      act,
      400,
      expect.stringMatching(/act: expected one of .*credits\.grant/),
    ])
  }
})

test('without Stripe no list is offered of what Stripe has otherwise, and none is there', async () => {
  expect(await operator.text(PAGE)).not.toContain('show=differing')
  const answer = await operator.get(`${PAGE}?show=differing`)
  expect([answer.status, textIn(await answer.text())]).toEqual([
    400,
    expect.stringContaining('show: expected one of waiting, paid, refused, refunded.'),
  ])
})
