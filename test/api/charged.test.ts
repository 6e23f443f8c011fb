/** D42: an error says what was charged, as far as that is known, and what to do where it is not. */
import { describe, expect, test } from 'bun:test'
import { exampleAnswers, exampleApi } from '../../src/api/examples.ts'
import { ERRORS } from '../../src/contract/errors.ts'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { APP_URL, BASE_URL } from '../helpers/service.ts'

const addresses = { baseUrl: BASE_URL, appUrl: APP_URL, serviceName: 'Chainkin' }
const { ask } = exampleApi(addresses)

/** The error of a call whose charge ends so. */
async function errorOf(path: string, throws: Error, headers: Record<string, string> = {}) {
  const body = (await ask(path, { throws, headers })) as {
    error: { code: string; charged: number | null; message: string }
  }
  return body.error
}

const unsent = new DatabaseUnavailable('no connection')
const unknown = new DatabaseUnavailable('no answer', { isUnknown: true })
const unforeseen = new TypeError('undefined is not a function')

describe('D42: error.charged', () => {
  test('is 0 for every code whose call ended before a charge', async () => {
    const { errors } = await exampleAnswers(addresses)
    expect(Object.keys(errors).sort()).toEqual(Object.keys(ERRORS).sort())
    for (const [code, body] of Object.entries(errors)) {
      const charged = code === 'internal_error' ? null : 0
      expect([code, body]).toMatchObject([code, { error: { charged } }])
    }
  })

  test('is 0 where the charge did not reach the database, and the message says so', async () => {
    const { code, charged, message } = await errorOf('/v1/people', unsent)
    expect([code, charged]).toEqual(['unavailable', 0])
    expect(message).toContain('Nothing was charged')
  })

  test.each([
    ['unavailable', unknown],
    ['internal_error', unforeseen],
  ] as const)(
    'is null for %s where the end of the charge is not known; the ledger will tell',
    async (expected, failure) => {
      const { code, charged, message } = await errorOf('/v1/people', failure)
      expect([code, charged]).toEqual([expected, null])
      expect(message).toContain('Whether the call was charged is not known')
      expect(message).toContain(`The ledger will tell: ${APP_URL}/balance`)
      expect(message).not.toContain('Nothing was charged')
    },
  )

  test.each([unknown, unforeseen])(
    'with an Idempotency-Key the message says to repeat the call with the same one',
    async (failure) => {
      const { charged, message } = await errorOf('/v1/people', failure, { 'idempotency-key': 'k1' })
      expect(charged).toBeNull()
      expect(message).toContain('Repeat it with the same Idempotency-Key')
      expect(message).not.toContain('ledger')
    },
  )

  test('is 0 for what costs nothing however it ends: /v1/me, and a call that gate 5 refuses', async () => {
    for (const failure of [unknown, unforeseen]) {
      expect((await errorOf('/v1/me', failure)).charged).toBe(0)
      expect((await errorOf('/v1/people?sort=x', failure)).charged).toBe(0)
    }
  })
})
