/** contract/Authentication 6: requests without a key that resolves, counted per address. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generateApiKey } from '../../src/money/accounts/api-key.ts'
import { type TestService, testService } from '../helpers/service.ts'

let service: TestService
let proxied: TestService

beforeAll(async () => {
  service = await testService()
  proxied = await testService(undefined, { TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8:aaaa::/48' })
})
afterAll(() => Promise.all([service.stop(), proxied.stop()]))

/** The statuses of `count` requests with no key, from `address`. */
async function reject(address: string, count: number, headers: Record<string, string> = {}) {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) {
    statuses.push((await service.request('/v1/me', { headers }, address)).status)
  }
  return statuses
}

/** Through a proxy at `socket`, on behalf of `forwarded`. */
async function rejectThrough(socket: string, forwarded: string, count = 1) {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) {
    const headers = { 'x-forwarded-for': forwarded }
    statuses.push((await proxied.request('/v1/me', { headers }, socket)).status)
  }
  return statuses
}

describe('the limit', () => {
  test('contract/Limits: 20 a minute of one address are a 401, the 21st is a 429', async () => {
    expect(await reject('192.0.2.10', 22)).toEqual([...Array(20).fill(401), 429, 429])
  })

  test('contract/Authentication 6: missing, malformed and unknown keys count alike', async () => {
    const address = '192.0.2.11'
    await reject(address, 7)
    await reject(address, 7, { authorization: 'Bearer nonsense' })
    await reject(address, 6, { authorization: `Bearer ${generateApiKey().key}` })
    expect(await reject(address, 1)).toEqual([429])
  })

  test('the 429 says how long to wait, and the headers count the address’s attempts down', async () => {
    const remaining: (string | null)[] = []
    for (let n = 0; n < 3; n++) {
      const { headers } = await service.request('/v1/me', {}, '192.0.2.12')
      remaining.push(headers.get('x-ratelimit-remaining'))
      expect(headers.get('x-ratelimit-limit')).toBe('20')
    }
    expect(remaining).toEqual(['19', '18', '17'])
    await reject('192.0.2.12', 17)
    const { status, headers, body } = await service.request('/v1/me', {}, '192.0.2.12')
    expect([status, body.error.code]).toEqual([429, 'too_many_rejected_keys'])
    const retryAfter = Number(headers.get('retry-after'))
    expect(retryAfter).toBeGreaterThan(50)
    expect(retryAfter).toBeLessThanOrEqual(60)
    expect(body.error.retryAfter).toBe(retryAfter)
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
  })

  test('a key in force is let in from an address over its limit, and counts nothing there', async () => {
    const { key } = await service.account()
    const headers = { authorization: `Bearer ${key}` }
    const before = await service.request('/v1/me', { headers }, '192.0.2.13')
    expect(before.headers.get('x-ratelimit-limit')).toBe('120')
    expect(await reject('192.0.2.13', 21)).toEqual([...Array(20).fill(401), 429])
    expect((await service.request('/v1/me', { headers }, '192.0.2.13')).status).toBe(200)
  })

  test('other addresses are not concerned', async () => {
    await reject('192.0.2.14', 21)
    expect(await reject('192.0.2.15', 1)).toEqual([401])
  })

  test('unknown paths, wrong methods and OPTIONS count nothing', async () => {
    const address = '192.0.2.16'
    for (let n = 0; n < 10; n++) {
      await service.request('/nothing', {}, address)
      await service.request('/v1/me', { method: 'POST' }, address)
      await service.request('/v1/me', { method: 'OPTIONS' }, address)
    }
    const { headers } = await service.request('/v1/me', {}, address)
    expect(headers.get('x-ratelimit-remaining')).toBe('19')
  })

  test('IPv6 is counted per /64', async () => {
    for (let n = 0; n < 20; n++) {
      expect(await reject(`2001:db8:1:2::${n.toString(16)}`, 1)).toEqual([401])
    }
    expect(await reject('2001:db8:1:2:ffff:ffff:ffff:ffff', 1)).toEqual([429])
    expect(await reject('2001:db8:1:3::1', 1)).toEqual([401])
  })

  test('an IPv4 address in IPv6 clothes is the same client', async () => {
    await reject('::ffff:192.0.2.17', 20)
    expect(await reject('192.0.2.17', 1)).toEqual([429])
  })
})

describe('forwarding headers', () => {
  test('without listed proxies a forwarding header is not read: changing it is no way out', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 21; n++) {
      const headers = { 'x-forwarded-for': `203.0.113.${n}`, 'x-real-ip': `203.0.113.${n}` }
      statuses.push((await service.request('/v1/me', { headers }, '192.0.2.20')).status)
    }
    expect(statuses).toEqual([...Array(20).fill(401), 429])
  })

  test('from a listed proxy the forwarded client is counted, each by itself', async () => {
    expect(await rejectThrough('10.0.0.1', '203.0.113.7', 21)).toEqual([
      ...Array(20).fill(401),
      429,
    ])
    expect(await rejectThrough('10.0.0.1', '203.0.113.8')).toEqual([401])
    expect(await rejectThrough('10.9.9.9', '203.0.113.7')).toEqual([429])
  })

  test('what a client writes before the proxy’s own entry is not believed', async () => {
    await rejectThrough('10.0.0.1', '203.0.113.9', 20)
    expect(await rejectThrough('10.0.0.1', '198.51.100.5, 203.0.113.9')).toEqual([429])
  })

  test('through several listed proxies the last address that is none of them counts', async () => {
    await rejectThrough('10.0.0.1', '203.0.113.10, 10.2.2.2, 2001:db8:aaaa::1', 20)
    expect(await rejectThrough('10.0.0.1', '203.0.113.10')).toEqual([429])
  })

  test('from a socket that is not listed the header is not read', async () => {
    await rejectThrough('192.0.2.30', '203.0.113.11', 20)
    expect(await rejectThrough('192.0.2.30', '203.0.113.12')).toEqual([429])
    expect(await rejectThrough('10.0.0.1', '203.0.113.11')).toEqual([401])
  })

  test('a header that holds no address leaves the proxy’s own', async () => {
    await rejectThrough('10.7.7.7', 'unknown', 20)
    expect(await rejectThrough('10.7.7.7', '"_hidden"')).toEqual([429])
  })
})
