/** A key's end and its cap, which the charging statement holds; and the caps of keys that are rotated. */
import { describe, expect, test } from 'bun:test'
import type { CapPeriod } from '../../../src/contract/keys.ts'
import type { Tier } from '../../../src/contract/tiers.ts'
import { createKey, keysOf, rotateKey } from '../../../src/money/accounts/keys.ts'
import {
  accountOf,
  me,
  newAccount,
  newContact,
  plainRead,
  revealOf,
  sharedBench,
  type TestAccount,
} from './fixtures.ts'

const bench = sharedBench()

/** An account with plenty of credits, called with a key that has a cap. */
async function capped(credits: number, period: CapPeriod = 'day', tier: Tier = 'pro') {
  const account = await newAccount(bench.sql, { tier, credits: 1_000 })
  const cap = { credits, period }
  const { id: key } = await createKey(bench.database, account.id, 'script', [], { cap })
  return { account, caller: { id: account.id, key } }
}

const call = (caller: TestAccount) => bench.meter.charge(plainRead(caller))
const outcomesOf = async (caller: TestAccount, times: number) => {
  const outcomes: string[] = []
  for (let made = 0; made < times; made++) outcomes.push((await call(caller)).outcome)
  return outcomes
}

describe('a cap', () => {
  test('is spent to the credit and no further, of this key alone; what is refused counts as a request', async () => {
    const { account, caller } = await capped(12)
    expect(await outcomesOf(caller, 3)).toEqual(['charged', 'charged', 'key_cap'])
    expect(await call(caller)).toMatchObject({
      outcome: 'key_cap',
      charged: 0,
      required: 5,
      balance: 990,
      keyCap: { credits: 12, period: 'day', spent: 10 },
    })
    expect(await call(account)).toMatchObject({ outcome: 'charged', balance: 985, keyCap: null })
    expect(await accountOf(bench.sql, account.id)).toMatchObject({ balance: 985, rate_count: 5 })
  })

  test('counts a call of one credit', async () => {
    const { caller } = await capped(2)
    const outcomes: string[] = []
    for (let made = 0; made < 3; made++) {
      const one = plainRead(caller, { price: 1, reveal_price: 1 })
      outcomes.push((await bench.meter.charge(one)).outcome)
    }
    expect(outcomes).toEqual(['charged', 'charged', 'key_cap'])
  })

  test.each([
    ['day', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
  ] as const)(
    'of a %s begins anew in UTC to the millisecond, whatever the session’s time zone is',
    async (period, last, first, next) => {
      const { caller } = await capped(5, period)
      await bench.clock.set(last)
      expect(await outcomesOf(caller, 1)).toEqual(['charged'])
      expect((await call(caller)).keyCap?.renewsAt).toBe(first)
      await bench.clock.set(first)
      expect(await outcomesOf(caller, 1)).toEqual(['charged'])
      expect((await call(caller)).keyCap).toMatchObject({ spent: 5, renewsAt: next })
      const [row] = await bench.sql.begin(async (sql) => {
        await sql`set local time zone 'Pacific/Kiritimati'`
        return sql`select key_cap_said(c, meter_now()) as said from key_caps c
                     join api_keys k on k.cap_id = c.id where k.id = ${caller.key}`
      })
      expect(row?.said).toMatchObject({ spent: 5, renewsAt: next })
    },
  )

  test('a clock that is set back to the day before spends nothing twice', async () => {
    const { caller } = await capped(5)
    await bench.clock.set('2027-03-02T00:00:00.000Z')
    expect(await outcomesOf(caller, 1)).toEqual(['charged'])
    await bench.clock.set('2027-03-01T23:59:59.000Z')
    expect(await call(caller)).toMatchObject({
      outcome: 'key_cap',
      keyCap: { renewsAt: '2027-03-03T00:00:00.000Z' },
    })
    await bench.clock.set('2027-03-02T00:00:01.000Z')
    expect(await outcomesOf(caller, 1)).toEqual(['key_cap'])
  })

  test.each([
    ['day', 3],
    ['month', 70],
  ] as const)(
    'of a %s that a clock which ran %i days ahead has spent is whole again once the clock is right',
    async (period, days) => {
      const { caller } = await capped(5, period)
      const right = bench.clock.now()
      await bench.clock.advance(days * 86_400)
      expect(await outcomesOf(caller, 2)).toEqual(['charged', 'key_cap'])
      await bench.clock.set(right)
      expect(await outcomesOf(caller, 2)).toEqual(['charged', 'key_cap'])
      const { keyCap } = await call(caller)
      expect(Date.parse(keyCap?.renewsAt ?? '')).toBeLessThanOrEqual(right + 31 * 86_400_000)
    },
  )

  test('holds where the account has no ceiling, and where it would get a sample for want of credits that comes first', async () => {
    const { caller } = await capped(5, 'day', 'enterprise')
    expect(await outcomesOf(caller, 2)).toEqual(['charged', 'key_cap'])
    const free = await newAccount(bench.sql, { tier: 'free', credits: 5 })
    const cap = { credits: 5, period: 'day' as const }
    const { id: key } = await createKey(bench.database, free.id, 'script', [], { cap })
    expect(await outcomesOf({ id: free.id, key }, 2)).toEqual(['charged', 'sample'])
  })

  test('a reveal over it is refused, a read below it is not; a repeat and /v1/me cost nothing and are answered', async () => {
    const { caller } = await capped(9)
    const person = await newContact(bench.sql)
    const retry = { idempotency_key: 'once', fingerprint: 'f' }
    const charge = bench.meter.charge
    expect(await charge(revealOf(caller, person))).toMatchObject({
      outcome: 'key_cap',
      required: 10,
    })
    expect((await charge(plainRead(caller, retry))).outcome).toBe('charged')
    expect((await charge(plainRead(caller))).outcome).toBe('key_cap')
    expect((await charge(plainRead(caller, retry))).outcome).toBe('replayed')
    expect(await charge(me(caller))).toMatchObject({
      outcome: 'free',
      keyCap: { credits: 9, spent: 5 },
    })
    expect((await accountOf(bench.sql, caller.id)).unlock_count).toBe(0)
  })
})

describe('rotating', () => {
  test('keeps end, cap and networks; both keys spend of one cap', async () => {
    const account = await newAccount(bench.sql, { tier: 'pro', credits: 1_000 })
    const old = await createKey(bench.database, account.id, 'script', ['read:metadata'], {
      expiresSeconds: 3_600,
      cap: { credits: 15, period: 'month' },
      networks: ['203.0.113.0/24', '2001:db8::1'],
    })
    const made = await rotateKey(bench.database, account.id, old.id, 60)
    const [fresh, former] = ['fresh', 'former'].map((name) => {
      return { id: account.id, key: name === 'fresh' ? (made?.id ?? '') : old.id }
    }) as [TestAccount, TestAccount]
    expect([
      await outcomesOf(former, 2),
      await outcomesOf(fresh, 2),
      await outcomesOf(former, 1),
    ]).toEqual([['charged', 'charged'], ['charged', 'key_cap'], ['key_cap']])
    const endsAt = new Date(bench.clock.now() + 3_600_000).toISOString()
    const keys = await keysOf(bench.database, account.id)
    expect(keys.find(({ id }) => id === made?.id)).toMatchObject({
      endsAt,
      isRevoked: false,
      inForce: true,
      networks: ['203.0.113.0/24', '2001:db8::1'],
      cap: { credits: 15, period: 'month', spent: 15 },
    })
    await bench.clock.advance(60)
    expect((await call(former)).outcome).toBe('revoked')
    await bench.clock.advance(3_540)
    expect((await call(fresh)).outcome).toBe('revoked')
    expect(await rotateKey(bench.database, account.id, made?.id ?? '', 60)).toBeUndefined()
  })
})

test('a key ends at its end to the millisecond, by the database’s clock', async () => {
  const account = await newAccount(bench.sql, { tier: 'pro', credits: 100 })
  const limits = { expiresSeconds: 90 }
  const { id: key } = await createKey(bench.database, account.id, 'script', [], limits)
  const caller = { id: account.id, key }
  await bench.clock.advance(89.999)
  expect((await call(caller)).outcome).toBe('charged')
  await bench.clock.advance(0.001)
  expect((await call(caller)).outcome).toBe('revoked')
})

test('a program that knows no limits of keys, while it is replaced, is held to a cap and gets no key with networks', async () => {
  const account = await newAccount(bench.sql, { tier: 'pro', credits: 100 })
  const cap = { credits: 5, period: 'day' as const }
  const keys = [
    await createKey(bench.database, account.id, 'capped', [], { cap }),
    await createKey(bench.database, account.id, 'bound', [], { networks: ['192.0.2.1'] }),
  ]
  const outcomes: string[] = []
  for (const key of [keys[0], keys[0], keys[1]]) {
    const [row] = await bench.sql<{ outcome: string }[]>`
      select outcome from meter_charge(
        ${`{"(${account.id},${key?.id},5,10,,t,,f,,f,f,,,r,/test)"}`}::text::meter_call[],
        '{"(pro,120,60 s,600,3600 s,f,f)"}'::text::meter_rule[])`
    outcomes.push(row?.outcome ?? '')
  }
  expect(outcomes).toEqual(['charged', 'insufficient', 'revoked'])
})
