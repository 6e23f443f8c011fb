/** contract/Credit prices, Rules 3: to the exact credit, whatever happens at the same time; and retries. */
import { expect } from 'bun:test'
import { IDEMPOTENT_REPEATS } from '../../src/contract/headers.ts'
import { ADA, AURORA, BEN, CLEO, DAN, EMBER, HARBOR, UNKNOWN_ID } from '../helpers/fixtures.ts'
import { endOf, group, quoteOf, type Row, type Suite } from './suite.ts'
import type { Received } from './world.ts'

const reveal = ({ id }: { id: string }) => `/v1/people/${id}?include=private`
const LIST = '/v1/people?limit=1'

/** How many answers ended in each way. */
function counted(answers: readonly Received[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const end of answers.map(endOf)) counts[end] = (counts[end] ?? 0) + 1
  return counts
}

export function credits(suite: Suite): void {
  group(suite, 'contract/Credit prices, Rules 3', ({ story }) => {
    story(
      'ledger, balance and the sum of creditsCharged agree; nothing but live data is charged',
      async (world) => {
        const caller = await world.account({ credits: 200 })
        const live = [
          ...[reveal(ADA), reveal(ADA), reveal(DAN), reveal(CLEO), `/v1/projects/${AURORA.slug}`],
          ...['/v1/people?channels=phone', `/v1/investors/${EMBER.slug}`, '/v1/search?q=aurora'],
          ...[`/v1/services/${HARBOR.slug}`, '/v1/projects?sector=nobody-is-in-this'],
        ]
        const free = [
          ...[
            '/v1/me',
            '/v1/people?limt=3',
            `/v1/people/${UNKNOWN_ID}`,
            '/v1/nothing',
            '/v1/network',
          ],
          ...[`/v1/investors/${AURORA.slug}`, '/v1/search', '/v1/people?include=private'],
        ]
        let charged = 0
        for (const [n, path] of live.entries()) {
          charged += (await caller.get(path)).body.meta.creditsCharged
          const { body } = await caller.get(free[n % free.length] ?? '')
          expect(body.meta?.creditsCharged ?? body.error.charged).toBe(0)
        }
        expect(charged).toBe(2 * 10 + 8 * 5)
        expect(await world.balance(caller)).toBe(200 - charged)
        const charges = live.map((_, n) => `charge -${n === 0 || n === 2 ? 10 : 5}`)
        expect(await world.ledger(caller)).toEqual(['grant 200', ...charges])
      },
    )

    story(
      'a charge names its endpoint, its key, its request and whom it unlocked',
      async (world) => {
        const caller = await world.account({ credits: 100 })
        await caller.get(LIST, { 'x-request-id': 'ticket-42' })
        await caller.get(reveal(BEN))
        const rows = await world.sql`
        select l.endpoint, l.credits, l.person_id, k.account_id as of, request_id
          from ledger l join api_keys k on k.id = l.key_id
         where l.account_id = ${caller.id} and kind = 'charge' order by sequence`
        const of = caller.id
        expect([...rows]).toMatchObject([
          { endpoint: '/v1/people', credits: -5, person_id: null, of, request_id: 'ticket-42' },
          { endpoint: '/v1/people/{id}', credits: -10, person_id: BEN.id, of },
        ])
      },
    )

    for (const tier of ['free', 'pro'] as const) {
      story(
        `100 calls, 20 at once, on 250 credits of ${tier}: 50 are live, each with its own balance`,
        async (world) => {
          const caller = await world.account({ tier, credits: 250 })
          const answers: Received[] = []
          for (let n = 0; n < 5; n++) {
            answers.push(...(await Promise.all(Array.from({ length: 20 }, () => caller.get(LIST)))))
          }
          const other = tier === 'free' ? 'sample 5' : 'insufficient_credits'
          expect(counted(answers)).toEqual({ 'live 5': 50, [other]: 50 })
          const live = answers.filter((answer) => endOf(answer) === 'live 5')
          const balances = live.map(({ body }) => body.meta.creditsBalance).sort((a, b) => a - b)
          expect(balances).toEqual(Array.from({ length: 50 }, (_, n) => n * 5))
          expect(await world.balance(caller)).toBe(0)
        },
      )
    }
  })

  retries(suite)
}

function retries(suite: Suite): void {
  const withKey = (key: string) => ({ 'idempotency-key': key })

  group(suite, 'Idempotency-Key', ({ rows, story }) => {
    rows(
      ['', 'k'.repeat(65), 'with blank', 'a/b', 'ümlaut', '"half'].map(
        (key): Row => ({
          name: 'says what is allowed',
          path: LIST,
          headers: withKey(key),
          code: 'invalid_parameter',
          holds: {
            'error.parameter': 'Idempotency-Key',
            'error.allowed': expect.stringContaining('1 to 64 characters'),
          },
        }),
      ),
    )

    const repeats = [
      [LIST, LIST, 'the same call'],
      [reveal(ADA), reveal(ADA), 'a reveal'],
      [
        '/v1/people?limit=1&sort=name',
        '/v1/people?sort=name&limit=1',
        'parameters in another order',
      ],
      [
        '/v1/projects?sector=DeFi&sector=Lending',
        '/v1/projects?sector=Lending&sector=DeFi',
        'values too',
      ],
    ] as const
    for (const [first, second, what] of repeats) {
      story(`a repeat is live for 0 credits and says so: ${what}`, async (world) => {
        const caller = await world.account({ credits: 100 })
        const one = await caller.get(first, withKey('"retry-1"'))
        expect(one.headers['idempotent-replayed']).toBeUndefined()
        expect(quoteOf(await caller.head(second, withKey('retry-1')))).toBe('replayed 0')
        const again = await caller.get(second, withKey('retry-1'))
        expect(endOf(again)).toBe('replayed 0')
        const creditsBalance = one.body.meta.creditsBalance
        expect(again.body.meta).toEqual({ creditsCharged: 0, creditsBalance })
        expect(again.body.data).toEqual(one.body.data)
        expect(again.headers['x-ratelimit-remaining']).toBe('117')
        expect(await world.balance(caller)).toBe(creditsBalance)
      })
    }

    story(
      `of 20 calls at once one is charged, ${IDEMPOTENT_REPEATS} repeat it, the rest are exhausted`,
      async (world) => {
        const caller = await world.account({ credits: 100 })
        const calls = Array.from({ length: 20 }, () => caller.get(reveal(ADA), withKey('storm')))
        expect(counted(await Promise.all(calls))).toEqual({
          'first_reveal 10': 1,
          'replayed 0': IDEMPOTENT_REPEATS,
          idempotency_key_exhausted: 19 - IDEMPOTENT_REPEATS,
        })
        const last = await caller.get(reveal(ADA), withKey('storm'))
        expect(last.body.error).toMatchObject({ charged: 0, parameter: 'Idempotency-Key' })
        expect(await world.balance(caller)).toBe(90)
      },
    )

    story(
      'for another path or query it is refused, for nothing; such refusals are no repeats',
      async (world) => {
        const caller = await world.account({ credits: 100 })
        await caller.get(reveal(ADA), withKey('once'))
        for (const path of [reveal(BEN), `/v1/people/${ADA.id}`, LIST]) {
          for (let n = 0; n < 2; n++) {
            const { error } = (await caller.get(path, withKey('once'))).body
            expect([error.code, error.parameter]).toEqual([
              'idempotency_key_reused',
              'Idempotency-Key',
            ])
          }
          await caller.get(`/v1/people/${ADA.id}?page=1`, withKey('once'))
        }
        expect(quoteOf(await caller.head(LIST, withKey('once')))).toBe('idempotency_key_reused')
        expect(endOf(await caller.get(reveal(ADA), withKey('once')))).toBe('replayed 0')
        expect(await world.balance(caller)).toBe(90)
      },
    )

    story('accounts don’t share keys', async (world) => {
      const callers = [await world.account({ credits: 5 }), await world.account({ credits: 5 })]
      for (const caller of callers)
        expect(endOf(await caller.get(LIST, withKey('same')))).toBe('live 5')
    })

    story('only a call that was charged binds its key', async (world) => {
      const caller = await world.account({ credits: 10 })
      const poor = [await world.account(), await world.account({ tier: 'pro' })]
      for (const path of [`/v1/people/${UNKNOWN_ID}`, '/v1/people?limt=1', '/v1/me']) {
        await caller.get(path, withKey('k'))
      }
      for (const one of poor) await one.get(LIST, withKey('k'))
      for (const { id } of [caller, ...poor]) {
        expect(await world.sql`select from idempotency_keys where account_id = ${id}`).toHaveLength(
          0,
        )
      }
      expect(endOf(await caller.get(LIST, withKey('k')))).toBe('live 5')
    })

    story('/v1/me is free and reads no key', async (world) => {
      const caller = await world.account({ credits: 10 })
      await caller.get(LIST, withKey('k'))
      for (const key of ['k', 'no key!']) {
        expect(endOf(await caller.get('/v1/me', withKey(key)))).toBe('live 0')
      }
    })
  })
}
