/** An error says what was charged, as far as that is known, and what to do where it is not. */
import { describe, expect, test } from 'bun:test'
import { exampleAnswers, exampleApi } from '../../src/api/examples.ts'
import { ERRORS } from '../../src/contract/errors.ts'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { APP_URL, BASE_URL } from '../helpers/service.ts'

const addresses = { baseUrl: BASE_URL, appUrl: APP_URL, serviceName: 'Chainkin' }
const { ask } = exampleApi(addresses)

interface ErrorOf {
  code: string
  charged: number | null
  message: string
}

/** The error of a call whose charge throws this. */
function errorOf(path: string, throws: Error, headers: Record<string, string> = {}) {
  return errorIn(ask(path, { throws, headers }))
}

/** The error of a call that was charged and whose answer then fails: the outcome can't be rendered. */
function errorAfterCharge(headers: Record<string, string> = {}) {
  return errorIn(ask('/v1/people', { says: JSON.parse('{"unlocked":1}'), headers }))
}

async function errorIn(answer: Promise<unknown>): Promise<ErrorOf> {
  return ((await answer) as { error: ErrorOf }).error
}

const unsent = new DatabaseUnavailable('no connection')
const unknown = new DatabaseUnavailable('no answer', { isUnknown: true })
const unforeseen = new TypeError('undefined is not a function')

describe('error.charged', () => {
  test('is 0 for every code whose call ended before a charge', async () => {
    const { errors } = await exampleAnswers(addresses)
    expect(Object.keys(errors).sort()).toEqual(Object.keys(ERRORS).sort())
    for (const [code, body] of Object.entries(errors)) {
      expect([code, body]).toMatchObject([code, { error: { charged: 0 } }])
    }
  })

  test('is 0 where the charge did not reach the database, and the message says so', async () => {
    const { code, charged, message } = await errorOf('/v1/people', unsent)
    expect([code, charged]).toEqual(['unavailable', 0])
    expect(message).toContain('Nothing was charged')
  })

  test('is 0 where the meter failed before anything was sent', async () => {
    const { code, charged, message } = await errorOf('/v1/people', unforeseen)
    expect([code, charged]).toEqual(['internal_error', 0])
    expect(message).toContain('Nothing was charged')
  })

  test.each([
    ['unavailable', () => errorOf('/v1/people', unknown)],
    ['internal_error', () => errorAfterCharge()],
  ] as const)(
    'is null for %s where the end of the charge is not known; the ledger will tell',
    async (expected, failing) => {
      const { code, charged, message } = await failing()
      expect([code, charged]).toEqual([expected, null])
      expect(message).toContain('Whether the call was charged is not known')
      expect(message).toContain(`The ledger will tell: ${APP_URL}/balance`)
      expect(message).not.toContain('Nothing was charged')
    },
  )

  test('with an Idempotency-Key the message says to repeat the call with the same one', async () => {
    const headers = { 'idempotency-key': 'k1' }
    for (const failing of [errorOf('/v1/people', unknown, headers), errorAfterCharge(headers)]) {
      const { charged, message } = await failing
      expect(charged).toBeNull()
      expect(message).toContain('Repeat it with the same Idempotency-Key')
      expect(message).not.toContain('ledger')
    }
  })

  test('is 0 for what costs nothing however it ends: /v1/me, and a call that gate 5 refuses', async () => {
    for (const failure of [unknown, unforeseen]) {
      expect((await errorOf('/v1/me', failure)).charged).toBe(0)
      expect((await errorOf('/v1/people?sort=x', failure)).charged).toBe(0)
    }
  })
})
