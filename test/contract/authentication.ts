/** contract/Authentication, Limits: requests with an unresolvable key. */
import { expect } from 'bun:test'
import { generateApiKey } from '../../src/money/accounts/api-key.ts'
import { createKey, listKeys, revokeKey, rotateKey } from '../../src/money/accounts/keys.ts'
import { expectWhole, group, type Suite } from './suite.ts'
import type { World } from './world.ts'

const metadata = ['read:metadata'] as const

export function authentication(suite: Suite): void {
  keys(suite)
  networks(suite)
  rejectedKeys(suite)
}

function keys(suite: Suite): void {
  group(suite, 'contract/Authentication 1, 2, 5', ({ story }) => {
    story('the scheme is read without case, spaces before the key are allowed', async (world) => {
      const { key } = await world.account()
      for (const authorization of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`]) {
        expect((await world.api('/v1/me', { headers: { authorization } })).status).toBe(200)
      }
    })

    story(
      'causes of a 401 answer alike; the challenge says whether a key was sent',
      async (world) => {
        const { id, key } = await world.account()
        const other = key.at(-1) === 'a' ? 'b' : 'a'
        const revoked = await world.account()
        await world.sql`update api_keys set revoked_at = meter_now() where account_id = ${revoked.id}`
        const sent = [
          ...['Bearer', 'Basic YTpi', 'Bearer nonsense', `Bearer ${generateApiKey().key}`],
          ...[`Bearer ${revoked.key}`, `Bearer ${key} x`, `Bearer ${key}, Bearer ${key}`],
          ...[
            `Bearer ${key}, Bearer other`,
            `Basic YTpi, Bearer ${key}`,
            `Bearer ${key.toUpperCase()}`,
          ],
          ...[`Bearer ${key}a`, `Bearer ${key.slice(0, -1)}`, `Bearer ${key.slice(0, -1)}${other}`],
        ]
        const none = await world.api('/v1/me', { headers: world.fromElsewhere() })
        expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Bearer'])
        for (const authorization of sent) {
          const answer = await world.api('/v1/me', {
            headers: { authorization, ...world.fromElsewhere() },
          })
          expect([authorization, answer.text]).toEqual([authorization, none.text])
          expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
          expectWhole(world, answer)
        }
        expect((await world.caller(id, key).get('/v1/me')).status).toBe(200)
      },
    )

    story('a key in the URL, a cookie or another header is never read', async (world) => {
      const { key } = await world.account()
      const elsewhere = { cookie: `authorization=Bearer ${key}`, 'x-api-key': key }
      for (const [path, headers] of [
        [`/v1/me?api_key=${key}`, {}],
        [`/v1/me?key=${key}&access_token=${key}&authorization=Bearer%20${key}`, {}],
        ['/v1/me', elsewhere],
      ] as const) {
        const answer = await world.api(path, { headers: { ...headers, ...world.fromElsewhere() } })
        expect([path, answer.status]).toEqual([path, 401])
      }
    })

    story('2: a revoked key is refused from its next request on', async (world) => {
      const { database } = world.hosts
      const caller = await world.account({ credits: 10 })
      expect((await caller.get('/v1/people')).status).toBe(200)
      const [key] = await listKeys(database, caller.id)
      expect(await revokeKey(database, key?.id ?? '')).toBe(true)
      for (const path of ['/v1/people', '/v1/me', '/v1/people']) {
        expect((await caller.get(path, world.fromElsewhere())).status).toBe(401)
      }
      expect(await world.balance(caller)).toBe(5)
    })

    story('2: the full key is kept nowhere', async (world) => {
      const { id, key } = await world.account()
      const rows = await world.sql`
        select row_to_json(k)::text as text from api_keys k where account_id = ${id}`
      const text = rows.map((row) => row.text).join()
      expect(text).toContain(key.slice(0, 14))
      expect(text).not.toContain(key.slice(14))
    })
  })

  group(suite, 'contract/Authentication 3, 4', ({ rows, story }) => {
    rows([
      {
        name: 'a reveal without read:contacts names the scope',
        path: '/v1/people/ada-ashford?include=private',
        by: { credits: 100, scopes: metadata },
        code: 'missing_scope',
        holds: { 'error.allowed': ['read:contacts'] },
        sends: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
      },
      {
        path: '/v1/people',
        by: { credits: 100, scopes: ['read:contacts'] },
        code: 'missing_scope',
        holds: { 'error.allowed': metadata },
      },
    ])

    story('4: a second key shares balance and rate, and outlives the first', async (world) => {
      const { database } = world.hosts
      const caller = await world.account({ credits: 20 })
      const made = await createKey(database, caller.id, 'second', metadata)
      const second = world.caller(caller.id, made.key)
      await caller.get('/v1/people')
      const answer = await second.get('/v1/people')
      expect(answer.body.meta).toEqual({ creditsCharged: 5, creditsBalance: 10 })
      expect(answer.headers['x-ratelimit-remaining']).toBe('118')
      const [first] = await listKeys(database, caller.id)
      await revokeKey(database, first?.id ?? '')
      expect((await caller.get('/v1/people', world.fromElsewhere())).status).toBe(401)
      expect((await second.get('/v1/people')).status).toBe(200)
    })
  })
}

function networks(suite: Suite): void {
  const networks = ['203.0.113.0/24', '2001:db8:7::/48']
  const from = (address: string) => ({ 'x-forwarded-for': address })

  group(suite, 'contract/Authentication: networks and cap of a key', ({ story }) => {
    story('elsewhere it is refused for nothing, by the address that was seen', async (world) => {
      const caller = await world.account({ tier: 'pro', credits: 100, networks })
      for (const address of ['203.0.113.77', '2001:db8:7:1::5']) {
        expect((await caller.get('/v1/people', from(address))).status).toBe(200)
      }
      for (const address of ['203.0.114.1', '2001:db8:8::1', '198.51.100.9']) {
        const { status, headers, text, body } = await caller.get('/v1/people', from(address))
        expect([status, body.error.code]).toEqual([403, 'address_not_allowed'])
        expect(body.error.message).toContain(address)
        expect(text).not.toContain('203.0.113.0')
        expect(headers['x-ratelimit-limit']).toBe('20')
      }
      const [row] = await world.sql`
        select balance::integer, rate_count from accounts where id = ${caller.id}`
      expect(row).toEqual({ balance: 90, rate_count: 2 })
    })

    story(
      'it counts as a rejected key there; a good key still passes, and a rotated one keeps them',
      async (world) => {
        const { database } = world.hosts
        const caller = await world.account({ networks })
        const elsewhere = world.fromElsewhere()
        const statuses: number[] = []
        for (let n = 0; n < 21; n++) statuses.push((await caller.get('/v1/me', elsewhere)).status)
        expect(statuses).toEqual([...Array(20).fill(403), 429])
        expect((await world.get('/v1/me', elsewhere)).status).toBe(200)
        const [key] = await listKeys(database, caller.id)
        const rotated = await rotateKey(database, caller.id, key?.id ?? '', 0)
        const next = world.caller(caller.id, rotated?.key ?? '')
        expect((await next.get('/v1/me', from('203.0.113.1'))).status).toBe(200)
        expect((await next.get('/v1/me', world.fromElsewhere())).status).toBe(403)
      },
    )

    story(
      'over its cap a key hears when that renews; another of the account goes on',
      async (world) => {
        const caller = await world.account({ tier: 'pro', credits: 100 })
        const cap = { credits: 5, period: 'month' } as const
        const made = await createKey(world.hosts.database, caller.id, 'capped', metadata, { cap })
        const capped = world.caller(caller.id, made.key)
        expect((await capped.get('/v1/people')).status).toBe(200)
        const refused = await capped.get('/v1/people')
        expectWhole(world, refused)
        const { error } = refused.body
        expect([refused.status, error.code, error.creditsRequired]).toEqual([
          402,
          'key_cap_exceeded',
          5,
        ])
        expect(error.renewsAt).toMatch(/^\d{4}-\d\d-01T00:00:00.000Z$/)
        expect(error.message).toContain('has spent 5 of the 5 that it may spend in a month of UTC')
        const { cap: shown } = (await capped.get('/v1/me')).body.apiKey
        expect(shown).toEqual({ ...cap, spent: 5, renewsAt: error.renewsAt })
        expect((await caller.get('/v1/people')).status).toBe(200)
        expect(await world.balance(caller)).toBe(90)
      },
    )
  })
}

/** Statuses of `count` requests without a good key. @param forwarded the header of a proxy */
async function reject(
  world: World,
  forwarded: string,
  count: number,
  more: Record<string, string> = {},
) {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) {
    const headers = { 'x-forwarded-for': forwarded, ...more }
    statuses.push((await world.api('/v1/me', { headers })).status)
  }
  return statuses
}

function rejectedKeys(suite: Suite): void {
  group(suite, 'contract/Authentication 6, Limits: unresolvable keys', ({ story }) => {
    story(
      '20 a minute of one address, however they fail; then 429, while good keys and others pass',
      async (world) => {
        const from = world.fromElsewhere()
        const address = from['x-forwarded-for']
        for (const path of ['/nothing', '/v1/me']) {
          await world.api(path, { method: 'OPTIONS', headers: from })
          await world.api(path, { method: 'POST', headers: from })
        }
        const remaining: (string | undefined)[] = []
        for (let n = 0; n < 3; n++) {
          remaining.push(
            (await world.api('/v1/me', { headers: from })).headers['x-ratelimit-remaining'],
          )
        }
        expect(remaining).toEqual(['19', '18', '17'])
        await reject(world, address, 7, { authorization: 'Bearer nonsense' })
        const madeUp = { authorization: `Bearer ${generateApiKey().key}` }
        expect(await reject(world, address, 11, madeUp)).toEqual([...Array(10).fill(401), 429])
        const over = await world.api('/v1/me', { headers: from })
        expectWhole(world, over)
        expect([over.status, over.body.error.code]).toEqual([429, 'too_many_rejected_keys'])
        expect(over.headers['x-ratelimit-remaining']).toBe('0')
        expect(over.body.error.retryAfter).toBeWithin(30, 61)
        const good = await world.get('/v1/me', from)
        expect([good.status, good.headers['x-ratelimit-limit']]).toEqual([200, '300'])
        expect(await reject(world, world.fromElsewhere()['x-forwarded-for'], 1)).toEqual([401])
      },
    )

    const alike = [
      ['an IPv6 network of /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
      ['an IPv4 address in IPv6 form', '::ffff:192.0.2.17', '192.0.2.17'],
      [
        'the entry of the proxy itself, not what a client wrote before it',
        '203.0.113.9',
        '198.51.100.5, 203.0.113.9',
      ],
      [
        'the last address that is no proxy',
        '203.0.113.10, 10.2.2.2, 2001:db8:aaaa::1',
        '203.0.113.10',
      ],
    ] as const
    for (const [what, one, same] of alike) {
      story(`counted by ${what}`, async (world) => {
        await reject(world, one, 20)
        expect(await reject(world, same, 1)).toEqual([429])
        expect(await reject(world, '2001:db8:1:3::1', 1)).toEqual([401])
      })
    }
  })
}
