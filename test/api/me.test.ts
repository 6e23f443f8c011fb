/** contract/Account identity: the answer of GET /v1/me. */
import { describe, expect, test } from 'bun:test'
import { documentedPath, ENDPOINTS } from '../../src/contract/endpoints.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { startPlan } from '../../src/money/accounts/credits.ts'
import { APP_URL, BASE_URL, type TestService } from '../helpers/service.ts'
import { startService } from './setup.ts'

const service = await startService()

async function meOf(options: Parameters<TestService['account']>[0] = {}) {
  const caller = await service.account(options)
  const { status, body } = await caller.get('/v1/me')
  expect(status).toBe(200)
  return { caller, body }
}

describe('contract/Account identity', () => {
  test('contract/Account identity: the fields of the table in its order, and no other', async () => {
    const { body } = await meOf({ credits: 30 })
    expect(Object.keys(body)).toEqual([
      'apiVersion',
      'baseUrl',
      'docs',
      'endpoints',
      'id',
      'name',
      'email',
      'tier',
      'sampleMode',
      'organization',
      'creditsBalance',
      'apiKey',
      'pricing',
      'meta',
    ])
    expect(Object.keys(body.apiKey)).toEqual(['label', 'prefix', 'scopes', 'environment'])
    expect(Object.keys(body.pricing)).toEqual([
      'currency',
      'basicCallCredits',
      'privateCallCredits',
      'note',
    ])
    expect(Object.keys(body.meta)).toEqual(['creditsCharged', 'creditsBalance'])
  })

  test('contract/Account identity: apiVersion, baseUrl and docs say what is served and where', async () => {
    const { body } = await meOf()
    expect([body.apiVersion, body.baseUrl]).toEqual(['1.6.0', BASE_URL])
    expect(body.docs).toBe(`${APP_URL}/docs`)
  })

  test('contract/Account identity: endpoints has one {method, path, summary, credits} per endpoint', async () => {
    const { body } = await meOf()
    const quoted = body.endpoints.map(
      ({ method, path, credits, ...rest }: Record<string, unknown>) => {
        expect(Object.keys(rest)).toEqual(['summary'])
        expect(rest.summary).toBeString()
        return [method, path, credits]
      },
    )
    expect(quoted).toEqual([
      ['GET', '/v1/me', 0],
      ['GET', '/v1/people', 5],
      ['GET', '/v1/people/{id}', 5],
      ['GET', '/v1/projects', 5],
      ['GET', '/v1/projects/{id}', 5],
      ['GET', '/v1/investors', 5],
      ['GET', '/v1/investors/{slug}', 5],
      ['GET', '/v1/services', 5],
      ['GET', '/v1/services/{slug}', 5],
      ['GET', '/v1/search', 5],
    ])
  })

  test('contract/Rules 6: the quoted list is the table that bills', async () => {
    const { body } = await meOf()
    const table = Object.values(ENDPOINTS).map(({ method, path, summary, credits }) => ({
      method,
      path: documentedPath(path),
      summary,
      credits,
    }))
    expect(body.endpoints).toEqual(table)
  })

  test('contract/Account identity: id, name and email are the account’s', async () => {
    const { caller, body } = await meOf()
    expect([body.id, body.name, body.email]).toEqual([caller.id, 'Ada', 'ada@example.com'])
  })

  test.each(['free', 'starter', 'pro', 'team', 'enterprise'] as const)(
    'contract/Plans: a tier is reported as %s',
    async (tier) => {
      const { body } = await meOf({ tier })
      expect(body.tier).toBe(tier)
    },
  )

  test.each([
    ['free', 0, true],
    ['free', 4, true],
    ['free', 5, false],
    ['free', 100, false],
    ['starter', 0, false],
    ['enterprise', 0, false],
  ] as const)(
    'contract/Account identity: on %s with %d credits sampleMode is %p',
    async (tier, credits, expected) => {
      const { body } = await meOf({ tier, credits })
      expect(body.sampleMode).toBe(expected)
    },
  )

  test('contract/Account identity: organization is the workspace’s name, else the service’s own', async () => {
    expect((await meOf({ organization: 'Analytical Engines' })).body.organization).toBe(
      'Analytical Engines',
    )
    expect((await meOf()).body.organization).toBe('Chainkin')
  })

  test('contract/Account identity: creditsBalance is what is available now, and meta says the same', async () => {
    const { caller, body } = await meOf({ credits: 37 })
    expect([body.creditsBalance, body.meta]).toEqual([
      37,
      { creditsCharged: 0, creditsBalance: 37 },
    ])
    await caller.get('/v1/people')
    const after = (await caller.get('/v1/me')).body
    expect([after.creditsBalance, after.meta.creditsBalance]).toEqual([32, 32])
  })

  test('contract/Account identity: apiKey is the key that asks, with scopes of the closed set', async () => {
    const { caller, body } = await meOf({ scopes: ['read:metadata', 'read:contacts'] })
    expect(body.apiKey.label).toBe('test')
    expect(caller.key.startsWith(body.apiKey.prefix)).toBe(true)
    expect(body.apiKey.prefix.length).toBeLessThan(caller.key.length / 2)
    expect(body.apiKey.scopes).toEqual(['read:metadata', 'read:contacts'])
    expect(body.apiKey.environment).toBe('live')
  })

  test('contract/Account identity: pricing is in credits: 5 a call, 10 a first reveal, with a note', async () => {
    const { body } = await meOf()
    const { note, ...pricing } = body.pricing
    expect(pricing).toEqual({ currency: 'credits', basicCallCredits: 5, privateCallCredits: 10 })
    expect(note).toBeString()
  })

  test('an enterprise account is told that it is unlimited, no other is', async () => {
    expect((await meOf({ tier: 'enterprise' })).body.unlimited).toBe(true)
    for (const tier of ['free', 'pro', 'team'] as const) {
      expect((await meOf({ tier })).body).not.toHaveProperty('unlimited')
    }
  })

  test('contract/Rules 6: /v1/me is free, and answers without credits on every tier', async () => {
    for (const tier of ['free', 'starter', 'pro', 'team', 'enterprise'] as const) {
      const { caller, body } = await meOf({ tier })
      expect(body.meta).toEqual({ creditsCharged: 0, creditsBalance: 0 })
      expect(await service.balance(caller.id)).toBe(0)
    }
  })

  test('contract/GET /v1/me: it takes no parameters: any is a 400', async () => {
    const caller = await service.account()
    const { status, body } = await caller.get('/v1/me?verbose=1')
    expect([status, body.error.code, body.error.parameter, body.error.allowed]).toEqual([
      400,
      'unknown_parameter',
      'verbose',
      [],
    ])
  })

  test('what an operator changes about an account shows at its next call', async () => {
    const { caller } = await meOf()
    await setAccount(service.database, caller.id, { tier: 'team', organization: 'New Name' })
    const { body } = await caller.get('/v1/me')
    expect([body.tier, body.organization]).toEqual(['team', 'New Name'])
  })
})

describe('contract/Plans', () => {
  test.each([
    ['essential', 'starter', 3_000, 600, 300],
    ['pro', 'pro', 6_000, 1_200, 600],
    ['team', 'team', 15_000, 3_000, 1_500],
  ] as const)(
    'contract/Plans: %s makes the tier %s with %d credits: %d data calls or %d reveals',
    async (plan, tier, credits, dataCalls, reveals) => {
      const caller = await service.account()
      await startPlan(service.database, caller.id, plan, false)
      const { body } = await caller.get('/v1/me')
      expect([body.tier, body.creditsBalance]).toEqual([tier, credits])
      expect(body.creditsBalance / body.pricing.basicCallCredits).toBe(dataCalls)
      expect(body.creditsBalance / body.pricing.privateCallCredits).toBe(reveals)
    },
  )

  test('contract/Plans: enterprise is unlimited', async () => {
    const caller = await service.account()
    await startPlan(service.database, caller.id, 'enterprise', false)
    const { body } = await caller.get('/v1/me')
    expect([body.tier, body.unlimited]).toEqual(['enterprise', true])
  })
})
