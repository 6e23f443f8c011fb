/** What an operator's settings change of the API's answers. The suite of the contract has CORS and proxies set. */
import { afterAll, describe, expect, test } from 'bun:test'
import { generateApiKey } from '../../src/money/accounts/api-key.ts'
import { createKeyCache } from '../../src/money/accounts/key-cache.ts'
import { incoming } from '../../src/runtime.ts'
import { startDirectory } from '../../src/testing/start.ts'
import { ADA, fixtures } from '../helpers/fixtures.ts'
import { testService } from '../helpers/service.ts'

const plain = await testService(fixtures)
const open = await testService(fixtures, { CORS_ORIGINS: '*' })
afterAll(() => Promise.all([plain.stop(), open.stop()]))

describe('CORS', () => {
  const origin = 'https://anybody.example'
  const preflight = { origin, 'access-control-request-method': 'GET' }

  test('without CORS_ORIGINS no response has a CORS header, not even OPTIONS', async () => {
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const { headers } = await plain.request('/v1/people', { method, headers: preflight })
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
      expect(headers.get('vary')).toBe('Accept-Encoding')
    }
    const init = { method: 'OPTIONS', headers: preflight }
    expect((await plain.request('/v1/nothing', init)).status).toBe(404)
  })

  test('* allows any origin, without credentials', async () => {
    for (const path of ['/v1/people', '/v1/nothing', `/v1/people?q=${'a'.repeat(9_000)}`]) {
      const { status, headers } = await open.request(path, {
        method: 'OPTIONS',
        headers: preflight,
      })
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*'])
      expect(headers.get('access-control-max-age')).toBe('7200')
      expect(headers.has('access-control-allow-credentials')).toBe(false)
    }
    const { headers } = await open.request('/v1/people', { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })
})

test('without TRUSTED_PROXIES a forwarding header is not read: changing it is no way out', async () => {
  const statuses: number[] = []
  for (let n = 0; n < 21; n++) {
    const headers = { 'x-forwarded-for': `203.0.113.${n}`, 'x-real-ip': `203.0.113.${n}` }
    statuses.push((await plain.request('/v1/me', { headers }, '192.0.2.20')).status)
  }
  expect(statuses).toEqual([...Array(20).fill(401), 429])
})

test.each(['http://a', 'http://api:3000', 'http://[::1]:3000', 'http://api.example.com'])(
  'a call is understood whatever host name it was sent to: %s',
  async (origin) => {
    const { key } = await plain.account({ credits: 20 })
    const headers = { authorization: `Bearer ${key}` }
    for (const path of ['/v1/me', `/v1/people/${ADA.id}?include=private`]) {
      const request = incoming(new Request(`${origin}${path}`, { headers }), '192.0.2.1')
      expect((await plain.api(request)).status).toBe(200)
    }
  },
)

test('Strict-Transport-Security is sent by the host whose public address is https, on errors and pages too', async () => {
  const hosts = [
    { BASE_URL: 'https://api.example', APP_URL: 'http://app.example' },
    { BASE_URL: 'http://api.example', APP_URL: 'https://app.example' },
  ]
  for (const environment of hosts) {
    await using dir = await startDirectory({ listen: false, environment })
    const urls = [
      ...['/v1/me', '/nothing'].map((path) => dir.url + path),
      ...['/docs', '/nothing', '/health', `/${'a'.repeat(9_000)}`, '/robots.txt', '/balance'].map(
        (path) => dir.appUrl + path,
      ),
    ]
    for (const url of urls) {
      const { headers } = await dir.fetch(url)
      const expected = url.startsWith('https:') ? 'max-age=31536000' : null
      expect([url, headers.get('strict-transport-security')]).toEqual([url, expected])
    }
  }
})

test('a key whose checksum is wrong is refused without a look-up; a key that holds is looked up once', async () => {
  let lookUps = 0
  const keys = createKeyCache({
    ...plain.database,
    use: (work, options) => {
      lookUps++
      return plain.database.use(work, options)
    },
  })
  const { key } = await plain.account()
  const mistyped = key.slice(0, 20) + (key[20] === 'x' ? 'y' : 'x') + key.slice(21)
  for (const wrong of [mistyped, 'ck_live_']) expect(await keys.resolve(wrong)).toBeUndefined()
  expect(lookUps).toBe(0)
  for (let n = 0; n < 2; n++) expect(await keys.resolve(key)).toBeDefined()
  expect(lookUps).toBe(1)
  // Nobody has a key before it is made, so one that is nobody's is not looked up again for some seconds.
  const madeUp = generateApiKey().key
  for (let n = 0; n < 2; n++) expect(await keys.resolve(madeUp)).toBeUndefined()
  expect(lookUps).toBe(2)
})
