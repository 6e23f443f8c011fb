/** contract/Versioning: what every response carries, whatever its status. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import packageJson from '../../package.json' with { type: 'json' }
import { startDirectory } from '../../src/testing/start.ts'
import { ADA, fixtures, UNKNOWN_ID } from '../helpers/fixtures.ts'
import { type Answer, type TestService, testService } from '../helpers/service.ts'

let service: TestService
/** One answer of every status, by name. */
const answers: Record<string, Answer> = {}

beforeAll(async () => {
  service = await testService(fixtures)
  const rich = await service.account({ credits: 1_000 })
  const free = await service.account()
  const paid = await service.account({ tier: 'pro' })
  const scoped = await service.account({ credits: 100, scopes: ['read:metadata'] })
  const fast = await service.account({ credits: 100 })
  await service.sql`
    update accounts set rate_started_at = meter_now(), rate_count = 120 where id = ${fast.id}`
  const capped = await service.account({ credits: 100 })
  await service.sql`
    update accounts set reveal_started_at = meter_now(), reveal_count = 60 where id = ${capped.id}`
  const reveal = `/v1/people/${ADA.slug}?include=private`
  const crawler = '198.51.100.1'
  for (let n = 0; n < 20; n++) await service.request('/v1/me', {}, crawler)

  answers['200 live'] = await rich.get('/v1/people')
  answers['200 free'] = await rich.get('/v1/me')
  answers['200 reveal'] = await rich.get(reveal)
  answers['200 sample'] = await free.get('/v1/people')
  answers['200 head'] = await service.request('/v1/me', {
    method: 'HEAD',
    headers: { authorization: `Bearer ${rich.key}` },
  })
  answers['204'] = await service.request('/v1/people', { method: 'OPTIONS' })
  answers['400'] = await rich.get('/v1/people?sort=oldest')
  answers['401'] = await service.request('/v1/people', {}, '198.51.100.2')
  answers['402'] = await paid.get('/v1/people')
  answers['403'] = await scoped.get(reveal)
  answers['404 path'] = await service.request('/nothing')
  answers['404 record'] = await rich.get(`/v1/people/${UNKNOWN_ID}`)
  answers['404 planned'] = await service.request('/v1/network')
  answers['405'] = await service.request('/v1/people', { method: 'POST' })
  answers['501'] = await service.request('/v1/people', { method: 'PURGE' })
  answers['414'] = await rich.get(`/v1/people?q=${'a'.repeat(9_000)}`)
  answers['429 rate'] = await fast.get('/v1/people')
  answers['429 cap'] = await capped.get(reveal)
  answers['429 address'] = await service.request('/v1/me', {}, crawler)
  answers['431'] = await rich.get('/v1/people', { 'x-padding': 'a'.repeat(17_000) })
  const broken = spyOn(service.directory, 'ready').mockImplementation(() => {
    throw new Error('a failure nobody foresaw')
  })
  answers['500'] = await rich.get('/v1/people')
  broken.mockRestore()
})
afterAll(() => service.stop())

const NAMES = [
  ['200 live', '200 free', '200 reveal', '200 sample', '200 head', '204', '400', '401', '402'],
  ['403', '404 path', '404 record', '404 planned', '405', '414', '429 rate', '429 cap'],
  ['429 address', '431', '500', '501'],
].flat()

const rateOf = ({ headers }: Answer) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
  reset: headers.get('x-ratelimit-reset'),
})

const of = (name: string): Answer => {
  const answer = answers[name]
  if (!answer) throw new Error(`no answer ${name}`)
  return answer
}

describe('every response', () => {
  test.each(NAMES)('%s has the status that it stands for', (name) => {
    expect(`${of(name).status}`).toBe(name.split(' ')[0] ?? '')
  })

  test.each(NAMES)(
    'contract/Versioning 2: %s names the build in Service-API-Version and Product-API-Version',
    (name) => {
      const { headers } = of(name)
      expect(headers.get('service-api-version')).toBe('1.6.0')
      expect(headers.get('product-api-version')).toBe('1.6.0')
    },
  )

  test.each(NAMES)('contract/Limits: %s has the three X-RateLimit headers', (name) => {
    const { headers } = of(name)
    const limit = Number(headers.get('x-ratelimit-limit'))
    const remaining = Number(headers.get('x-ratelimit-remaining'))
    const reset = headers.get('x-ratelimit-reset') ?? ''
    expect([20, 120]).toContain(limit)
    expect(remaining).toBeGreaterThanOrEqual(0)
    expect(remaining).toBeLessThanOrEqual(limit)
    // The epoch second at which a window of 60 s ends.
    expect(reset).toMatch(/^\d{10}$/)
    expect(Math.abs(Number(reset) - Date.now() / 1_000)).toBeLessThan(90)
  })

  test.each(NAMES)('%s is not to be stored, and has a request id of its own', (name) => {
    const { headers } = of(name)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
    const ids = NAMES.map((other) => of(other).headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each(NAMES.filter((name) => Number(name.split(' ')[0]) >= 400))(
    'contract/Errors: %s has a JSON error with code, message and a docs link to its own section',
    (name) => {
      const { headers, body } = of(name)
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(Object.keys(body)).toEqual(['error'])
      expect(body.error.code).toMatch(/^[a-z_]+$/)
      expect(body.error.message).toBeString()
      expect(body.error.docs).toBe(`http://app.test/docs/errors#${body.error.code}`)
    },
  )

  test.each(NAMES.filter((name) => name.startsWith('429')))(
    '%s has Retry-After in whole seconds, at least 1, and says the same in the body',
    (name) => {
      const { headers, body } = of(name)
      const retryAfter = headers.get('retry-after') ?? ''
      expect(retryAfter).toMatch(/^[1-9]\d*$/)
      expect(body.error.retryAfter).toBe(Number(retryAfter))
    },
  )

  test('only a 429 has Retry-After among them', () => {
    const having = NAMES.filter((name) => of(name).headers.has('retry-after'))
    expect(having).toEqual(NAMES.filter((name) => name.startsWith('429')))
  })

  test('where an account is known the headers speak of its rate, else of the address’s rejected keys', () => {
    const limits = NAMES.map((name) => [name, Number(of(name).headers.get('x-ratelimit-limit'))])
    const ofAddress = limits.filter(([, limit]) => limit === 20).map(([name]) => name)
    expect(ofAddress).toEqual([
      '204',
      '401',
      '404 path',
      '404 planned',
      '405',
      '429 address',
      '501',
    ])
  })

  test('an answer that is given before the key is read shows the rate of the key’s account, and counts nothing', async () => {
    const caller = await service.account({ credits: 100 })
    const headers = { authorization: `Bearer ${caller.key}` }
    const requests: [status: number, path: string, init: RequestInit][] = [
      [404, '/v1/nothing', {}],
      [404, '/v1/network', {}],
      [404, '/v1/nothing', { method: 'HEAD' }],
      [405, '/v1/people', { method: 'POST' }],
      [501, '/v1/people', { method: 'PURGE' }],
      [204, '/v1/people', { method: 'OPTIONS' }],
      [414, `/v1/people?q=${'a'.repeat(9_000)}`, {}],
      [431, '/v1/people', { headers: { ...headers, 'x-padding': 'a'.repeat(17_000) } }],
    ]
    const ratesOf = () =>
      Promise.all(
        requests.map(async ([status, path, init]) => {
          const answer = await service.request(path, { headers, ...init })
          expect([path.slice(0, 20), answer.status]).toEqual([path.slice(0, 20), status])
          return rateOf(answer)
        }),
      )
    // A key that nobody has called with is not looked up.
    expect((await ratesOf()).map(({ limit }) => limit)).toEqual(requests.map(() => '20'))
    const rate = rateOf(await caller.get('/v1/me'))
    expect([rate.limit, rate.remaining]).toEqual(['120', '119'])
    expect(await ratesOf()).toEqual(requests.map(() => rate))
    expect(rateOf(await caller.get('/v1/me')).remaining).toBe('118')
  })

  test('a key that may not be used from an address, and a revoked one, show nothing of their account’s rate there', async () => {
    const caller = await service.account({ credits: 100 })
    const headers = { authorization: `Bearer ${caller.key}` }
    const limitAt = async (address: string, path: string) =>
      rateOf(await service.request(path, { headers }, address)).limit
    await service.sql`update api_keys set networks = '{203.0.113.0/24}' where account_id = ${caller.id}`
    expect(await limitAt('203.0.113.1', '/v1/me')).toBe('120')
    expect(await limitAt('203.0.113.1', '/v1/nothing')).toBe('120')
    expect(await limitAt('198.51.100.9', '/v1/nothing')).toBe('20')
    await service.sql`update api_keys set revoked_at = meter_now() where account_id = ${caller.id}`
    expect(await limitAt('203.0.113.1', '/v1/me')).toBe('20')
    expect(await limitAt('203.0.113.1', '/v1/nothing')).toBe('20')
    // Nor later, when the database would be asked about the key again.
    await pause(1_100)
    expect(await limitAt('203.0.113.1', '/v1/nothing')).toBe('20')
  })

  test('contract/Limits: Remaining counts down and Reset stays for the length of a window', async () => {
    const caller = await service.account({ credits: 100 })
    const seen: [number, string | null][] = []
    for (let n = 0; n < 3; n++) {
      const { headers } = await caller.get('/v1/me')
      seen.push([Number(headers.get('x-ratelimit-remaining')), headers.get('x-ratelimit-reset')])
    }
    expect(seen.map(([remaining]) => remaining)).toEqual([119, 118, 117])
    expect(new Set(seen.map(([, reset]) => reset)).size).toBe(1)
  })
})

describe('versions', () => {
  test('contract/Versioning 2: the header, apiVersion of /v1/me and the package’s version are one value', () => {
    const { headers, body } = of('200 free')
    expect(body.apiVersion).toBe(packageJson.version)
    expect(headers.get('service-api-version')).toBe(body.apiVersion)
  })
})

describe('request ids', () => {
  test('a client’s own id is echoed when it is 1 to 128 characters of [A-Za-z0-9._-]', async () => {
    for (const id of ['a', 'Job-7_x.y', 'i'.repeat(128)]) {
      const { headers } = await service.request('/nothing', { headers: { 'x-request-id': id } })
      expect(headers.get('x-request-id')).toBe(id)
    }
  })

  test('any other id is replaced by one of ours', async () => {
    for (const id of ['i'.repeat(129), 'with space', 'semi;colon', '<b>']) {
      const { headers } = await service.request('/nothing', { headers: { 'x-request-id': id } })
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('the request id of a charge stands in the ledger', async () => {
    const caller = await service.account({ credits: 5 })
    await caller.get('/v1/people', { 'x-request-id': 'ticket-42' })
    const rows = await service.sql`
      select request_id from ledger where account_id = ${caller.id} and kind = 'charge'`
    expect([...rows]).toEqual([{ request_id: 'ticket-42' }])
  })
})

test('Strict-Transport-Security is sent by the host whose public address is https, on errors and pages too', async () => {
  const hosts = [
    { BASE_URL: 'https://api.example', APP_URL: 'http://app.example' },
    { BASE_URL: 'http://api.example', APP_URL: 'https://app.example' },
  ]
  for (const environment of hosts) {
    await using dir = await startDirectory({ listen: false, environment })
    for (const [url, path] of [
      [dir.url, '/v1/me'],
      [dir.url, '/nothing'],
      [dir.appUrl, '/docs'],
      [dir.appUrl, '/nothing'],
      [dir.appUrl, '/health'],
      [dir.appUrl, `/${'a'.repeat(9_000)}`],
      [dir.appUrl, '/robots.txt'],
      [dir.appUrl, '/balance'],
    ] as const) {
      const { headers } = await dir.fetch(url + path)
      const expected = url.startsWith('https:') ? 'max-age=31536000' : null
      expect([path.slice(0, 9), headers.get('strict-transport-security')]).toEqual([
        path.slice(0, 9),
        expected,
      ])
    }
  }
})
