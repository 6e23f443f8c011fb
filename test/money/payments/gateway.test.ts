/** What the gateway says where the payment provider or the database fails. */
import { describe, expect, test } from 'bun:test'
import { connect, DatabaseUnavailable } from '../../../src/database/client.ts'
import { createLog } from '../../../src/log.ts'
import { createPaymentGateway } from '../../../src/money/payments/gateway.ts'
import type { StripePayments } from '../../../src/money/payments/stripe.ts'

const OWNER = {
  user: { id: crypto.randomUUID(), email: 'ada@example.com' },
  account: { id: crypto.randomUUID() },
  role: 'owner',
} as const

/** A gateway whose every call of Stripe ends in this error. */
function failing(error: Error) {
  const fail = () => Promise.reject(error)
  const stripe: Pick<StripePayments, keyof StripePayments> = {
    checkout: fail,
    withdraw: fail,
    cancel: fail,
    receive: fail,
    refund: fail,
    check: fail,
    applying: fail,
    isPaid: fail,
    left: fail,
  }
  const logged: string[] = []
  const log = createLog('debug', (line) => logged.push(line))
  const database = connect({ url: 'postgres://nobody@127.0.0.1:1/none', connections: 1 })
  return { gateway: createPaymentGateway(database, stripe, log), logged }
}

describe('nothing is claimed that is not known', () => {
  test.each([
    [true, 'may or may not be applied'],
    [false, 'was not applied'],
  ])('an event, the end of its statement unknown: %p, %s', async (isUnknown, said) => {
    const { gateway, logged } = failing(new DatabaseUnavailable('no answer', { isUnknown }))
    expect(await gateway.webhook('{}', 't=1,v1=x')).toBe(503)
    expect(logged.join()).toContain(`a payment event ${said}; the provider sends it again`)
  })

  test('an event that fails for another reason is sent again, and its values are not logged', async () => {
    const { gateway, logged } = failing(new Error('card 4242'))
    expect(await gateway.webhook('{}', 't=1,v1=x')).toBe(503)
    expect(logged.join()).not.toContain('4242')
  })

  test('a checkout that Stripe fails leads nowhere; one that the database fails is the page’s to explain', async () => {
    const choice = { topUp: 'small' } as const
    const failed = await failing(new Error('timeout')).gateway.checkout(OWNER, choice)
    expect(failed).toEqual({ outcome: 'unavailable' })
    const unavailable = new DatabaseUnavailable('no answer', { isUnknown: true })
    const thrown = failing(unavailable)
      .gateway.checkout(OWNER, choice)
      .catch((error: unknown) => error)
    expect(await thrown).toBe(unavailable)
  })
})
