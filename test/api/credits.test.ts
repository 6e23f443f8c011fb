/** contract/Credit prices: what a call costs, and that the books add up. */
import { describe, expect, spyOn, test } from 'bun:test'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { ADA, AURORA, BEN, CLEO, DAN, EMBER, HARBOR, UNKNOWN_ID } from '../helpers/fixtures.ts'
import type { Answer, Caller } from '../helpers/service.ts'
import { expectBooksToBalance } from '../money/charge/fixtures.ts'
import { startClockedApi } from './setup.ts'

const { service, clock } = await startClockedApi()

const meta = (answer: Answer) => [answer.status, answer.body.meta]
const reveal = (person: { slug: string }) => `/v1/people/${person.slug}?include=private`

async function ledgerOf({ id }: Caller) {
  const rows = await service.sql`
    select kind, credits from ledger where account_id = ${id} order by sequence`
  return rows.map(({ kind, credits }) => `${kind} ${credits}`)
}

describe('contract/Credit prices', () => {
  test('contract/Credit prices: a first reveal costs 10, each later read of the contact 5, its channels visible', async () => {
    const caller = await service.account({ credits: 100 })
    const first = await caller.get(reveal(ADA))
    const again = await caller.get(reveal(ADA))
    const plain = await caller.get(`/v1/people/${ADA.id}`)
    expect([first, again, plain].map(meta)).toEqual([
      [200, { creditsCharged: 10, creditsBalance: 90 }],
      [200, { creditsCharged: 5, creditsBalance: 85 }],
      [200, { creditsCharged: 5, creditsBalance: 80 }],
    ])
    for (const { body } of [first, again, plain]) expect(body.data.person.email).toBe(ADA.email)
  })

  test('an empty list and an empty search are live data and cost 5', async () => {
    const caller = await service.account({ credits: 10 })
    const list = await caller.get('/v1/projects?sector=nobody-is-in-this')
    expect(list.body.data).toEqual([])
    expect(meta(list)).toEqual([200, { creditsCharged: 5, creditsBalance: 5 }])
    const search = await caller.get('/v1/search?q=zzzzqqqq')
    expect(meta(search)).toEqual([200, { creditsCharged: 5, creditsBalance: 0 }])
  })

  test('a server failure while the body is made charges nothing', async () => {
    const caller = await service.account({ credits: 10 })
    const broken = spyOn(service.directory, 'companies').mockImplementation(() => {
      throw new Error('broken')
    })
    const { status } = await caller.get('/v1/projects')
    broken.mockRestore()
    expect(status).toBe(500)
    expect(await ledgerOf(caller)).toEqual(['grant 10'])
  })

  test('contract/Rules 3: the last credits are spent to the last: 5 of 5 is a live answer, balance 0', async () => {
    const caller = await service.account({ tier: 'pro', credits: 5 })
    expect(meta(await caller.get('/v1/people'))).toEqual([
      200,
      { creditsCharged: 5, creditsBalance: 0 },
    ])
    expect((await caller.get('/v1/people')).status).toBe(402)
  })
})

describe('contract/Errors: 402', () => {
  test.each(['starter', 'pro', 'team'] as const)(
    'contract/Errors: 402 on %s with too few credits: nothing charged, never a sample, and what is missing is said',
    async (tier) => {
      const caller = await service.account({ tier, credits: 4 })
      const { status, headers, body } = await caller.get('/v1/people')
      expect(status).toBe(402)
      expect(body.error).toMatchObject({
        code: 'insufficient_credits',
        creditsRequired: 5,
        creditsBalance: 4,
      })
      expect(headers.has('service-sample')).toBe(false)
      expect(await ledgerOf(caller)).toEqual(['grant 4'])
    },
  )

  test('contract/Errors: 402 for a first reveal with 5 to 9 credits, while a plain read is answered', async () => {
    const caller = await service.account({ tier: 'pro', credits: 9 })
    const refused = await caller.get(reveal(ADA))
    expect([refused.status, refused.body.error.creditsRequired]).toEqual([402, 10])
    expect((await caller.get(`/v1/people/${ADA.slug}`)).status).toBe(200)
    expect(await service.balance(caller.id)).toBe(4)
  })

  test('contract/Errors: 402 is not returned by /v1/me', async () => {
    const caller = await service.account({ tier: 'pro' })
    expect((await caller.get('/v1/me')).status).toBe(200)
  })

  test('enterprise is never refused for credits: its calls are charged below zero', async () => {
    const caller = await service.account({ tier: 'enterprise', credits: 3 })
    expect(meta(await caller.get('/v1/people'))).toEqual([
      200,
      { creditsCharged: 5, creditsBalance: -2 },
    ])
    expect(meta(await caller.get(reveal(ADA)))).toEqual([
      200,
      { creditsCharged: 10, creditsBalance: -12 },
    ])
    expect((await caller.get('/v1/me')).body.creditsBalance).toBe(-12)
  })
})

describe('the ledger', () => {
  test('after a mixed run the ledger, the balance and the sum of meta.creditsCharged agree', async () => {
    const caller = await service.account({ credits: 200 })
    const live = [
      reveal(ADA),
      reveal(ADA),
      `/v1/projects/${AURORA.slug}`,
      '/v1/people?channels=email',
    ]
    const paths = [
      ...live,
      ...['/v1/me', '/v1/people?limt=3', `/v1/people/${UNKNOWN_ID}`, '/v1/nothing', '/v1/network'],
      ...[`/v1/investors/${EMBER.slug}`, `/v1/investors/${AURORA.slug}`, reveal(CLEO), reveal(DAN)],
      ...[
        '/v1/search?q=aurora',
        '/v1/search',
        `/v1/services/${HARBOR.slug}`,
        '/v1/people?include=private',
      ],
    ]
    let charged = 0
    let last = 200
    for (const path of paths) {
      const { body } = await caller.get(path)
      charged += body.meta?.creditsCharged ?? 0
      last = body.meta?.creditsBalance ?? last
    }
    const [sums] = await service.sql`
      select sum(credits)::integer as balance,
             -sum(credits) filter (where kind = 'charge')::integer as charged
        from ledger where account_id = ${caller.id}`
    expect(sums).toEqual({ balance: last, charged })
    expect(await service.balance(caller.id)).toBe(last)
    // Two first reveals; seven more answers of live data; the rest for nothing.
    expect(charged).toBe(2 * 10 + 7 * 5)
    await expectBooksToBalance(service.sql)
  })

  test('each charge is one entry that names its endpoint, its key and what it unlocked', async () => {
    const caller = await service.account({ credits: 100 })
    await caller.get('/v1/people?limit=1')
    await caller.get(reveal(BEN))
    const rows = await service.sql`
      select l.endpoint, l.credits, l.person_id, k.account_id as of
        from ledger l join api_keys k on k.id = l.key_id
       where l.account_id = ${caller.id} and kind = 'charge' order by sequence`
    expect([...rows]).toEqual([
      { endpoint: '/v1/people', credits: -5, person_id: null, of: caller.id },
      { endpoint: '/v1/people/{id}', credits: -10, person_id: BEN.id, of: caller.id },
    ])
  })

  test('concurrency: 100 simultaneous calls on 250 credits: exactly 50 are live, the rest 402', async () => {
    const caller = await service.account({ tier: 'pro', credits: 250 })
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => caller.get('/v1/people?limit=1')),
    )
    const live = answers.filter(({ status }) => status === 200)
    expect(live.length).toBe(50)
    expect(answers.filter(({ status }) => status === 402).length).toBe(50)
    // Each said what was left after itself, no two the same.
    const balances = live.map(({ body }) => body.meta.creditsBalance).sort((a, b) => a - b)
    expect(balances).toEqual(Array.from({ length: 50 }, (_, n) => n * 5))
    expect(await service.balance(caller.id)).toBe(0)
  })
})

describe('contract/Rules 5: credits end', () => {
  test('trial credits last 7 days and are gone before the first call after that is decided', async () => {
    const caller = await service.account()
    await grantCredits(service.database, caller.id, 20, 'trial')
    expect((await caller.get('/v1/people')).body.meta.creditsBalance).toBe(15)
    await clock.advance(7 * 86_400 - 1)
    expect((await caller.get('/v1/people')).body.meta.creditsBalance).toBe(10)
    await clock.advance(1)
    const sample = await caller.get('/v1/people')
    expect([sample.body.sample, sample.body.meta.creditsBalance]).toEqual([true, 0])
    expect((await ledgerOf(caller)).at(-1)).toBe('expiry -10')
  })

  test('the soonest to expire is spent first: a top-up outlives the trial beside it', async () => {
    const caller = await service.account({ credits: 10 })
    await grantCredits(service.database, caller.id, 10, 'trial')
    await caller.get('/v1/people')
    await clock.advance(8 * 86_400)
    // The trial paid for the call; what was left of it is gone, the top-up is whole.
    expect((await caller.get('/v1/me')).body.creditsBalance).toBe(10)
  })

  test('contract/Rules 5: referral credits count like any others and never expire', async () => {
    const caller = await service.account()
    await grantCredits(service.database, caller.id, 5, 'referral')
    await clock.advance(400 * 86_400)
    expect((await caller.get('/v1/people')).body.meta.creditsCharged).toBe(5)
  })
})
