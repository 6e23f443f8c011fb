import { describe, expect, spyOn, test } from 'bun:test'
import type { Tier } from '../../../src/contract/tiers.ts'
import type { Database } from '../../../src/database/client.ts'
import type { Outcome } from '../../../src/money/charge/call.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import {
  accountOf,
  me,
  newAccount,
  newContact,
  plainRead,
  readOf,
  repeat,
  revealOf,
  sharedBench,
  type TestAccount,
} from './fixtures.ts'

const bench = sharedBench()

const setTier = (account: TestAccount, tier: Tier) =>
  bench.sql`update accounts set tier = ${tier} where id = ${account.id}`

/** Asks the database itself, without what a meter remembers. */
const ask = (call: Parameters<typeof bench.meter.charge>[0]): Promise<Outcome> =>
  bench.anotherMeter().charge(call)

test('a time is rounded up to the millisecond, so that a window never ends later than its answer says', async () => {
  const [row] = await bench.sql`
    select meter_ms('2026-01-01 00:00:00.0001+00') as up, meter_ms('2026-01-01 00:00:00.001+00') as whole`
  const startMs = Date.UTC(2026, 0)
  expect(row).toEqual({ up: startMs + 1, whole: startMs + 1 })
})

describe('request rate', () => {
  const limits: [Tier, number, number][] = [
    ['free', 120, 60],
    ['starter', 120, 60],
    ['pro', 120, 60],
    ['team', 300, 60],
    ['enterprise', 5, 1],
  ]
  for (const [tier, limit, seconds] of limits) {
    test(`${tier}: ${limit} calls in ${seconds} s and no more, then as many again`, async () => {
      const account = await newAccount(bench.sql, { tier, credits: 10_000 })
      const ends = bench.clock.now() + seconds * 1_000
      const first = await bench.meter.charge(plainRead(account))
      expect(first).toMatchObject({ rateLimit: limit, rateRemaining: limit - 1, rateResetMs: ends })
      const last = await repeat(bench.meter, limit - 1, () => plainRead(account))
      expect(last).toMatchObject({ outcome: 'charged', rateRemaining: 0, rateResetMs: ends })

      await bench.clock.set(ends - 1)
      const refused = await ask(plainRead(account))
      expect(refused).toMatchObject({ outcome: 'rate_limited', charged: 0, rateRemaining: 0 })
      expect(refused).toMatchObject({ rateResetMs: ends, nowMs: ends - 1, balance: last.balance })

      await bench.clock.set(ends)
      expect(await ask(plainRead(account))).toMatchObject({
        outcome: 'charged',
        rateRemaining: limit - 1,
        rateResetMs: ends + seconds * 1_000,
      })
    })
  }

  test('a window starts at the first call after the last one ended, not on the clock', async () => {
    const account = await newAccount(bench.sql)
    const ends = (await bench.meter.charge(me(account))).rateResetMs
    await bench.clock.set(ends + 12_345)
    expect((await bench.meter.charge(me(account))).rateResetMs).toBe(ends + 12_345 + 60_000)
  })

  test('what fails at gates 5 to 9 counts against the rate; a revoked key and the limit itself do not', async () => {
    const account = await newAccount(bench.sql)
    const person = await newContact(bench.sql)
    const counted = [
      me(account),
      plainRead(account),
      plainRead(account, { refusal: 'parameters' }),
      revealOf(account, person, { refusal: 'scope' }),
      plainRead(account, { record_exists: false }),
    ]
    for (const [made, call] of counted.entries()) {
      expect((await bench.meter.charge(call)).rateRemaining).toBe(119 - made)
    }
    await bench.meter.charge(me({ ...account, key: person }))
    expect((await accountOf(bench.sql, account.id)).rate_count).toBe(counted.length)
    await bench.sql`update accounts set rate_count = 120 where id = ${account.id}`
    for (let i = 0; i < 3; i++) expect((await ask(me(account))).outcome).toBe('rate_limited')
    expect((await accountOf(bench.sql, account.id)).rate_count).toBe(120)
  })

  test('contract, authentication 4: keys of one account share its rate', async () => {
    const account = await newAccount(bench.sql)
    const [key] = await bench.sql`
      insert into api_keys (account_id, hash, prefix, label)
      values (${account.id}, 'second', 'p', 'second') returning id`
    await bench.meter.charge(me(account))
    expect((await bench.meter.charge(me({ ...account, key: key!.id }))).rateRemaining).toBe(118)
  })

  test('a tier that changed brings its limit to the next call', async () => {
    const account = await newAccount(bench.sql)
    await repeat(bench.meter, 120, () => me(account))
    expect((await ask(me(account))).outcome).toBe('rate_limited')
    await setTier(account, 'team')
    expect(await ask(me(account))).toMatchObject({ outcome: 'free', rateRemaining: 179 })
    await setTier(account, 'pro')
    expect(await ask(me(account))).toMatchObject({ outcome: 'rate_limited', rateRemaining: 0 })
  })

  test('instances share the limit exactly', async () => {
    const account = await newAccount(bench.sql)
    const meters = [bench.anotherMeter(), bench.anotherMeter(), bench.anotherMeter()]
    const outcomes = await Promise.all(
      Array.from({ length: 180 }, (_, i) => meters[i % 3]!.charge(me(account))),
    )
    expect(outcomes.filter((outcome) => outcome.outcome === 'free')).toHaveLength(120)
  })
})

describe('refusing from memory', () => {
  /** A database that counts how often it is asked. */
  function counting() {
    const asked = { times: 0 }
    const database: Database = {
      ...bench.database,
      use: (work, options) => {
        asked.times++
        return bench.database.use(work, options)
      },
    }
    return { asked, meter: createMeter(database) }
  }

  async function overItsRate() {
    const account = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    await bench.sql`
      update accounts set rate_started_at = meter_now(), rate_count = 120 where id = ${account.id}`
    return account
  }

  test('the rate of an account is known as its last call left it, and is whole once that window has ended', async () => {
    const account = await newAccount(bench.sql, { tier: 'team', credits: 100 })
    const { asked, meter } = counting()
    expect(meter.rate(account.id)).toBeUndefined()
    const call = { ...plainRead(account) }
    const { rateResetMs: resetMs, nowMs } = await meter.charge(call)
    await meter.charge({ ...call, request_id: 'another' })
    const times = asked.times
    expect(meter.rate(account.id)).toMatchObject({ limit: 300, remaining: 298, resetMs })
    const startedMs = performance.now()
    const clock = spyOn(performance, 'now').mockReturnValue(startedMs + resetMs - nowMs)
    try {
      const rate = meter.rate(account.id)
      expect(rate).toMatchObject({ limit: 300, remaining: 300 })
      expect(rate?.resetMs).toBeGreaterThanOrEqual(resetMs + 60_000)
    } finally {
      clock.mockRestore()
    }
    expect(asked.times).toBe(times)
  })

  test('once the database has refused an account, the same instance does not ask again at once', async () => {
    const account = await overItsRate()
    const { asked, meter } = counting()
    const first = await meter.charge(plainRead(account))
    for (let i = 0; i < 100; i++) {
      const outcome = await meter.charge(plainRead(account))
      expect(outcome).toMatchObject({ outcome: 'rate_limited', charged: 0, rateRemaining: 0 })
      expect(outcome.rateResetMs).toBe(first.rateResetMs)
      expect(outcome.nowMs).toBeLessThan(outcome.rateResetMs)
    }
    expect(asked.times).toBe(1)
  })

  test('a refusal from memory ends with its window', async () => {
    const account = await overItsRate()
    const { meter } = counting()
    await bench.clock.advance(59.95)
    expect((await meter.charge(plainRead(account))).outcome).toBe('rate_limited')
    await bench.clock.advance(0.05)
    await Bun.sleep(60)
    expect((await meter.charge(plainRead(account))).outcome).toBe('charged')
  })

  test('a tier that changed is seen within a second', async () => {
    const account = await overItsRate()
    const { meter } = counting()
    expect((await meter.charge(plainRead(account))).outcome).toBe('rate_limited')
    await setTier(account, 'team')
    await Bun.sleep(1_000)
    expect((await meter.charge(plainRead(account))).outcome).toBe('charged')
  })

  test('a refusal of one account is no refusal of another', async () => {
    const account = await overItsRate()
    const { meter } = counting()
    await meter.charge(plainRead(account))
    const other = await newAccount(bench.sql, { credits: 5 })
    expect((await meter.charge(plainRead(other))).outcome).toBe('charged')
  })
})

describe('reveal cap', () => {
  const used = (account: TestAccount, count: number) =>
    bench.sql`
      update accounts set reveal_started_at = meter_now(), reveal_count = ${count} where id = ${account.id}`

  for (const [tier, cap] of [
    ['free', 60],
    ['starter', 600],
    ['pro', 600],
    ['team', 600],
    ['enterprise', 600],
  ] as const) {
    test(`contract, limits, ${tier}: ${cap} first reveals in an hour, then 429 at 0 credits until it ends`, async () => {
      const account = await newAccount(bench.sql, { tier, credits: 1_000 })
      const ends = bench.clock.now() + 3_600_000
      await used(account, cap - 1)
      expect((await ask(revealOf(account, await newContact(bench.sql)))).outcome).toBe('charged')
      await bench.clock.set(ends - 1)
      const next = await newContact(bench.sql)
      expect(await ask(revealOf(account, next))).toMatchObject({
        outcome: 'reveal_cap',
        charged: 0,
        required: 10,
        revealResetMs: ends,
        unlocked: null,
      })
      await bench.clock.set(ends)
      expect((await ask(revealOf(account, next))).outcome).toBe('charged')
      expect((await accountOf(bench.sql, account.id)).reveal_count).toBe(1)
    })
  }

  test('contract, limits: re-reading an unlocked contact, and plain reads, take nothing from the cap', async () => {
    const account = await newAccount(bench.sql, { credits: 1_000 })
    const person = await newContact(bench.sql)
    await bench.meter.charge(revealOf(account, person))
    for (const call of [revealOf(account, person), readOf(account, person), plainRead(account)]) {
      await bench.meter.charge(call)
    }
    expect((await accountOf(bench.sql, account.id)).reveal_count).toBe(1)
    await used(account, 60)
    expect((await bench.meter.charge(revealOf(account, person))).outcome).toBe('charged')
  })

  test('sixty simultaneous first reveals of one contact take one from the cap', async () => {
    const account = await newAccount(bench.sql, { credits: 1_000 })
    const person = await newContact(bench.sql)
    await used(account, 59)
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, () => bench.meter.charge(revealOf(account, person))),
    )
    expect(outcomes.map((outcome) => outcome.outcome)).toEqual(Array(60).fill('charged'))
    expect((await accountOf(bench.sql, account.id)).reveal_count).toBe(60)
  })

  test('a tier that changed brings its cap to the next reveal', async () => {
    const account = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    await used(account, 100)
    await setTier(account, 'free')
    const person = await newContact(bench.sql)
    expect((await bench.meter.charge(revealOf(account, person))).outcome).toBe('reveal_cap')
    await setTier(account, 'starter')
    expect((await bench.meter.charge(revealOf(account, person))).outcome).toBe('charged')
  })
})

describe('a clock that ran ahead by two hours and is right again', () => {
  test('an account that was at its limit is answered at once, with a whole window', async () => {
    const account = await newAccount(bench.sql)
    const right = bench.clock.now()
    await bench.clock.advance(7_200)
    await repeat(bench.meter, 121, () => me(account))
    await bench.clock.set(right)
    expect(await ask(me(account))).toMatchObject({
      outcome: 'free',
      rateRemaining: 119,
      rateResetMs: right + 60_000,
    })
    // The window of the right clock is as exact as any.
    expect(await ask(me(account))).toMatchObject({ outcome: 'free', rateRemaining: 118 })
  })

  test('first reveals begin a new hour', async () => {
    const account = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    const right = bench.clock.now()
    await bench.clock.advance(7_200)
    await bench.sql`
      update accounts set reveal_started_at = meter_now(), reveal_count = 600 where id = ${account.id}`
    expect((await ask(revealOf(account, await newContact(bench.sql)))).outcome).toBe('reveal_cap')
    await bench.clock.set(right)
    expect((await ask(revealOf(account, await newContact(bench.sql)))).outcome).toBe('charged')
    expect((await accountOf(bench.sql, account.id)).reveal_count).toBe(1)
  })

  test('a call that was charged meanwhile is charged once, however long its Idempotency-Key is repeated', async () => {
    const account = await newAccount(bench.sql, { tier: 'pro', credits: 100 })
    const retry = { idempotency_key: 'ahead', fingerprint: 'f' }
    const right = bench.clock.now()
    await bench.clock.advance(7_200)
    expect((await ask(plainRead(account, retry))).outcome).toBe('charged')
    await bench.clock.set(right)
    expect(await ask(plainRead(account, retry))).toMatchObject({ outcome: 'replayed', balance: 95 })
  })
})
