/** What callers hear of a key's end, cap and networks. */
import { describe, expect, test } from 'bun:test'
import { SCOPES } from '../../src/contract/endpoints.ts'
import { isAllowedFrom, type KeyLimits, networksOf } from '../../src/money/accounts/key-limits.ts'
import { createKey, rotateKey } from '../../src/money/accounts/keys.ts'
import { startClockedApi } from './setup.ts'

const { service, clock } = await startClockedApi()

async function limited(limits: KeyLimits) {
  const account = await service.account({ tier: 'pro', credits: 100 })
  const made = await createKey(service.database, account.id, 'script', SCOPES, limits)
  const ask = (path: string, address?: string) =>
    service.request(path, { headers: { authorization: `Bearer ${made.key}` } }, address)
  return { account, made, ask }
}

test('over its cap a key hears 402 with when that renews; another key of the account goes on', async () => {
  const { account, ask } = await limited({ cap: { credits: 5, period: 'month' } })
  expect((await ask('/v1/people')).status).toBe(200)
  const { status, body } = await ask('/v1/people')
  expect([status, body.error]).toMatchObject([
    402,
    {
      code: 'key_cap_exceeded',
      charged: 0,
      creditsRequired: 5,
      renewsAt: '2026-02-01T00:00:00.000Z',
    },
  ])
  expect(body.error.message).toContain('has spent 5 of the 5 that it may spend in a month of UTC')
  expect((await account.get('/v1/people')).status).toBe(200)
  expect(await service.balance(account.id)).toBe(90)
})

test('/v1/me says the limits of a key that has some, and has the contract’s fields alone where it has none', async () => {
  const networks = ['192.0.2.0/24', '127.0.0.1', '::1']
  const cap = { credits: 50, period: 'day' as const }
  const { account, ask } = await limited({ expiresSeconds: 86_400, cap, networks })
  await ask('/v1/people', '192.0.2.9')
  const { body } = await ask('/v1/me', '192.0.2.9')
  const tomorrow = new Date(clock.now() + 86_400_000).toISOString()
  expect(body.apiKey).toEqual({
    ...{ label: 'script', prefix: expect.any(String), scopes: [...SCOPES], environment: 'live' },
    ...{ expiresAt: tomorrow, networks },
    cap: { credits: 50, period: 'day', spent: 5, renewsAt: '2026-02-01T00:00:00.000Z' },
  })
  const plain = await account.get('/v1/me')
  expect(Object.keys(plain.body.apiKey)).toEqual(['label', 'prefix', 'scopes', 'environment'])
})

test('past its end a key is refused as any that is not in force, also where it was known to be', async () => {
  const { ask } = await limited({ expiresSeconds: 60 })
  expect((await ask('/v1/people')).status).toBe(200)
  await clock.advance(60)
  expect((await ask('/v1/people')).body.error.code).toBe('unauthorized')
})

describe('networks', () => {
  test('elsewhere a key is refused for nothing, takes nothing from the account’s rate, and is told which address was seen', async () => {
    const { account, ask } = await limited({ networks: ['203.0.113.0/24', '2001:db8:7::/48'] })
    for (const address of ['203.0.113.77', '2001:db8:7:1::5']) {
      expect((await ask('/v1/people', address)).status).toBe(200)
    }
    for (const address of ['203.0.114.1', '2001:db8:8::1', '198.51.100.9']) {
      const { status, headers, body } = await ask('/v1/people', address)
      expect([status, body.error.code]).toEqual([403, 'address_not_allowed'])
      expect(body.error.message).toContain(address)
      expect(JSON.stringify(body)).not.toContain('203.0.113.0')
      expect(headers.get('x-ratelimit-limit')).toBe('20')
    }
    const [row] = await service.sql`
      select balance::integer, rate_count from accounts where id = ${account.id}`
    expect(row).toEqual({ balance: 90, rate_count: 2 })
  })

  test('an address that sends it more than 20 times a minute hears 429, and a good key there still passes', async () => {
    const { account, ask } = await limited({ networks: ['203.0.113.1'] })
    const address = '198.51.100.200'
    const statuses: number[] = []
    for (let asked = 0; asked < 22; asked++) statuses.push((await ask('/v1/me', address)).status)
    expect(statuses).toEqual([...Array(20).fill(403), 429, 429])
    const headers = { authorization: `Bearer ${account.key}` }
    expect((await service.request('/v1/me', { headers }, address)).status).toBe(200)
    expect((await ask('/v1/me', '203.0.113.1')).status).toBe(200)
  })

  test('rotation keeps them', async () => {
    const { account, made } = await limited({ networks: ['203.0.113.1'] })
    const next = await rotateKey(service.database, account.id, made.id, 0)
    const headers = { authorization: `Bearer ${next?.key}` }
    const statuses: number[] = []
    for (const address of ['203.0.113.1', '203.0.113.2']) {
      statuses.push((await service.request('/v1/me', { headers }, address)).status)
    }
    expect(statuses).toEqual([200, 403])
  })

  test.each([
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.7/24', '203.0.113.1', true],
    ['203.0.113.0/24', '203.0.112.255', false],
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['0.0.0.0/0', '198.51.100.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '2001:db8::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['203.0.113.0/24', '', false],
    ['203.0.113.0/24', 'unknown', false],
  ])('of a key for %s the address %s: %p', (networks, address, isAllowed) => {
    expect(isAllowedFrom(networksOf(networks) ?? null, address)).toBe(isAllowed)
    expect(isAllowedFrom(null, address)).toBe(true)
  })

  test.each([
    ...['', ' , ', '203.0.113.0/33', '203.0.113', 'example.com', '1.2.3.4/', '::/129', 'ck'],
    ...['10.0.0.0/8/9', 'fe80::1%eth0'],
  ])('%p names no networks', (text) => {
    expect(networksOf(text)).toBeUndefined()
  })

  test('twenty networks are taken, with commas, spaces or lines between them and each once; more are not', () => {
    const some = Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`)
    expect(networksOf(`${some.join(',\n ')} 192.0.2.0`)).toEqual(some)
    expect(networksOf([...some, '192.0.2.20'].join())).toBeUndefined()
  })
})
