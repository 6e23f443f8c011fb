/** Methods and paths, and what every route asks of a request. */
import { describe, expect, test } from 'bun:test'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { QUOTE_HEADERS } from '../../src/contract/headers.ts'
import { incoming } from '../../src/runtime.ts'
import { ADA, AURORA, EMBER, HARBOR } from '../helpers/fixtures.ts'
import { startService } from './setup.ts'

const service = await startService()

/** A call that each endpoint answers with live data, and the credits the contract's table quotes. */
const CALLS: Record<keyof typeof ENDPOINTS, [path: string, credits: number]> = {
  me: ['/v1/me', 0],
  people: ['/v1/people', 5],
  person: [`/v1/people/${ADA.slug}`, 5],
  projects: ['/v1/projects', 5],
  project: [`/v1/projects/${AURORA.slug}`, 5],
  investors: ['/v1/investors', 5],
  investor: [`/v1/investors/${EMBER.slug}`, 5],
  services: ['/v1/services', 5],
  service: [`/v1/services/${HARBOR.slug}`, 5],
  search: ['/v1/search?q=aurora', 5],
}
const EACH = Object.values(CALLS)
const PATHS = EACH.map(([path]) => path)

describe('the endpoints of the contract', () => {
  test('contract/Endpoints, Versioning 1: every registered route is in this table, under /v1, and no other', () => {
    const registered: string[] = Object.values(ENDPOINTS).map(({ path }) => path)
    expect(registered.sort()).toEqual(
      [
        '/v1/investors',
        '/v1/investors/:slug',
        '/v1/me',
        '/v1/people',
        '/v1/people/:id',
        '/v1/projects',
        '/v1/projects/:id',
        '/v1/search',
        '/v1/services',
        '/v1/services/:slug',
      ].sort(),
    )
  })

  test.each(EACH)(
    'contract/Endpoints: GET %s is answered 200 with JSON for %d credits',
    async (path, credits) => {
      const caller = await service.account({ credits: 20 })
      const { status, headers, body } = await caller.get(path)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(body.meta).toEqual({ creditsCharged: credits, creditsBalance: 20 - credits })
      expect(await service.balance(caller.id)).toBe(20 - credits)
    },
  )

  test.each(PATHS)('contract/Endpoints: GET %s needs the scope read:metadata', async (path) => {
    const caller = await service.account({ credits: 20, scopes: ['read:contacts'] })
    const { status, body } = await caller.get(path)
    expect([status, body.error.code, body.error.allowed]).toEqual([
      403,
      'missing_scope',
      ['read:metadata'],
    ])
  })

  test.each(PATHS)('contract/Authentication 1: GET %s without a key is a 401', async (path) => {
    const { status, body } = await service.request(path, {}, `192.0.2.${PATHS.indexOf(path) + 1}`)
    expect([status, body.error.code]).toEqual([401, 'unauthorized'])
  })

  test('GET /v1/network is a 404 not_live for 0 credits, with a key and without, and is not listed', async () => {
    const caller = await service.account({ credits: 20 })
    const withKey = await caller.get('/v1/network')
    const without = await service.request('/v1/network')
    expect([withKey.status, withKey.body.error.code]).toEqual([404, 'not_live'])
    expect([without.status, without.body.error.code]).toEqual([404, 'not_live'])
    expect(await service.balance(caller.id)).toBe(20)
    const { body } = await caller.get('/v1/me')
    expect(body.endpoints.map((one: { path: string }) => one.path)).not.toContain('/v1/network')
  })

  test('the API host has /v1 and nothing else: documentation and application paths are JSON 404s', async () => {
    for (const path of ['/', '/docs', '/openapi.json', '/swagger', '/v1', '/v1/', '/v2/me']) {
      const { status, headers, body } = await service.request(path)
      expect([path, status, body?.error?.code]).toEqual([path, 404, 'not_found'])
      expect(headers.get('content-type')).toStartWith('application/json')
    }
  })
})

describe('hosts', () => {
  test.each([
    'http://a',
    'http://api',
    'http://api:3000',
    'http://[::1]:3000',
    'http://api.example.com',
  ])('a call is understood whatever host name it was sent to: %s', async (origin) => {
    const caller = await service.account({ credits: 20 })
    const headers = { authorization: `Bearer ${caller.key}` }
    for (const path of ['/v1/me', `/v1/people/${ADA.id}?include=private`]) {
      const response = await service.api(
        incoming(new Request(`${origin}${path}`, { headers }), '192.0.2.1'),
      )
      expect(response.status).toBe(200)
    }
  })
})

describe('methods', () => {
  test.each(PATHS)('HEAD %s has a GET’s headers, no body, and costs nothing', async (path) => {
    const caller = await service.account({ credits: 20 })
    const headers = { authorization: `Bearer ${caller.key}` }
    const head = await service.request(path, { method: 'HEAD', headers })
    expect([head.status, head.text]).toEqual([200, ''])
    expect(await service.balance(caller.id)).toBe(20)
    const get = await caller.get(path)
    const names = (answer: { headers: Headers }) =>
      [...answer.headers.keys()].filter((name) => name !== 'content-length').sort()
    const quoted = Object.keys(QUOTE_HEADERS).map((name) => name.toLowerCase())
    expect(names(head)).toEqual([...names(get), ...quoted].sort())
    expect(head.headers.get('x-ratelimit-remaining')).toBe('119')
  })

  test('HEAD passes gates 3 to 6 as a GET does', async () => {
    const scoped = await service.account({ scopes: ['read:metadata'] })
    const head = (path: string, key?: string) =>
      service.request(path, {
        method: 'HEAD',
        headers: key ? { authorization: `Bearer ${key}` } : {},
      })
    const answers = await Promise.all([
      head('/v1/people'),
      head('/v1/people?limt=1', scoped.key),
      head(`/v1/people/${ADA.id}?include=private`, scoped.key),
    ])
    expect(answers.map(({ status }) => status)).toEqual([401, 400, 403])
    expect(answers.map(({ text }) => text)).toEqual(['', '', ''])
  })

  test('HEAD of a reveal reveals nothing, unlocks nothing and takes nothing from the cap', async () => {
    const caller = await service.account({ credits: 20 })
    const headers = { authorization: `Bearer ${caller.key}` }
    const path = `/v1/people/${ADA.id}?include=private`
    expect((await service.request(path, { method: 'HEAD', headers })).status).toBe(200)
    const [row] = await service.sql`
      select unlock_count, reveal_count, balance::integer from accounts where id = ${caller.id}`
    expect(row).toEqual({ unlock_count: 0, reveal_count: 0, balance: 20 })
  })

  test.each(PATHS)('OPTIONS %s is a 204 with Allow, no key needed', async (path) => {
    const { status, headers, text } = await service.request(path, { method: 'OPTIONS' })
    expect([status, text, headers.get('allow')]).toEqual([204, '', 'GET, HEAD, OPTIONS'])
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'contract/Rules 1: %s is a 405 with Allow, also with a key, for 0 credits',
    async (method) => {
      const caller = await service.account({ credits: 20 })
      const headers = { authorization: `Bearer ${caller.key}` }
      for (const path of PATHS) {
        const answer = await service.request(path, { method, headers })
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
        expect(answer.body.error.code).toBe('method_not_allowed')
      }
      expect(await service.balance(caller.id)).toBe(20)
    },
  )

  test.each(['PURGE', 'PROPFIND'])(
    '%s, which is no method of HTTP itself, is a 501 with Allow, for 0 credits',
    async (method) => {
      for (const path of PATHS) {
        const answer = await service.request(path, { method })
        expect([answer.status, answer.headers.get('allow')]).toEqual([501, 'GET, HEAD, OPTIONS'])
        expect(answer.body.error).toMatchObject({ code: 'unknown_method', charged: 0 })
      }
    },
  )
})
