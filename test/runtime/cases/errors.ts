/** Every error with the headers that go with it, and the methods that are no GET. */
import { expect } from 'bun:test'
import { many, type Received } from '../http.ts'
import type { Stage } from '../stage.ts'

/** Addresses for documentation: clients behind the trusted proxy, each with a limit of its own. */
let clients = 0
const newAddress = () => `198.51.100.${++clients}`

export function errorCases(stage: Stage) {
  /** The answer is this error, with the body and headers that every error has. */
  function expectError({ status, headers, body }: Received, expected: number, code: string) {
    expect([status, body?.error.code]).toEqual([expected, code])
    expect(body.error.message).toBeString()
    expect(body.error.docs).toBe(`${stage.server.appUrl}/docs/errors#${code}`)
    // A copy: where it matches, the matchers take the values' places.
    expect({ ...headers }).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
      'service-api-version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
      'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
      'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
      'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
    })
    expect(headers['product-api-version']).toBe(headers['service-api-version'] ?? '')
  }

  stage.check('400: names the parameter, what is allowed, and the nearest known name', async () => {
    const unknown = await stage.get('/v1/people?limt=1', await stage.reader())
    expectError(unknown, 400, 'unknown_parameter')
    expect(unknown.body.error.message).toContain('limit')
    const wrong = await stage.get('/v1/people?sort=size', await stage.reader())
    expectError(wrong, 400, 'invalid_parameter')
    expect(wrong.body.error).toMatchObject({ parameter: 'sort', allowed: ['recent', 'name'] })
    expectError(await stage.get('/v1/people?q=%00', await stage.reader()), 400, 'invalid_parameter')
    expectError(await stage.get('/v1/search', await stage.reader()), 400, 'missing_parameter')
  })

  stage.check(
    '401: alike for no key, a wrong one and two; the challenge says whether one was sent',
    async () => {
      const { key } = await stage.reader()
      const from = { 'X-Forwarded-For': newAddress() }
      const none = await stage.api('/v1/people', { headers: from })
      expectError(none, 401, 'unauthorized')
      expect(none.headers['www-authenticate']).toBe('Bearer')
      for (const sent of ['Bearer ck_live_nobody', 'Basic eDp5', `Bearer ${key}, Bearer ${key}`]) {
        const answer = await stage.api('/v1/people', { headers: { ...from, Authorization: sent } })
        expectError(answer, 401, 'unauthorized')
        expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
        expect(answer.body).toEqual(none.body)
      }
    },
  )

  stage.check('402: says what the call costs and what is there', async () => {
    const answer = await stage.get('/v1/people', await stage.caller('pro', 4))
    expectError(answer, 402, 'insufficient_credits')
    expect(answer.body.error).toMatchObject({ creditsRequired: 5, creditsBalance: 4 })
  })

  stage.check('403: a key without read:contacts may not reveal', async () => {
    const reader = await stage.caller('pro', 100, '--scopes', 'read:metadata')
    const answer = await stage.get('/v1/people/ada-ashford?include=private', reader)
    expectError(answer, 403, 'missing_scope')
    expect(answer.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"')
    expect(answer.body.error.allowed).toEqual(['read:contacts'])
    expect((await stage.get('/v1/people/ada-ashford', reader)).status).toBe(200)
  })

  stage.check(
    '404: an unknown path, an unknown record, a company that is no fund, and what is planned',
    async () => {
      expectError(await stage.api('/v2/people'), 404, 'not_found')
      expectError(await stage.get('/v1/people/nobody', await stage.reader()), 404, 'not_found')
      expectError(
        await stage.get('/v1/investors/aurora-protocol', await stage.reader()),
        404,
        'not_found',
      )
      expectError(await stage.api('/v1/network'), 404, 'not_live')
    },
  )

  stage.check(
    '405: any other method, with Allow; 501: one that is not known; its body is not waited for',
    async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await stage.api('/v1/people', { method, body: '{}' })
        expectError(answer, 405, 'method_not_allowed')
        expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS')
      }
      const purge = await stage.api('/v1/people', { method: 'PURGE', body: '{}' })
      expectError(purge, 501, 'unknown_method')
    },
  )

  stage.check(
    '414 for a URL beyond 8 KiB, 431 for headers beyond 16 KiB, both with a body',
    async () => {
      const long = await stage.get(`/v1/search?q=${'a'.repeat(9_000)}`, await stage.reader())
      expectError(long, 414, 'uri_too_long')
      const longer = await stage.get(`/v1/search?q=${'a'.repeat(40_000)}`, await stage.reader())
      expectError(longer, 414, 'uri_too_long')
      const one = await stage.get('/v1/me', await stage.reader(), { 'X-Large': 'a'.repeat(40_000) })
      expectError(one, 431, 'headers_too_large')
      const many = Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`X-Large-${n}`, 'a'.repeat(500)]),
      )
      expectError(await stage.get('/v1/me', await stage.reader(), many), 431, 'headers_too_large')
    },
  )

  stage.check(
    'contract/Limits: 130 calls, 35 at once: 120 answers and ten 429 with Retry-After',
    async () => {
      const busy = await stage.caller('pro', 0)
      const answers = await many(130, () => stage.get('/v1/me', busy))
      const refused = answers.filter(({ status }) => status !== 200)
      expect(refused).toHaveLength(10)
      for (const answer of refused) {
        expectError(answer, 429, 'rate_limited')
        expect(Number(answer.headers['retry-after'])).toBeWithin(1, 61)
        expect(answer.headers['x-ratelimit-remaining']).toBe('0')
      }
    },
  )

  stage.check(
    'contract/Limits: 25 rejected keys of one address: 20 are 401, five 429; other addresses and good keys pass',
    async () => {
      const from = { 'X-Forwarded-For': newAddress() }
      const answers = await Promise.all(
        Array.from({ length: 25 }, () => stage.api('/v1/people', { headers: from })),
      )
      const over = answers.filter(({ status }) => status !== 401)
      expect(over).toHaveLength(5)
      for (const answer of over) {
        expectError(answer, 429, 'too_many_rejected_keys')
        expect(Number(answer.headers['retry-after'])).toBeWithin(1, 61)
      }
      expect((await stage.get('/v1/me', await stage.reader(), from)).status).toBe(200)
      const elsewhere = { 'X-Forwarded-For': newAddress() }
      expect((await stage.api('/v1/people', { headers: elsewhere })).status).toBe(401)
    },
  )

  stage.check('HEAD has the headers of a GET and no body, also of an error', async () => {
    const headers = { Authorization: `Bearer ${(await stage.reader()).key}` }
    const paths: [string, number][] = [
      ['/v1/people', 200],
      ['/v1/people?limt=1', 400],
      ['/v1/nothing', 404],
    ]
    for (const [path, status] of paths) {
      const answer = await stage.api(path, { method: 'HEAD', headers })
      expect([path, answer.status, answer.text]).toEqual([path, status, ''])
      expect(answer.headers['content-length']).not.toBe('0')
      expect(answer.headers['x-ratelimit-limit']).toBe('300')
      expect(answer.headers.date).toEndWith(' GMT')
    }
  })

  stage.check('OPTIONS is a 204 with Allow, without a key and without a body', async () => {
    const { status, headers, text } = await stage.api('/v1/people', { method: 'OPTIONS' })
    expect([status, headers.allow, text]).toEqual([204, 'GET, HEAD, OPTIONS', ''])
  })

  stage.check(
    'a client’s own request id is echoed if it is well formed, and replaced if not',
    async () => {
      const { headers } = await stage.api('/v1/network', { headers: { 'X-Request-Id': 'a.b_c-1' } })
      expect(headers['x-request-id']).toBe('a.b_c-1')
      const other = await stage.api('/v1/network', { headers: { 'X-Request-Id': 'a b' } })
      expect(other.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    },
  )
}
