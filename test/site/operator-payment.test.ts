/** The operator's page of one payment: what came of it, what can be done with it now, and how a refund ends. */
import { describe, expect, test } from 'bun:test'
import { creditsOf } from '../../src/money/accounts/credits.ts'
import { findPayment, openPayment } from '../../src/money/payments/payments.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import {
  type Charge,
  checkoutEvent,
  claimEvent,
  SECRET_KEY,
  signed,
  startFakeStripe,
  WEBHOOK_SECRET,
} from '../money/payments/fake-stripe.ts'
import { sharedOperator } from './operators.ts'
import { factIn, textIn } from './reading.ts'
import { type Person, startTown } from './visitor.ts'

const service = sharedService()
const stripe = shared(startFakeStripe, ({ stop }) => stop())
const town = shared(() =>
  startTown(service, {
    trialCredits: 0,
    environment: {
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_URL: stripe.url,
    },
  }),
)

const operator = sharedOperator(service, town)

const pathOf = (id: string) => `/operator/payments/${id}`
const balanceOf = async (person: Person) =>
  (await creditsOf(service.database, person.accountId))?.balance

async function ordered(person: Person): Promise<string> {
  const choice = { topUp: 'small' } as const
  return (await openPayment(service.database, person.accountId, person.userId, choice)) ?? ''
}

/** A top-up that Stripe has collected. */
async function collected(
  changes: Partial<Charge> = {},
): Promise<{ person: Person; id: string; charge: Charge }> {
  const person = await town.customer(0, 'free')
  const id = await ordered(person)
  const charge = stripe.collect(id, { amount: 1_000, ...changes })
  await deliver(checkoutEvent(id, { payment_intent: charge.intent }))
  return { person, id, charge }
}

async function deliver(event: object) {
  const [body, signature] = await signed(event)
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  await town.site.get('/webhooks/stripe', { method: 'POST', body, headers })
}

/** Sends the page that asks once more. @returns where it leads, or its status */
async function refund(id: string): Promise<string | number> {
  const fields = { act: 'payment.refund', on: id, of: '', ...operator.proof() }
  const answer = await operator.submit('/operator', fields, '/operator/confirm')
  return answer.headers.get('location') ?? answer.status
}

test('an order that waits is shown with who ordered it, accepted there, and then what came of it', async () => {
  const person = await town.customer(0, 'free')
  const id = await ordered(person)
  const open = await operator.text(pathOf(id))
  expect(factIn(open, 'By')).toBe(person.email)
  expect(open).toContain(`href="/operator/accounts/${person.accountId}"`)
  expect(textIn(open)).toContain('$10 once')
  expect(open).toMatch(/<h2 id="state">State <span class="badge warn">waiting<\/span><\/h2>/)
  expect(textIn(open)).not.toContain('Refund')
  const answer = await operator.submit(pathOf(id), { action: 'payment.accept' })
  expect(answer.headers.get('location')).toBe(`${pathOf(id)}?said=payment.accept`)
  expect((await operator.submit(pathOf(id), { action: 'payment.accept' })).status).toBe(404)
  const paid = await operator.text(pathOf(id))
  expect(textIn(paid)).toContain('payment.accept')
  expect(factIn(paid, 'Collected by')).toBe('you')
  expect(paid).toMatch(/<h2 id="state">State <span class="badge good">accepted</)
  expect(factIn(paid, 'Number')).toBe(id)
  expect(paid).toContain(`act=payment.refund&amp;on=${id}`)
})

test('of no payment, and of what is no id, there is no page', async () => {
  for (const id of [crypto.randomUUID(), 'x', '%00']) {
    expect((await operator.get(pathOf(id))).status).toBe(404)
  }
})

describe('a refund', () => {
  test('by hand asks for the password and a code, is done once, and page and receipt say so', async () => {
    const person = await town.customer(0, 'free')
    const id = await ordered(person)
    await operator.submit(pathOf(id), { action: 'payment.accept' })
    const asks = await operator.text(`/operator/confirm?act=payment.refund&on=${id}`)
    expect(textIn(asks)).toContain('pay $10.00 back in the way that it came')
    const wrong = { act: 'payment.refund', on: id, of: '', password: 'wrong', code: '123456' }
    expect((await operator.submit('/operator', wrong, '/operator/confirm')).status).toBe(422)
    expect(await balanceOf(person)).toBe(500)
    const ends = await Promise.all([refund(id), refund(id)])
    expect(new Set(ends)).toEqual(new Set([`${pathOf(id)}?said=payment.refund.done`, 404]))
    expect(await balanceOf(person)).toBe(0)
    const page = await operator.text(pathOf(id))
    expect(page).not.toContain('act=payment.refund')
    expect(factIn(page, 'Paid back')).toBe('$10.00 of $10.00')
    expect(textIn(await person.text(`/credits/receipts/${id}`))).toContain('$10.00 of $10.00')
    const list = await operator.text('/operator/payments?show=refunded')
    expect(list).toContain(pathOf(id))
  })

  test('of Stripe waits for its event: until then the page says so, and nothing is taken back', async () => {
    const { person, id, charge } = await collected()
    expect(await refund(id)).toBe(`${pathOf(id)}?said=payment.refund.begun`)
    const page = await operator.text(pathOf(id))
    expect(textIn(page)).toContain('Asked, waiting for Stripe')
    expect(page).not.toContain('act=payment.refund')
    expect(await balanceOf(person)).toBe(500)
    expect(textIn(await operator.text('/operator/payments?show=refunded'))).toContain(
      'refund asked for',
    )
    await deliver(claimEvent(charge, 'charge.refunded'))
    expect(await balanceOf(person)).toBe(0)
    const settled = await operator.text(pathOf(id))
    expect(textIn(settled)).not.toContain('waiting for Stripe')
    expect(textIn(settled)).toContain('500 credits were taken back')
    expect(charge.refunds).toHaveLength(1)
  })

  test.each([
    ['usd', 1_000, '$6.00', '$4.00 of $10.00'],
    ['eur', 900, '€5.00', '44 % of it'],
    ['jpy', 1_200, '¥800', '33 % of it'],
    ['kwd', 1_200, 'KWD 0.800', '33 % of it'],
  ])(
    'of a payment in %s names what is left in its own currency',
    async (currency, amount, left, back) => {
      const { id, charge } = await collected({ currency, amount })
      charge.refunds.push({ id: `re_${id}`, amount: 400, status: 'succeeded' })
      // An inquiry takes no money.
      const status = 'warning_under_review'
      charge.disputes.push({ id: `dp_${id}`, amount: 100, currency, status })
      await deliver(claimEvent(charge, 'charge.refunded'))
      const asks = () => operator.text(`/operator/confirm?act=payment.refund&on=${id}`)
      expect(textIn(await asks())).toContain(`pay back the ${left} that are left`)
      expect(factIn(await operator.text(pathOf(id)), 'Paid back')).toBe(back)
      stripe.failNext(500)
      expect(textIn(await asks())).toContain('pay back what is left of it')
    },
  )

  test('that Stripe refuses is told from one of which nothing is known', async () => {
    const { id, charge } = await collected()
    stripe.failNext(402)
    expect(await refund(id)).toBe(`${pathOf(id)}?said=payment.refund.refused`)
    expect(textIn(await operator.text(`${pathOf(id)}?said=payment.refund.refused`))).toContain(
      'Nothing was refunded: Stripe refused: refused by the test.',
    )
    stripe.loseNext()
    expect(await refund(id)).toBe(`${pathOf(id)}?said=payment.refund.unknown`)
    expect(textIn(await operator.text(pathOf(id)))).toContain('both together are one refund')
    expect(await refund(id)).toBe(`${pathOf(id)}?said=payment.refund.begun`)
    expect(charge.refunds).toHaveLength(1)
  })
})

test('lists have what was paid, refused and refunded, and a list that is none is named', async () => {
  const person = await town.customer(0, 'free')
  const [paid, refused] = [await ordered(person), await ordered(person)]
  await operator.submit(pathOf(paid), { action: 'payment.accept' })
  await operator.submit(pathOf(refused), { action: 'payment.refuse' })
  const [inPaid, inRefused] = [
    await operator.text('/operator/payments?show=paid'),
    await operator.text('/operator/payments?show=refused'),
  ]
  expect([inPaid.includes(paid), inPaid.includes(refused)]).toEqual([true, false])
  expect([inRefused.includes(paid), inRefused.includes(refused)]).toEqual([false, true])
  expect((await findPayment(service.database, refused))?.refusedBy).toBe('operator')
  for (const query of ['show=none', 'show=paid&page=0', 'show=paid&page=x'])
    expect((await operator.get(`/operator/payments?${query}`)).status).toBe(400)
})

describe('Stripe’s state beside ours', () => {
  /** An order that is paid at Stripe, of which nothing was told. */
  async function untold(): Promise<{ person: Person; id: string }> {
    const person = await town.customer(0, 'free')
    await person.submit('/credits', { topUp: 'small', idempotencyKey: crypto.randomUUID() })
    const [row] = await service.sql`select id from payments where account_id = ${person.accountId}`
    stripe.collect(row?.id, { amount: 1_000 })
    for (const session of stripe.sessions.values())
      if (session.payment === row?.id) session.status = 'complete'
    return { person, id: row?.id }
  }

  test('is asked for on demand, shown with both states, and taken over once', async () => {
    const { person, id } = await untold()
    const before = stripe.calls.length
    const page = await operator.text(pathOf(id))
    expect(stripe.calls.length).toBe(before)
    expect(page).toContain(`${pathOf(id)}?check=yes#stripe`)
    const list = textIn(await operator.text('/operator/payments?show=differing'))
    expect(list).toContain('it is paid')
    const [account] = await service.sql`select name from accounts where id = ${person.accountId}`
    expect(list).toContain(`Small top-up of ${account?.name}`)
    expect(await operator.text('/operator/payments?show=differing')).toContain(
      `${pathOf(id)}?check=yes#stripe`,
    )
    const asked = textIn(await operator.text(`${pathOf(id)}?check=yes`))
    expect(asked).toContain('it waits')
    expect(asked).toContain('Take over Stripe’s state')
    const take = () => operator.submit(pathOf(id), { action: 'payment.take-over' })
    expect((await take()).headers.get('location')).toBe(
      `${pathOf(id)}?said=payment.take-over.taken`,
    )
    expect((await take()).headers.get('location')).toBe(`${pathOf(id)}?said=payment.take-over.same`)
    expect(await balanceOf(person)).toBe(500)
    expect(textIn(await operator.text(`${pathOf(id)}?check=yes`))).toContain(
      'It stands there as it does here.',
    )
  })

  test('where Stripe is away the pages say so, and nothing is changed', async () => {
    const { person, id } = await untold()
    stripe.failNext(500)
    expect(textIn(await operator.text(`${pathOf(id)}?check=yes`))).toContain(
      'Stripe was not asked to the end: refused by the test',
    )
    stripe.failNext(500)
    const list = textIn(await operator.text('/operator/payments?show=differing'))
    expect(list).toContain('Stripe was not asked to the end')
    expect(list).not.toContain('None is found that differs')
    stripe.failNext(500)
    const answer = await operator.submit(pathOf(id), { action: 'payment.take-over' })
    expect(answer.status).toBe(422)
    expect(textIn(await answer.text())).toContain('Nothing was changed here.')
    expect(await balanceOf(person)).toBe(0)
  })
})
