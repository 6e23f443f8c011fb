import { describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Tier } from '../../../src/contract/tiers.ts'
import type { Call, OutcomeName } from '../../../src/money/charge/call.ts'
import {
  accountOf,
  grant,
  ledgerOf,
  me,
  newAccount,
  newContact,
  newKey,
  plainRead,
  readOf,
  repeat,
  revealOf,
  sharedBench,
  type TestAccount,
} from './fixtures.ts'

const bench = sharedBench()

const PAID: Tier[] = ['starter', 'pro', 'team', 'enterprise']

async function chargedEntries(account: TestAccount) {
  return (await ledgerOf(bench.sql, account.id)).filter((entry) => entry.kind === 'charge')
}

describe('prices', () => {
  test('a data call costs 5, and its outcome tells the balance after it', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const call = plainRead(account)
    expect(await bench.meter.charge(call)).toMatchObject({
      outcome: 'charged',
      charged: 5,
      required: 5,
      balance: 95,
      tier: 'free',
    })
    expect(await chargedEntries(account)).toMatchObject([
      { credits: -5, balance: 95, request: call.request_id, person: null },
    ])
  })

  test('contract, credit prices: /v1/me costs 0, names the account and leaves no ledger entry', async () => {
    const account = await newAccount(bench.sql)
    const outcome = await bench.meter.charge(me(account))
    expect(outcome).toMatchObject({ outcome: 'free', charged: 0, required: 0, balance: 0 })
    expect(outcome.account).toEqual({ name: 'Ada', email: 'ada@example.com', organization: null })
    expect(await ledgerOf(bench.sql, account.id)).toEqual([])
  })

  test('the account is named to /v1/me only', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    expect((await bench.meter.charge(plainRead(account))).account).toBeNull()
  })

  test('what an outcome says is what the account row then holds', async () => {
    const account = await newAccount(bench.sql, { tier: 'pro', credits: 100 })
    const person = await newContact(bench.sql)
    for (const call of [revealOf(account, person), me(account), plainRead(account)]) {
      const outcome = await bench.meter.charge(call)
      const row = await accountOf(bench.sql, account.id)
      expect(outcome.balance).toBe(row.balance)
      expect(outcome.tier).toBe(row.tier)
      expect(outcome.rateRemaining).toBe(outcome.rateLimit - row.rate_count)
    }
  })
})

describe('gates', () => {
  // Each row fails its own gate and every later one.
  const gates: [number, OutcomeName, (account: TestAccount) => Partial<Call>][] = [
    [3, 'revoked', () => ({ key: randomUUID(), refusal: 'parameters' })],
    [5, 'refused', () => ({ refusal: 'parameters' })],
    [5, 'refused', () => ({ refusal: 'values' })],
    [6, 'refused', () => ({ refusal: 'scope' })],
  ]
  for (const [gate, name, changes] of gates) {
    test(`gate ${gate}: '${name}' comes before every later gate and costs nothing`, async () => {
      const account = await newAccount(bench.sql)
      const call = revealOf(account, await newContact(bench.sql), {
        record_exists: false,
        ...changes(account),
      })
      expect(await bench.meter.charge(call)).toMatchObject({ outcome: name, charged: 0 })
      expect((await accountOf(bench.sql, account.id)).rate_count).toBe(gate === 3 ? 0 : 1)
      expect(await ledgerOf(bench.sql, account.id)).toEqual([])
    })
  }

  test('gate 4: an account over its rate is told so before its parameters are looked at', async () => {
    const account = await newAccount(bench.sql, { tier: 'enterprise' })
    await repeat(bench.meter, 5, () => me(account))
    const outcome = await bench.meter.charge(plainRead(account, { refusal: 'parameters' }))
    expect(outcome.outcome).toBe('rate_limited')
  })

  test('gate 3 before 4: a revoked key of an account over its rate is revoked', async () => {
    const account = await newAccount(bench.sql, { tier: 'enterprise' })
    await repeat(bench.meter, 5, () => me(account))
    const outcome = await bench.meter.charge(me({ ...account, key: randomUUID() }))
    expect(outcome.outcome).toBe('revoked')
  })

  test('gate 7 before 8: a sampled or unpaid read never tells whether the record exists', async () => {
    for (const [tier, outcome] of [
      ['free', 'sample'],
      ['pro', 'insufficient'],
    ] as const) {
      const account = await newAccount(bench.sql, { tier })
      for (const record_exists of [true, false]) {
        expect(await bench.meter.charge(plainRead(account, { record_exists }))).toMatchObject({
          outcome,
          charged: 0,
          required: 5,
          unlocked: null,
        })
      }
    }
  })

  test('gate 8 before 9: a record that does not exist is not found, reveal cap or not', async () => {
    const account = await newAccount(bench.sql, { credits: 1_000 })
    await bench.sql`
      update accounts set reveal_started_at = meter_now(), reveal_count = 60 where id = ${account.id}`
    const call = revealOf(account, randomUUID(), { record_exists: false })
    expect((await bench.meter.charge(call)).outcome).toBe('not_found')
    const capped = revealOf(account, await newContact(bench.sql))
    expect((await bench.meter.charge(capped)).outcome).toBe('reveal_cap')
  })

  test('whatever is not live data costs nothing and unlocks nothing', async () => {
    const person = await newContact(bench.sql)
    const free = await newAccount(bench.sql, { credits: 4 })
    const paid = await newAccount(bench.sql, { tier: 'pro', credits: 4 })
    const calls = [
      revealOf(free, person),
      revealOf(paid, person),
      revealOf(paid, person, { refusal: 'scope' }),
      revealOf(paid, person, { refusal: 'parameters' }),
      plainRead(paid, { record_exists: false }),
      revealOf({ ...paid, key: randomUUID() }, person),
    ]
    for (const call of calls) {
      expect(await bench.meter.charge(call)).toMatchObject({ charged: 0, unlocked: null })
    }
    for (const account of [free, paid]) {
      expect(await chargedEntries(account)).toEqual([])
      expect(await accountOf(bench.sql, account.id)).toMatchObject({ balance: 4, unlock_count: 0 })
    }
  })
})

describe('balance', () => {
  test('a paid account below the price is refused; enterprise alone is not', async () => {
    for (const tier of PAID) {
      const account = await newAccount(bench.sql, { tier, credits: 4 })
      const outcome = await bench.meter.charge(plainRead(account))
      expect(outcome.outcome).toBe(tier === 'enterprise' ? 'charged' : 'insufficient')
      expect(outcome.balance).toBe(tier === 'enterprise' ? -1 : 4)
    }
  })

  test('contract, samples: a sample quotes the same price whether the contact is unlocked or not', async () => {
    const account = await newAccount(bench.sql, { credits: 14 })
    const [unlocked, locked] = [await newContact(bench.sql), await newContact(bench.sql)]
    await bench.meter.charge(revealOf(account, unlocked))
    for (const person of [unlocked, locked]) {
      expect(await bench.meter.charge(revealOf(account, person))).toMatchObject({
        outcome: 'sample',
        required: 10,
        balance: 4,
      })
    }
  })

  test('a call of one credit is charged, and one of none is free', async () => {
    const account = await newAccount(bench.sql, { credits: 2 })
    const outcomes: unknown[] = []
    for (const price of [1, 0, 1]) {
      const call = plainRead(account, { price, reveal_price: price })
      const { outcome, charged, balance } = await bench.meter.charge(call)
      outcomes.push([outcome, charged, balance])
    }
    expect(outcomes).toEqual([
      ['charged', 1, 1],
      ['free', 0, 1],
      ['charged', 1, 0],
    ])
  })

  test('a balance that is exactly the price is enough', async () => {
    for (const tier of ['free', 'pro'] as const) {
      const account = await newAccount(bench.sql, { tier, credits: 5 })
      expect(await bench.meter.charge(plainRead(account))).toMatchObject({
        outcome: 'charged',
        balance: 0,
      })
    }
  })

  test('enterprise goes below zero, is charged for it, and later credits pay the debt', async () => {
    const account = await newAccount(bench.sql, { tier: 'enterprise' })
    const person = await newContact(bench.sql)
    expect((await bench.meter.charge(revealOf(account, person))).balance).toBe(-10)
    expect((await bench.meter.charge(plainRead(account))).balance).toBe(-15)
    expect(await grant(bench.sql, account.id, 'topup', 100)).toBe(85)
    expect((await bench.meter.charge(plainRead(account))).balance).toBe(80)
    expect((await chargedEntries(account)).map((entry) => entry.credits)).toEqual([-10, -5, -5])
  })

  test('with 5 to 9 credits a free key reads live, and a first reveal is a sample that needs 10', async () => {
    const account = await newAccount(bench.sql, { credits: 14 })
    const person = await newContact(bench.sql)
    expect((await bench.meter.charge(plainRead(account))).balance).toBe(9)
    expect(await bench.meter.charge(revealOf(account, person))).toMatchObject({
      outcome: 'sample',
      charged: 0,
      required: 10,
      balance: 9,
      unlocked: null,
    })
    expect(await bench.meter.charge(readOf(account, person))).toMatchObject({
      outcome: 'charged',
      balance: 4,
    })
    expect(await bench.meter.charge(plainRead(account))).toMatchObject({
      outcome: 'sample',
      required: 5,
      balance: 4,
    })
  })
})

describe('reveals', () => {
  test('the first reveal costs 10 and unlocks for good; every later read costs 5 and shows the channels', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const person = await newContact(bench.sql)
    const channels = [
      {
        id: person,
        email: 'grace@example.com',
        phone: null,
        telegram: '@grace',
        linkedinUrl: null,
      },
    ]
    expect(await bench.meter.charge(readOf(account, person))).toMatchObject({
      charged: 5,
      unlocked: null,
    })
    const first = await bench.meter.charge(revealOf(account, person))
    expect(first).toMatchObject({ charged: 10, required: 10, unlocked: channels })
    for (const call of [revealOf(account, person), readOf(account, person)]) {
      expect(await bench.meter.charge(call)).toMatchObject({
        charged: 5,
        required: 5,
        unlocked: channels,
      })
    }
    expect((await chargedEntries(account)).map((entry) => [entry.credits, entry.person])).toEqual([
      [-5, null],
      [-10, person],
      [-5, null],
      [-5, null],
    ])
  })

  test("an unlock is the account's: another account pays for its own, another key of it does not", async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const stranger = await newAccount(bench.sql, { credits: 100 })
    const person = await newContact(bench.sql)
    await bench.meter.charge(revealOf(account, person))
    expect(await bench.meter.charge(readOf(stranger, person))).toMatchObject({ unlocked: null })
    expect(await bench.meter.charge(revealOf(stranger, person))).toMatchObject({ charged: 10 })
    const sibling = { id: account.id, key: await newKey(bench.sql, account.id) }
    expect(await bench.meter.charge(revealOf(sibling, person))).toMatchObject({ charged: 5 })
  })

  test('a reveal that costs nothing but the first time is charged once, whoever sends it at the same time', async () => {
    const account = await newAccount(bench.sql, { tier: 'pro', credits: 100 })
    const contact = await newContact(bench.sql)
    const call = () => revealOf(account, contact, { price: 0 })
    const outcomes = await Promise.all(
      [bench.meter, bench.anotherMeter(), bench.anotherMeter()].map((meter) =>
        meter.charge(call()),
      ),
    )
    expect(outcomes.map(({ outcome, charged }) => `${outcome} ${charged}`).sort()).toEqual([
      'charged 10',
      'free 0',
      'free 0',
    ])
    const bare = await newContact(bench.sql, false)
    const nothing = await bench.meter.charge(revealOf(account, bare, { price: 0 }))
    expect([nothing.outcome, nothing.charged, nothing.balance]).toEqual(['free', 0, 90])
    const gone = await bench.meter.charge(revealOf(account, randomUUID(), { price: 0 }))
    expect([gone.outcome, gone.charged]).toEqual(['not_found', 0])
    expect((await chargedEntries(account)).map(({ credits }) => credits)).toEqual([-10])
  })

  test('a reveal by a call that shows no channels is charged and unlocks, and its channels stay in the database', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const person = await newContact(bench.sql)
    const outcome = await bench.meter.charge(revealOf(account, person, { channels: false }))
    expect(outcome).toMatchObject({ outcome: 'charged', charged: 10 })
    expect(outcome.unlocked).toEqual([
      { id: person, email: null, phone: null, telegram: null, linkedinUrl: null },
    ])
  })

  test('a contact with nothing on file costs 5, is not unlocked and takes nothing from the cap', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const person = await newContact(bench.sql, false)
    const outcome = await bench.meter.charge(revealOf(account, person, { reveal: false }))
    expect(outcome).toMatchObject({ outcome: 'charged', charged: 5, unlocked: null })
    expect(await accountOf(bench.sql, account.id)).toMatchObject({
      unlock_count: 0,
      reveal_count: 0,
    })
  })

  test('a list says which of its contacts the account has unlocked, and shows no channel', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const [seen, unseen] = [await newContact(bench.sql), await newContact(bench.sql)]
    const list = plainRead(account, { contacts: [unseen, seen] })
    expect((await bench.meter.charge(list)).unlocked).toBeNull()
    await bench.meter.charge(revealOf(account, seen))
    expect((await bench.meter.charge(list)).unlocked).toEqual([
      { id: seen, email: null, phone: null, telegram: null, linkedinUrl: null },
    ])
  })

  test('no channel leaves the database with a sample, a 402, a 404 or a refusal', async () => {
    const account = await newAccount(bench.sql, { tier: 'pro', credits: 15 })
    const person = await newContact(bench.sql)
    await bench.meter.charge(revealOf(account, person))
    for (const changes of [{ refusal: 'scope' as const }, { record_exists: false }]) {
      expect((await bench.meter.charge(readOf(account, person, changes))).unlocked).toBeNull()
    }
    await bench.meter.charge(plainRead(account))
    for (const outcome of ['insufficient', 'sample'] as const) {
      expect(await bench.meter.charge(readOf(account, person))).toMatchObject({
        outcome,
        unlocked: null,
      })
      await bench.sql`update accounts set tier = 'free' where id = ${account.id}`
    }
  })
})

describe('retries', () => {
  const retry = (key: string, fingerprint: string) => ({ idempotency_key: key, fingerprint })

  test('a repeat is answered live, costs nothing and counts against the rate', async () => {
    const account = await newAccount(bench.sql, { credits: 5 })
    const call = () => plainRead(account, retry('one', 'a'))
    expect(await bench.meter.charge(call())).toMatchObject({ outcome: 'charged', balance: 0 })
    const replayed = await bench.meter.charge(call())
    expect(replayed).toMatchObject({ outcome: 'replayed', charged: 0, balance: 0 })
    expect(replayed.rateRemaining).toBe(replayed.rateLimit - 2)
    expect(await chargedEntries(account)).toHaveLength(1)
  })

  test('a repeated first reveal shows its channels again for nothing', async () => {
    const account = await newAccount(bench.sql, { credits: 10 })
    const person = await newContact(bench.sql)
    const call = () => revealOf(account, person, retry('one', 'a'))
    const first = await bench.meter.charge(call())
    expect(await bench.meter.charge(call())).toMatchObject({
      outcome: 'replayed',
      charged: 0,
      unlocked: first.unlocked!,
    })
  })

  test('on another path or query the key is refused, at 0 credits', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    await bench.meter.charge(plainRead(account, retry('one', 'a')))
    expect(await bench.meter.charge(plainRead(account, retry('one', 'b')))).toMatchObject({
      outcome: 'key_reused',
      charged: 0,
      balance: 95,
    })
  })

  test('only a call that was charged binds its key', async () => {
    const account = await newAccount(bench.sql)
    for (const changes of [{}, { refusal: 'scope' as const }, { record_exists: false }]) {
      await bench.meter.charge(plainRead(account, { ...retry('one', 'a'), ...changes }))
    }
    await grant(bench.sql, account.id, 'topup', 100)
    await bench.meter.charge(plainRead(account, { ...retry('one', 'a'), record_exists: false }))
    expect(await bench.meter.charge(plainRead(account, retry('one', 'b')))).toMatchObject({
      outcome: 'charged',
      charged: 5,
    })
  })

  test('a replay does not find what is gone, and a bound key does not pass gate 6', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const call = (changes: Partial<Call>) =>
      bench.meter.charge(plainRead(account, { ...retry('one', 'a'), ...changes }))
    await call({})
    expect((await call({ record_exists: false })).outcome).toBe('not_found')
    expect((await call({ refusal: 'scope' })).outcome).toBe('refused')
  })

  test('a key belongs to one account', async () => {
    const [one, other] = [
      await newAccount(bench.sql, { credits: 100 }),
      await newAccount(bench.sql, { credits: 100 }),
    ]
    await bench.meter.charge(plainRead(one, retry('shared', 'a')))
    expect((await bench.meter.charge(plainRead(other, retry('shared', 'b')))).outcome).toBe(
      'charged',
    )
  })

  test('a key holds for 24 hours, then it is charged and bound anew', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const call = (fingerprint: string) =>
      bench.meter.charge(plainRead(account, retry('one', fingerprint)))
    await call('a')
    await bench.clock.advance(24 * 3_600 - 0.001)
    expect((await call('a')).outcome).toBe('replayed')
    expect((await call('b')).outcome).toBe('key_reused')
    await bench.clock.advance(0.001)
    expect((await call('b')).outcome).toBe('charged')
    expect((await call('b')).outcome).toBe('replayed')
    expect((await call('a')).outcome).toBe('key_reused')
  })

  test('of fifty simultaneous sends of one call on two instances one is charged and five repeat it', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const other = bench.anotherMeter()
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 ? bench.meter : other).charge(plainRead(account, retry('one', 'a'))),
      ),
    )
    expect(outcomes.filter((outcome) => outcome.outcome === 'charged')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome.outcome === 'replayed')).toHaveLength(5)
    expect(outcomes.filter((outcome) => outcome.outcome === 'key_exhausted')).toHaveLength(44)
    expect((await accountOf(bench.sql, account.id)).balance).toBe(95)
  })
})

describe('keys', () => {
  const revoke = (key: string, time: string) =>
    bench.sql`update api_keys set revoked_at = meter_now() + ${time}::interval where id = ${key}`

  test('a revoked key stops at its next call, on every instance', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const other = bench.anotherMeter()
    for (const meter of [bench.meter, other]) await meter.charge(plainRead(account))
    await revoke(account.key, '0')
    for (const meter of [bench.meter, other]) {
      expect(await meter.charge(plainRead(account))).toMatchObject({
        outcome: 'revoked',
        charged: 0,
      })
    }
    expect((await accountOf(bench.sql, account.id)).balance).toBe(90)
  })

  test('a key with a grace time stops when it ends', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    await revoke(account.key, '10 seconds')
    await bench.clock.advance(9.999)
    expect((await bench.meter.charge(plainRead(account))).outcome).toBe('charged')
    await bench.clock.advance(0.001)
    expect((await bench.meter.charge(plainRead(account))).outcome).toBe('revoked')
  })

  test('another key of the account goes on working', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    const key = await newKey(bench.sql, account.id)
    await revoke(account.key, '0')
    expect((await bench.meter.charge(plainRead({ id: account.id, key }))).outcome).toBe('charged')
  })

  test('a key does not open another account, and an unknown account or key opens nothing', async () => {
    const [account, other] = [await newAccount(bench.sql), await newAccount(bench.sql)]
    for (const stranger of [
      { id: account.id, key: other.key },
      { id: account.id, key: randomUUID() },
      { id: randomUUID(), key: account.key },
    ]) {
      expect(await bench.meter.charge(me(stranger))).toMatchObject({
        outcome: 'revoked',
        account: null,
      })
    }
  })
})
