/** contract/Account identity, Plans, Rules 6: what `GET /v1/me` says. */
import { expect } from 'bun:test'
import packageJson from '../../package.json' with { type: 'json' }
import { documentedPath, ENDPOINTS } from '../../src/contract/endpoints.ts'
import { TIERS } from '../../src/contract/tiers.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { startPlan } from '../../src/money/accounts/credits.ts'
import { group, type Suite } from './suite.ts'

const FIELDS = [
  ...['apiVersion', 'baseUrl', 'docs', 'endpoints', 'id', 'name', 'email', 'tier', 'sampleMode'],
  ...['organization', 'creditsBalance', 'apiKey', 'pricing', 'meta'],
]

const PRICES = {
  '/v1/me': 0,
  '/v1/people': 5,
  '/v1/people/{id}': 5,
  '/v1/projects': 5,
  '/v1/projects/{id}': 5,
  '/v1/investors': 5,
  '/v1/investors/{slug}': 5,
  '/v1/services': 5,
  '/v1/services/{slug}': 5,
  '/v1/search': 5,
}

export function account(suite: Suite): void {
  group(suite, 'contract/Account identity', ({ rows, story }) => {
    rows([
      {
        name: 'the fields of the table in its order, and no other',
        path: '/v1/me',
        by: { tier: 'pro', credits: 37, scopes: ['read:metadata'] },
        keys: {
          '': FIELDS,
          apiKey: ['label', 'prefix', 'scopes', 'environment'],
          pricing: ['currency', 'basicCallCredits', 'privateCallCredits', 'note'],
          meta: ['creditsCharged', 'creditsBalance'],
        },
        holds: {
          apiVersion: packageJson.version,
          name: 'Ada',
          email: 'ada@example.com',
          organization: 'Chainkin',
          creditsBalance: 37,
          'apiKey.label': 'test',
          'apiKey.scopes': ['read:metadata'],
          'apiKey.environment': 'live',
          'pricing.currency': 'credits',
          'pricing.basicCallCredits': 5,
          'pricing.privateCallCredits': 10,
          'pricing.note': expect.any(String),
        },
      },
      ...TIERS.map((tier) => ({
        name: 'the tier; enterprise alone is told that it is unlimited',
        path: '/v1/me',
        by: { tier },
        holds: { tier, unlimited: tier === 'enterprise' ? true : undefined },
      })),
      ...(
        [
          ['free', 0, true],
          ['free', 4, true],
          ['free', 5, false],
          ['starter', 0, false],
          ['enterprise', 0, false],
        ] as const
      ).map(([tier, credits, sampleMode]) => ({
        name: `sampleMode on ${tier} with ${credits} credits`,
        path: '/v1/me',
        by: { tier, credits },
        holds: { sampleMode },
      })),
      {
        name: 'organization is the workspace’s name, where one is set',
        path: '/v1/me',
        by: { organization: 'Analytical Engines' },
        holds: { organization: 'Analytical Engines' },
      },
      {
        name: 'limits of a key that has some',
        path: '/v1/me',
        by: { networks: ['192.0.2.9', '127.0.0.1'], cap: { credits: 50, period: 'day' } },
        holds: {
          'apiKey.networks': ['192.0.2.9', '127.0.0.1'],
          'apiKey.cap': { credits: 50, period: 'day', spent: 0, renewsAt: expect.any(String) },
        },
      },
    ])

    story('Rules 6: endpoints is the table that bills', async (world) => {
      const { endpoints } = await world.bodyOf('/v1/me')
      const table = Object.values(ENDPOINTS).map(({ method, path, summary, credits }) => {
        return { method, path: documentedPath(path), summary, credits }
      })
      expect(endpoints).toEqual(table)
      const prices = table.map(({ path, credits }): [string, number] => [path, credits])
      expect(prices).toEqual(Object.entries(PRICES))
    })

    story(
      'id, prefix and balance are those of the account and key that ask; addresses are those of the service',
      async (world) => {
        const caller = await world.account({ credits: 37 })
        const { id, apiKey, baseUrl, docs } = (await caller.get('/v1/me')).body
        expect([id, apiKey.prefix]).toEqual([caller.id, caller.key.slice(0, 14)])
        expect([baseUrl, docs]).toEqual([world.hosts.apiUrl, `${world.hosts.appUrl}/docs`])
        expect(caller.key).toMatch(/^ck_live_[0-9A-Za-z]{38}$/)
        await caller.get('/v1/people?limit=1')
        const { creditsBalance, meta } = (await caller.get('/v1/me')).body
        expect([creditsBalance, meta.creditsBalance]).toEqual([32, 32])
      },
    )

    story('a change by an operator shows at the next call', async (world) => {
      const caller = await world.account()
      await caller.get('/v1/me')
      const change = { tier: 'team', organization: 'New Name' } as const
      await setAccount(world.hosts.database, caller.id, change)
      expect((await caller.get('/v1/me')).body).toMatchObject(change)
    })
  })

  group(suite, 'contract/Plans', ({ story }) => {
    const plans = [
      ['essential', 'starter', 3_000, 600, 300],
      ['pro', 'pro', 6_000, 1_200, 600],
      ['team', 'team', 15_000, 3_000, 1_500],
    ] as const
    for (const [plan, tier, credits, calls, reveals] of plans) {
      story(`${plan}: ${credits} credits, ${calls} calls or ${reveals} reveals`, async (world) => {
        const caller = await world.account()
        await startPlan(world.hosts.database, caller.id, plan, false)
        const { body } = await caller.get('/v1/me')
        expect([body.tier, body.creditsBalance]).toEqual([tier, credits])
        const { basicCallCredits, privateCallCredits } = body.pricing
        expect([credits / basicCallCredits, credits / privateCallCredits]).toEqual([calls, reveals])
      })
    }

    story('enterprise is unlimited: its calls are charged below zero', async (world) => {
      const caller = await world.account()
      await startPlan(world.hosts.database, caller.id, 'enterprise', false)
      const { body } = await caller.get('/v1/people?limit=1')
      expect(body.meta).toEqual({ creditsCharged: 5, creditsBalance: -5 })
      const me = (await caller.get('/v1/me')).body
      expect([me.tier, me.unlimited, me.creditsBalance]).toEqual(['enterprise', true, -5])
    })
  })
}
