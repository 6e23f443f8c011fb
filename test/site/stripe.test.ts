/** Payment at Stripe as the pages do it, and the webhooks that come in at the host. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { listen } from '../../src/runtime.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { postgresService, type TestService } from '../helpers/service.ts'
import { expectBooksToBalance } from '../money/charge/fixtures.ts'
import {
  checkoutEvent,
  type FakeStripe,
  invoiceEvent,
  SECRET_KEY,
  signed,
  startFakeStripe,
  WEBHOOK_SECRET,
} from '../money/payments/fake-stripe.ts'
import { factIn, formIn, tableIn, textIn } from './reading.ts'
import { type Person, startTown, type Town, type Visitor } from './visitor.ts'

const MONTH_MS = 30 * 86_400_000
const CHOICES = 'Orders, newest first'

let service: TestService
let stripe: FakeStripe
let town: Town
let manual: Town

beforeAll(async () => {
  ;[service, stripe] = await Promise.all([postgresService(fixtures), startFakeStripe()])
  const environment = {
    PAYMENTS: 'stripe',
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_URL: stripe.url,
  }
  town = await startTown(service, { environment })
  manual = await startTown(service)
})
afterAll(async () => {
  await expectBooksToBalance(service.sql)
  await Promise.all([service.stop(), stripe.stop()])
})

const choose = (visitor: Visitor, fields: Record<string, string>) =>
  visitor.submit('/credits', { idempotencyKey: crypto.randomUUID(), ...fields })
const balanceOf = (person: Person) => service.balance(person.accountId)
async function paymentOf({ accountId }: Person): Promise<string> {
  const [row] = await service.sql`
    select id from payments where account_id = ${accountId} order by created_at desc limit 1`
  return row?.id
}

/** Posts an event like Stripe: without cookie and origin. */
async function deliver(body: string, signature?: string): Promise<number> {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (signature !== undefined) headers['stripe-signature'] = signature
  const response = await town.site.get('/webhooks/stripe', { method: 'POST', body, headers })
  expect(await response.text()).toBe('')
  return response.status
}

describe('the way to Checkout', () => {
  test('is a page of ours that leads there by a header and a link, so that the policy keeps forms here', async () => {
    const someone = await town.person()
    const answer = await choose(someone, { topUp: 'medium' })
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('refresh')).toBe('0; url=https://checkout.stripe.test/pay')
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(page).toContain('href="https://checkout.stripe.test/pay"')
    expect(textIn(page)).toContain('Nothing is charged before.')
    expect(await balanceOf(someone)).toBe(250)
  })

  test('begins with what is paid and when it renews; the open order that it replaces is named, and can go on', async () => {
    const someone = await town.person()
    await choose(someone, { topUp: 'small' })
    const page = await someone.text('/credits/order?plan=pro')
    expect(factIn(page, 'Renews')).toMatch(/^Every month, first on \d+ \w+ \d{4} if you pay today/)
    expect(textIn(page)).toContain('You have other open orders: Small top-up.')
    expect(formIn(page, '/credits')?.get('plan')).toBe('pro')
    const list = await someone.text('/credits')
    expect(textIn(list)).toContain('Small top-up, $10 once')
    expect(list).toContain('href="/credits/order?topUp=small"')
    expect(formIn(await someone.text('/credits/order?topUp=small'), '/credits')).toBeDefined()
  })

  test('leads back to a page that promises nothing yet, and grants nothing', async () => {
    const someone = await town.person()
    await choose(someone, { topUp: 'small' })
    for (const [payment, said] of [
      ['done', 'Your credits are added as soon as Stripe confirms the payment'],
      ['left', 'Only a payment that Stripe confirms adds credits'],
    ]) {
      const page = await someone.text(`/credits?payment=${payment}`)
      expect(textIn(page)).toContain(said ?? '')
      expect(tableIn(page, CHOICES)[0]?.at(-1)).toStartWith('Waiting')
      expect(tableIn(page, 'Top-ups')[0]?.at(-1)).toBe('Choose')
    }
    expect(await balanceOf(someone)).toBe(250)
    expect(textIn(await someone.text('/credits?payment=__proto__'))).not.toContain('Thank you')
  })

  test('where Stripe does not answer as it should, it says so and nothing stays open', async () => {
    const someone = await town.person()
    stripe.failNext(400)
    const answer = await choose(someone, { topUp: 'small' })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60'])
    expect(textIn(await answer.text())).toContain('Nothing was charged')
    expect(tableIn(await someone.text('/credits'), CHOICES)[0]?.at(-1)).toStartWith('Refused')
  })

  test('a Stripe that hangs is asked once and not waited for: the page says what is not known, and where it will be', async () => {
    const someone = await town.person()
    await choose(someone, { plan: 'pro' })
    const period = ['sub_hanging', 'in_hanging', Date.now() + MONTH_MS] as const
    await deliver(...(await signed(invoiceEvent(await paymentOf(someone), ...period))))
    await choose(someone, { topUp: 'medium' })
    const order = await paymentOf(someone)
    const calls = stripe.calls.length
    stripe.hang(true)
    const [ordered, withdrawn, cancelled] = await Promise.all([
      choose(someone, { topUp: 'small' }),
      someone.submit('/credits', { withdraw: order }),
      someone.submit('/balance/stop-plan', {}),
    ])
    stripe.hang(false)
    expect(stripe.calls.length - calls).toBe(3)
    expect(ordered.headers.get('location')).toBe('/credits?payment=unanswered#chosen')
    expect(withdrawn.headers.get('location')).toBe('/credits?payment=unknown#chosen')
    expect([cancelled.status, textIn(await cancelled.text())]).toEqual([
      503,
      expect.stringContaining('It is not known yet whether your plan was cancelled'),
    ])
    const said = async (payment: string) =>
      textIn(await someone.text(`/credits?payment=${payment}`))
    expect(await said('unanswered')).toContain('Nothing was charged')
    expect(await said('unknown')).toContain('not known yet whether your order was withdrawn')
    const states = tableIn(await someone.text('/credits'), CHOICES).map((row) => row.at(-1))
    expect(states.map((state) => state?.split(' ')[0])).toEqual(['Refused', 'Waiting', 'Accepted'])
  })

  test('an order that is not paid yet can be withdrawn on the page, and choosing again replaces it', async () => {
    const someone = await town.person()
    await choose(someone, { topUp: 'small' })
    const first = await paymentOf(someone)
    await choose(someone, { topUp: 'medium' })
    const withdraw = (payment: string) => someone.submit('/credits', { withdraw: payment })
    const statuses = async () =>
      tableIn(await someone.text('/credits'), CHOICES).map((row) => row.at(-1)?.split(' ')[0])
    expect(await statuses()).toEqual(['Waiting', 'Withdrawn'])
    const answer = await withdraw(await paymentOf(someone))
    expect(answer.headers.get('location')).toBe('/credits?payment=withdrawn#chosen')
    expect(textIn(await someone.text('/credits?payment=withdrawn'))).toContain('was withdrawn')
    expect(await statuses()).toEqual(['Withdrawn', 'Withdrawn'])
    for (const order of [first, crypto.randomUUID(), 'x']) {
      const refused = await withdraw(order)
      expect(refused.headers.get('location')).toBe('/credits?payment=known#chosen')
    }
    // Stripe's word is the last: what was paid all the same gets its credits.
    expect(await deliver(...(await signed(checkoutEvent(first))))).toBe(200)
    expect(await balanceOf(someone)).toBe(750)
    expect(await statuses()).toEqual(['Withdrawn', 'Accepted'])
  })
})

describe('a webhook', () => {
  test('gives its credits once, however often it comes, five times at once too', async () => {
    const someone = await town.person()
    await choose(someone, { topUp: 'small' })
    const [body, signature] = await signed(checkoutEvent(await paymentOf(someone)))
    const statuses = await Promise.all(Array.from({ length: 5 }, () => deliver(body, signature)))
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect(await deliver(body, signature)).toBe(200)
    expect(await balanceOf(someone)).toBe(750)
    expect(tableIn(await someone.text('/credits'), CHOICES)[0]?.at(-1)).toStartWith('Accepted')
  })

  test('is taken by POST alone, up to a size, and is no path where the operator collects', async () => {
    const [body, signature] = await signed(checkoutEvent(crypto.randomUUID()))
    const post = { method: 'POST', body, headers: { 'stripe-signature': signature } }
    const [there, nowhere] = await Promise.all(
      ['/webhooks/stripe', '/webhooks/nowhere'].map((path) => manual.site.get(path, post)),
    )
    expect([there?.status, await there?.text()]).toEqual([404, await nowhere?.text()])
    const read = await town.site.get('/webhooks/stripe')
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST'])
    const large = await town.site.get('/webhooks/stripe', {
      method: 'POST',
      body: 'x'.repeat(1024 * 1024 + 1),
      headers: { 'stripe-signature': signature },
    })
    expect(large.status).toBe(413)
  })

  test('comes through while strangers hold back 120 bodies of it, of which the oldest are refused', async () => {
    const server = listen({ host: '127.0.0.1', port: 0, fetch: town.site.web })
    const strangers: Socket[] = []
    try {
      let refused = 0
      const bytes = 200_000
      const head = `POST /webhooks/stripe HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes + 1}\r\nStripe-Signature: t=1,v1=${'0'.repeat(64)}\r\n\r\n`
      for (let n = 0; n < 120; n++) {
        const socket = connect(server.port, '127.0.0.1')
        strangers.push(socket)
        let answer = ''
        socket.on('data', (data) => {
          answer += data
        })
        socket.on('error', () => {})
        socket.on('close', () => {
          if (answer.startsWith('HTTP/1.1 408 ')) refused++
        })
        socket.write(head + 'x'.repeat(bytes))
      }
      const most = Math.floor((16 * 1024 * 1024) / bytes)
      while (refused < strangers.length - most) await Bun.sleep(10)
      const [body, signature] = await signed(checkoutEvent(crypto.randomUUID()))
      const event = await fetch(`http://127.0.0.1:${server.port}/webhooks/stripe`, {
        method: 'POST',
        body,
        headers: { 'stripe-signature': signature },
      })
      expect(event.status).toBe(200)
      expect(refused).toBe(strangers.length - most)
    } finally {
      for (const socket of strangers) socket.destroy()
      await server.stop(true)
    }
  })
})
