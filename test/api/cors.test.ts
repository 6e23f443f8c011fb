/** CORS headers only where the operator set the allowed origins. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fixtures } from '../helpers/fixtures.ts'
import { type TestService, testService } from '../helpers/service.ts'

const ORIGIN = 'https://dashboard.example'

let closed: TestService
let listed: TestService
let open: TestService

beforeAll(async () => {
  closed = await testService(fixtures)
  listed = await testService(fixtures, { CORS_ORIGINS: `https://other.example,${ORIGIN}` })
  open = await testService(fixtures, { CORS_ORIGINS: '*' })
})
afterAll(() => Promise.all([closed.stop(), listed.stop(), open.stop()]))

const corsOf = ({ headers }: { headers: Headers }) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort()

const ask = (service: TestService, origin: string, method = 'GET') =>
  service.request('/v1/people', { method, headers: { origin } })

test('without CORS_ORIGINS no response has a CORS header, not even OPTIONS', async () => {
  for (const method of ['GET', 'OPTIONS', 'POST']) {
    expect(corsOf(await ask(closed, ORIGIN, method))).toEqual([])
  }
})

test('a listed origin is allowed by its name, on answers, errors and OPTIONS', async () => {
  for (const method of ['GET', 'OPTIONS', 'POST']) {
    const { headers } = await ask(listed, ORIGIN, method)
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
    expect(headers.get('access-control-allow-headers')).toContain('Authorization')
    expect(headers.get('vary')).toBe('Accept-Encoding, Origin')
  }
  const caller = await listed.account({ credits: 5 })
  const { headers } = await caller.get('/v1/people', { origin: ORIGIN })
  expect(headers.get('access-control-allow-origin')).toBe(ORIGIN)
})

test('an origin that is not listed, or that only looks like one, gets none', async () => {
  for (const origin of [
    'https://evil.example',
    `${ORIGIN}.evil.example`,
    'http://dashboard.example',
    'null',
  ]) {
    expect(corsOf(await ask(listed, origin))).toEqual([])
  }
})

test('what one answer says is not on the next one', async () => {
  const namesOf = async (origin: string, method: string) =>
    [...(await ask(listed, origin, method)).headers.keys()].sort()
  const before = await namesOf('https://evil.example', 'GET')
  expect(await namesOf(ORIGIN, 'GET')).not.toEqual(before)
  const options = await namesOf(ORIGIN, 'OPTIONS')
  expect(options).toContain('allow')
  expect(options).not.toContain('content-type')
  expect(await namesOf('https://evil.example', 'GET')).toEqual(before)
  expect(before).toContain('content-type')
})

const preflight = (service: TestService, path: string, origin = ORIGIN) =>
  service.request(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET' },
  })

test('a script of an allowed origin reads the errors of paths that are unknown, planned or too long: their preflights succeed', async () => {
  for (const service of [listed, open]) {
    for (const path of [
      '/v1/nothing',
      '/nothing',
      '/v1/network',
      `/v1/people?q=${'a'.repeat(9_000)}`,
    ]) {
      const { status, text, headers } = await preflight(service, path)
      expect([path.slice(0, 20), status, text]).toEqual([path.slice(0, 20), 204, ''])
      expect(headers.get('access-control-allow-origin')).toBe(service === open ? '*' : ORIGIN)
      expect(headers.get('content-type')).toBeNull()
    }
  }
  // Elsewhere the path decides.
  expect((await preflight(listed, '/v1/nothing', 'https://evil.example')).status).toBe(404)
  expect((await preflight(closed, '/v1/nothing')).status).toBe(404)
  expect((await ask(listed, ORIGIN, 'OPTIONS')).status).toBe(204)
})

test('a preflight allows Content-Type, which clients send with a GET as well, and is remembered for two hours', async () => {
  for (const service of [listed, open]) {
    const { headers } = await preflight(service, '/v1/people')
    expect(headers.get('access-control-allow-headers')?.split(', ')).toEqual([
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'X-Request-Id',
    ])
    expect(headers.get('access-control-max-age')).toBe('7200')
    expect((await ask(service, ORIGIN)).headers.has('access-control-max-age')).toBe(false)
  }
})

test('* allows any origin', async () => {
  const { headers } = await ask(open, 'https://anybody.example')
  expect(headers.get('access-control-allow-origin')).toBe('*')
})

test('scripts of an allowed origin may read the headers that the contract names', async () => {
  const { headers } = await ask(listed, ORIGIN)
  const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ')
  for (const name of [
    'service-sample',
    'service-api-version',
    'product-api-version',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'retry-after',
    'x-request-id',
  ]) {
    expect(exposed).toContain(name)
  }
})

test('credentials are never allowed: a key is sent by the script, not by the browser', async () => {
  for (const service of [listed, open]) {
    const { headers } = await ask(service, ORIGIN, 'OPTIONS')
    expect(headers.has('access-control-allow-credentials')).toBe(false)
  }
})
