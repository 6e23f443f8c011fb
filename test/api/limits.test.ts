/** contract/Limits: request rates and the reveal cap, on a clock that the test sets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { REFUSAL_PAUSE_MS } from '../../src/api/refusals.ts'
import type { Tier } from '../../src/contract/tiers.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { type Clock, startClock } from '../helpers/clock.ts'
import { ADA, BEN, crowd, crowdId, fixtures } from '../helpers/fixtures.ts'
import { type Answer, type Caller, postgresService, type TestService } from '../helpers/service.ts'

const CROWD = 70

let service: TestService
let clock: Clock

beforeAll(async () => {
  service = await postgresService(async (database) => {
    await fixtures(database)
    await crowd(database, CROWD)
  })
  clock = await startClock(service.sql, '2026-01-31T10:00:00.000Z')
})
afterAll(() => service.stop())

const reveal = (id: string) => `/v1/people/${id}?include=private`

/** Statuses of `count` calls that cost nothing, of which few enough wait together to keep their deadline. */
async function calls(caller: Caller, count: number) {
  const answers: Answer[] = []
  while (answers.length < count) {
    const length = Math.min(40, count - answers.length)
    answers.push(...(await Promise.all(Array.from({ length }, () => caller.get('/v1/me')))))
  }
  const ok = answers.filter(({ status }) => status === 200).length
  return { ok, refused: answers.filter(({ status }) => status === 429).length }
}

/** Asks until the limit's memory of this instance, which is short, has seen the new time. */
async function untilAnswered(caller: Caller) {
  for (;;) {
    const answer = await caller.get('/v1/me')
    if (answer.status !== 429) return answer
  }
}

describe('requests', () => {
  test.each([
    ['free', 120],
    ['starter', 120],
    ['pro', 120],
    ['team', 300],
  ] as [Tier, number][])(
    'contract/Limits: on %s %d requests a minute are answered, one more is a 429',
    async (tier, limit) => {
      const caller = await service.account({ tier })
      expect(await calls(caller, limit)).toEqual({ ok: limit, refused: 0 })
      const { status, headers, body } = await caller.get('/v1/me')
      expect([status, body.error.code, headers.get('x-ratelimit-limit')]).toEqual([
        429,
        'rate_limited',
        String(limit),
      ])
      expect(headers.get('x-ratelimit-remaining')).toBe('0')
      expect(headers.get('retry-after')).toBe('60')
    },
  )

  test('contract/Limits: Enterprise is capped at 5 per second', async () => {
    const caller = await service.account({ tier: 'enterprise' })
    expect(await calls(caller, 7)).toEqual({ ok: 5, refused: 2 })
    const { headers } = await caller.get('/v1/me')
    expect([headers.get('x-ratelimit-limit'), headers.get('retry-after')]).toEqual(['5', '1'])
    await clock.advance(1)
    expect((await untilAnswered(caller)).headers.get('x-ratelimit-remaining')).toBe('4')
  })

  test('a window starts at the first call after the last one ended, and Reset is the second it ends', async () => {
    const caller = await service.account()
    const first = clock.now()
    const reset = async () => (await caller.get('/v1/me')).headers.get('x-ratelimit-reset')
    const firstReset = await reset()
    expect(firstReset).toBe(String(first / 1_000 + 60))
    await clock.advance(59.9)
    expect(await reset()).toBe(firstReset)
    await clock.advance(30.1)
    expect(await reset()).toBe(String(first / 1_000 + 150))
    expect((await caller.get('/v1/me')).headers.get('x-ratelimit-remaining')).toBe('118')
  })

  test('when the window has ended the account is answered again', async () => {
    const caller = await service.account()
    await calls(caller, 120)
    await clock.advance(59.99)
    const { status, headers } = await caller.get('/v1/me')
    expect([status, headers.get('retry-after')]).toEqual([429, '1'])
    await clock.advance(0.01)
    expect((await untilAnswered(caller)).headers.get('x-ratelimit-remaining')).toBe('119')
  })

  test('a client that is refused from memory and asks again at once is held back each time', async () => {
    const refusals = 4
    const caller = await service.account()
    await calls(caller, 121)
    const startedMs = performance.now()
    for (let n = 0; n < refusals; n++) expect((await caller.get('/v1/me')).status).toBe(429)
    // Never less, however fast the machine: timers count whole milliseconds.
    expect(performance.now() - startedMs).toBeGreaterThan(refusals * (REFUSAL_PAUSE_MS - 1))
  })

  test('contract/Authentication 4: the rate is the account’s: two keys share it', async () => {
    const caller = await service.account()
    const { key } = await createKey(service.database, caller.id, 'second', ['read:metadata'])
    await calls(caller, 120)
    const headers = { authorization: `Bearer ${key}` }
    expect((await service.request('/v1/me', { headers })).status).toBe(429)
  })

  test('contract/Limits: a plan that allows more takes effect at once', async () => {
    const caller = await service.account()
    await calls(caller, 120)
    await setAccount(service.database, caller.id, { tier: 'team' })
    expect((await caller.get('/v1/me')).headers.get('x-ratelimit-remaining')).toBe('179')
  })

  test('contract/Limits: one account at its limit holds up no other', async () => {
    const [busy, calm] = await Promise.all([service.account(), service.account()])
    await calls(busy, 121)
    expect(await calls(calm, 3)).toEqual({ ok: 3, refused: 0 })
  })
})

describe('private reveals', () => {
  test('contract/Limits: on free 60 first reveals an hour are answered, the 61st is a 429 for nothing', async () => {
    const caller = await service.account({ credits: 2_000 })
    const ids = Array.from({ length: 60 }, (_, n) => crowdId(n + 1))
    const answers = await Promise.all(ids.map((id) => caller.get(reveal(id))))
    expect(answers.every(({ body }) => body.meta.creditsCharged === 10)).toBe(true)
    const { status, headers, body } = await caller.get(reveal(ADA.id))
    expect([status, body.error.code]).toEqual([429, 'reveal_cap_exceeded'])
    expect(headers.get('retry-after')).toBe('3600')
    expect(await service.balance(caller.id)).toBe(2_000 - 600)
    // Re-reading an unlocked contact costs nothing against the cap.
    const again = await caller.get(reveal(crowdId(1)))
    expect([again.status, again.body.meta.creditsCharged]).toEqual([200, 5])
  })

  test.each([
    ['free', 60],
    ['starter', 600],
    ['pro', 600],
    ['team', 600],
    ['enterprise', 600],
  ] as [Tier, number][])(
    'contract/Limits: on %s the cap is %d first reveals an hour',
    async (tier, cap) => {
      const caller = await service.account({ tier, credits: 1_000 })
      await service.sql`
      update accounts set reveal_started_at = meter_now(), reveal_count = ${cap - 1} where id = ${caller.id}`
      expect((await caller.get(reveal(ADA.id))).status).toBe(200)
      expect((await caller.get(reveal(BEN.id))).status).toBe(429)
    },
  )

  test('after an hour the cap begins anew', async () => {
    const caller = await service.account({ credits: 100 })
    await service.sql`
      update accounts set reveal_started_at = meter_now(), reveal_count = 60 where id = ${caller.id}`
    await clock.advance(3_599)
    const refused = await caller.get(reveal(ADA.id))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    await clock.advance(1)
    expect((await caller.get(reveal(ADA.id))).status).toBe(200)
  })
})

describe('a clock of the database that ran ahead by two hours and is right again', () => {
  /** Asks while the instance remembers the limit, of which it never says more than a window. */
  async function untilOpen(ask: () => Promise<Answer>) {
    for (;;) {
      const answer = await ask()
      if (answer.status !== 429) return answer
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
  }

  test('keeps no account at 429', async () => {
    const caller = await service.account()
    const right = clock.now()
    await clock.advance(7_200)
    expect(await calls(caller, 121)).toEqual({ ok: 120, refused: 1 })
    await clock.set(right)
    const { status, headers } = await untilOpen(() => caller.get('/v1/me'))
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '119'])
    expect(headers.get('x-ratelimit-reset')).toBe(String(Math.ceil(right / 1_000) + 60))
  })

  test('keeps no address shut', async () => {
    const right = clock.now()
    const reject = () => service.request('/v1/me', {}, '192.0.2.77')
    await clock.advance(7_200)
    for (let count = 0; count < 20; count++) expect((await reject()).status).toBe(401)
    expect((await reject()).status).toBe(429)
    await clock.set(right)
    const { status, headers } = await untilOpen(reject)
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([401, '19'])
  })

  test('ends no key before its end, on the instance that had refused it', async () => {
    const { id } = await service.account({ credits: 100 })
    const { key } = await createKey(service.database, id, 'script', ['read:metadata'], {
      expiresSeconds: 3_600,
    })
    const authorization = `Bearer ${key}`
    const ask = (address: string) =>
      service.request('/v1/me', { headers: { authorization } }, address)
    const right = clock.now()
    expect((await ask('198.51.100.1')).status).toBe(200)
    await clock.advance(7_200)
    expect((await ask('198.51.100.1')).status).toBe(401)
    expect((await ask('198.51.100.1')).status).toBe(401)
    await clock.set(right)
    let address = 0
    let answer = await ask('198.51.100.2')
    while (answer.status !== 200) {
      expect(answer.status).toBe(401)
      await Bun.sleep(50)
      answer = await ask(`198.51.100.${3 + (address++ % 200)}`)
    }
    await clock.advance(3_600)
    expect((await ask('198.51.100.1')).status).toBe(401)
  })
})
