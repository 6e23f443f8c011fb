/** contract/Authentication: which key is taken, from where, and until when. */
import { describe, expect, test } from 'bun:test'
import type { Database } from '../../src/database/client.ts'
import { generateApiKey, isWellFormed } from '../../src/money/accounts/api-key.ts'
import { createKeyCache } from '../../src/money/accounts/key-cache.ts'
import { createKey, listKeys, revokeKey } from '../../src/money/accounts/keys.ts'
import { ADA } from '../helpers/fixtures.ts'
import { startService } from './setup.ts'

const service = await startService()
let address = 0

/** `/v1/me` with these Authorization headers, from an address of its own. */
async function me(...values: string[]) {
  const headers = new Headers()
  for (const value of values) headers.append('authorization', value)
  return service.request('/v1/me', { headers }, `198.51.100.${++address}`)
}

describe('contract/Authentication 1: Authorization: Bearer <API_KEY>', () => {
  test('contract/Authentication 1: a key in force is let in', async () => {
    const { key } = await service.account()
    expect((await me(`Bearer ${key}`)).status).toBe(200)
  })

  test('contract/Authentication 1: a key begins with ck_live_, then 32 random characters and 6 of checksum', async () => {
    const { key } = await service.account()
    expect(key).toMatch(/^ck_live_[0-9A-Za-z]{38}$/)
  })

  test('the scheme’s name is read without case, and blanks before the key are allowed', async () => {
    const { key } = await service.account()
    for (const value of [`bearer ${key}`, `BEARER   ${key}`]) {
      expect((await me(value)).status).toBe(200)
    }
  })

  test('two Authorization headers are a 401, even if both hold the same good key', async () => {
    const { key } = await service.account()
    expect((await me(`Bearer ${key}`, `Bearer ${key}`)).status).toBe(401)
    expect((await me(`Bearer ${key}`, 'Bearer other')).status).toBe(401)
    expect((await me('Basic YTpi', `Bearer ${key}`)).status).toBe(401)
  })

  test('a key in the URL, in a cookie or in another header is never read', async () => {
    const { key } = await service.account()
    const cookie = { cookie: `authorization=Bearer ${key}`, 'x-api-key': key }
    for (const [path, headers] of [
      [`/v1/me?api_key=${key}`, {}],
      [`/v1/me?key=${key}&access_token=${key}&authorization=Bearer%20${key}`, {}],
      ['/v1/me', cookie],
    ] as const) {
      const { status } = await service.request(path, { headers }, `198.51.100.${++address}`)
      expect(status).toBe(401)
    }
  })
})

describe('contract/Authentication 2: keys as humans make them', () => {
  test('contract/Authentication 2: a key has a label, a display prefix, scopes and an environment', async () => {
    const caller = await service.account({ scopes: ['read:metadata'] })
    const { body } = await caller.get('/v1/me')
    expect(body.apiKey).toEqual({
      label: 'test',
      prefix: caller.key.slice(0, 14),
      scopes: ['read:metadata'],
      environment: 'live',
    })
  })

  test('contract/Authentication 2: the full key is kept nowhere: the database holds its SHA-256', async () => {
    const { id, key } = await service.account()
    const rows =
      await service.sql`select row_to_json(k)::text as row from api_keys k where account_id = ${id}`
    expect(rows[0]?.row).not.toContain(key.slice(14))
    expect(service.logged.join()).not.toContain(key.slice(14))
  })

  test('contract/Authentication 2: a revoked key is refused from its next request on', async () => {
    const caller = await service.account({ credits: 10 })
    expect((await caller.get('/v1/people')).status).toBe(200)
    const [key] = await listKeys(service.database, caller.id)
    expect(await revokeKey(service.database, key?.id ?? '')).toBe(true)
    for (const path of ['/v1/people', '/v1/me', '/v1/people']) {
      expect((await caller.get(path)).status).toBe(401)
    }
    expect(await service.balance(caller.id)).toBe(5)
  })
})

describe('contract/Authentication 3: scopes', () => {
  test('contract/Authentication 3: read:metadata alone covers data reads and /v1/me', async () => {
    const caller = await service.account({ credits: 100, scopes: ['read:metadata'] })
    for (const path of ['/v1/me', '/v1/people', `/v1/people/${ADA.slug}`, '/v1/search?q=ada']) {
      expect((await caller.get(path)).status).toBe(200)
    }
  })

  test('contract/Authentication 3: a reveal without read:contacts is a 403 that names the scope and says insufficient_scope', async () => {
    const caller = await service.account({ credits: 100, scopes: ['read:metadata'] })
    const { status, headers, body } = await caller.get(`/v1/people/${ADA.slug}?include=private`)
    expect([status, body.error.code, body.error.allowed]).toEqual([
      403,
      'missing_scope',
      ['read:contacts'],
    ])
    expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"')
    expect(await service.balance(caller.id)).toBe(100)
  })
})

describe('contract/Authentication 4: the account, not the key', () => {
  test('contract/Authentication 4: a second key shares balance and rate, and outlives the first', async () => {
    const caller = await service.account({ credits: 20 })
    const second = await createKey(service.database, caller.id, 'second', ['read:metadata'])
    const headers = { authorization: `Bearer ${second.key}` }
    await caller.get('/v1/people')
    const answer = await service.request('/v1/people', { headers })
    expect(answer.body.meta).toEqual({ creditsCharged: 5, creditsBalance: 10 })
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('118')
    const [first] = await listKeys(service.database, caller.id)
    await revokeKey(service.database, first?.id ?? '')
    expect((await caller.get('/v1/people')).status).toBe(401)
    expect((await service.request('/v1/people', { headers })).status).toBe(200)
  })
})

describe('contract/Authentication 5: missing, malformed or revoked', () => {
  test('contract/Authentication 5: the causes of a 401 answer alike; the challenge says whether a key was sent', async () => {
    const revoked = await service.account()
    const [key] = await listKeys(service.database, revoked.id)
    await revokeKey(service.database, key?.id ?? '')
    const answers = await Promise.all([
      me(),
      me('Bearer nonsense'),
      me(`Bearer ${generateApiKey().key}`),
      me(`Bearer ${revoked.key}`),
      me('Basic YTpi'),
      me('Bearer'),
      me(`Bearer ${revoked.key} x`),
    ])
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(401))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const challenges = answers.map(({ headers }) => headers.get('www-authenticate'))
    expect(challenges).toEqual(['Bearer', ...Array(6).fill('Bearer error="invalid_token"')])
  })

  test('contract/Authentication 5: a key with another case, a blank or a character more is malformed', async () => {
    const { key } = await service.account()
    const last = key.at(-1) === 'a' ? 'b' : 'a'
    for (const wrong of [key.toUpperCase(), `${key}a`, key.slice(0, -1), key.slice(0, -1) + last]) {
      expect(isWellFormed(wrong)).toBe(false)
      expect((await me(`Bearer ${wrong}`)).status).toBe(401)
    }
  })

  test('API: a key whose checksum is wrong is refused without a look-up; a key that holds is looked up once', async () => {
    let lookUps = 0
    const database: Database = {
      ...service.database,
      use: (work, options) => {
        lookUps++
        return service.database.use(work, options)
      },
    }
    const keys = createKeyCache(database)
    const { key } = await service.account()
    const mistyped = key.slice(0, 20) + (key[20] === 'x' ? 'y' : 'x') + key.slice(21)
    expect(await keys.resolve(mistyped)).toBeUndefined()
    expect(await keys.resolve('ck_live_')).toBeUndefined()
    expect(lookUps).toBe(0)
    await keys.resolve(key)
    await keys.resolve(key)
    expect(lookUps).toBe(1)
    // Nobody has a key before it is made, so one that is nobody's is not looked up again for some seconds.
    const madeUp = generateApiKey().key
    expect(await keys.resolve(madeUp)).toBeUndefined()
    expect(await keys.resolve(madeUp)).toBeUndefined()
    expect(lookUps).toBe(2)
  })
})

describe('contract/Authentication 7, Rules 4: no programmatic signup', () => {
  test('contract/Authentication 7: no path of the API makes an account or a key', async () => {
    for (const path of ['/v1/keys', '/v1/accounts', '/v1/signup', '/v1/me/keys']) {
      const { status } = await service.request(path, { method: 'POST' })
      expect(status).toBe(404)
    }
  })
})
