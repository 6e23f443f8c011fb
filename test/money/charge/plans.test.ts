import { beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { PLANS, type PlanName } from '../../../src/contract/tiers.ts'
import {
  accountOf,
  grant,
  grantsOf,
  ledgerOf,
  me,
  newAccount,
  plainRead,
  START,
  sharedBench,
  startPlan,
  stopPlan,
} from './fixtures.ts'

const bench = sharedBench()
beforeEach(() => bench.clock.set(START))

const endOf = async (account: { id: string }) =>
  (await accountOf(bench.sql, account.id)).plan_ends_at?.toISOString()

test("contract, plans: the table's prices, credits and what they buy agree with the price list", () => {
  expect(
    Object.entries(PLANS).map(([name, plan]) => [name, plan.tier, plan.usdPerMonth, plan.credits]),
  ).toEqual([
    ['essential', 'starter', 49, 3_000],
    ['pro', 'pro', 99, 6_000],
    ['team', 'team', 249, 15_000],
    ['enterprise', 'enterprise', null, null],
  ])
})

for (const name of Object.keys(PLANS) as PlanName[]) {
  test(`contract, plans: ${name} brings its tier and its credits, until a month from now`, async () => {
    const account = await newAccount(bench.sql)
    expect(await startPlan(bench.sql, account.id, name)).toBe(true)
    expect(await bench.meter.charge(me(account))).toMatchObject({
      tier: PLANS[name].tier,
      balance: PLANS[name].credits ?? 0,
    })
    expect(await endOf(account)).toBe('2026-02-28T10:00:00.000Z')
  })
}

describe('a plan that does not renew', () => {
  test("leaves tier free and takes what is left of its credits at the period's end", async () => {
    const account = await newAccount(bench.sql, { credits: 7 })
    await startPlan(bench.sql, account.id, 'pro')
    await bench.meter.charge(plainRead(account))
    await bench.clock.set('2026-02-28T09:59:59.999Z')
    expect(await bench.meter.charge(me(account))).toMatchObject({ tier: 'pro', balance: 6_002 })
    await bench.clock.set('2026-02-28T10:00:00.000Z')
    expect(await bench.meter.charge(me(account))).toMatchObject({ tier: 'free', balance: 7 })
    expect(await accountOf(bench.sql, account.id)).toMatchObject({ plan: null, plan_ends_at: null })
    expect((await ledgerOf(bench.sql, account.id)).at(-1)).toMatchObject({
      kind: 'expiry',
      credits: -5_995,
    })
  })

  test('a call after the end is decided as free: a sample, not a 402', async () => {
    const account = await newAccount(bench.sql)
    await startPlan(bench.sql, account.id, 'essential')
    await bench.clock.set('2026-03-15T00:00:00.000Z')
    expect((await bench.meter.charge(plainRead(account))).outcome).toBe('sample')
  })
})

describe('a plan that renews', () => {
  test('grants anew at the next call after its period, without rollover', async () => {
    const account = await newAccount(bench.sql)
    await startPlan(bench.sql, account.id, 'essential', true)
    await bench.meter.charge(plainRead(account))
    await bench.clock.set('2026-02-28T10:00:00.000Z')
    expect(await bench.meter.charge(plainRead(account))).toMatchObject({
      outcome: 'charged',
      tier: 'starter',
      balance: 2_995,
    })
    expect((await ledgerOf(bench.sql, account.id)).slice(-3)).toMatchObject([
      { kind: 'expiry', credits: -2_995, balance: 0 },
      { kind: 'grant', credits: 3_000, balance: 3_000 },
      { kind: 'charge', credits: -5, balance: 2_995 },
    ])
  })

  test('one begun on the 31st ends on the 31st wherever the month has one', async () => {
    const account = await newAccount(bench.sql)
    await startPlan(bench.sql, account.id, 'essential', true)
    const ends = []
    for (let renewals = 0; renewals < 5; renewals++) {
      const end = (await endOf(account))!
      ends.push(end.slice(0, 10))
      await bench.clock.set(end)
      await bench.meter.charge(me(account))
    }
    expect(ends).toEqual(['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'])
  })

  test('periods in which nobody called grant nothing', async () => {
    const account = await newAccount(bench.sql)
    await startPlan(bench.sql, account.id, 'essential', true)
    await bench.clock.set('2027-01-01T00:00:00.000Z')
    expect((await bench.meter.charge(me(account))).balance).toBe(3_000)
    expect(await endOf(account)).toBe('2027-01-31T10:00:00.000Z')
    const kinds = (await ledgerOf(bench.sql, account.id)).map((entry) => entry.kind)
    expect(kinds).toEqual(['grant', 'expiry', 'grant'])
  })

  test('instances that see the renewal at once grant it once', async () => {
    const account = await newAccount(bench.sql)
    await startPlan(bench.sql, account.id, 'essential', true)
    await bench.clock.set('2026-03-01T00:00:00.000Z')
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => bench.anotherMeter().charge(me(account))),
    )
    expect(outcomes.map((outcome) => outcome.balance)).toEqual(Array(20).fill(3_000))
  })

  test('the period is the same whatever the time zone of the session that settles it', async () => {
    const ends = []
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
      await bench.clock.set('2026-03-01T02:30:00.000Z')
      const account = await newAccount(bench.sql)
      await bench.sql.unsafe(`
        set timezone = '${zone}';
        select meter_start_plan('${account.id}', 'pro', 'pro', 6000, true);
        reset timezone`)
      ends.push(await endOf(account))
    }
    expect(ends).toEqual(Array(3).fill('2026-04-01T02:30:00.000Z'))
  })
})

describe('stopping', () => {
  test("now: the tier is free and the plan's credits are gone, others stay", async () => {
    const account = await newAccount(bench.sql, { credits: 7 })
    await startPlan(bench.sql, account.id, 'team', true)
    await bench.clock.advance(3_600)
    expect(await stopPlan(bench.sql, account.id)).toBe(true)
    expect(await bench.meter.charge(me(account))).toMatchObject({ tier: 'free', balance: 7 })
    expect(await bench.meter.charge(plainRead(account))).toMatchObject({
      outcome: 'charged',
      balance: 2,
    })
  })

  test('what a trial that ended sooner has paid stays paid by it', async () => {
    const account = await newAccount(bench.sql)
    await grant(bench.sql, account.id, 'trial', 20, '7 days')
    await startPlan(bench.sql, account.id, 'essential')
    for (let i = 0; i < 4; i++) await bench.meter.charge(plainRead(account))
    await stopPlan(bench.sql, account.id)
    expect((await bench.meter.charge(me(account))).balance).toBe(0)
    expect((await ledgerOf(bench.sql, account.id)).at(-1)?.credits).toBe(-3_000)
  })

  test("at the period's end: it stays until then and does not renew", async () => {
    const account = await newAccount(bench.sql)
    await startPlan(bench.sql, account.id, 'team', true)
    expect(await stopPlan(bench.sql, account.id, true)).toBe(true)
    expect(await bench.meter.charge(me(account))).toMatchObject({ tier: 'team', balance: 15_000 })
    await bench.clock.set((await endOf(account))!)
    expect(await bench.meter.charge(me(account))).toMatchObject({ tier: 'free', balance: 0 })
  })

  test('where there is no plan, or no account, there is nothing to stop or start', async () => {
    const account = await newAccount(bench.sql)
    expect(await stopPlan(bench.sql, account.id)).toBe(false)
    expect(await stopPlan(bench.sql, randomUUID())).toBe(false)
    expect(await startPlan(bench.sql, randomUUID(), 'pro')).toBe(false)
  })
})

describe('changing', () => {
  test('another plan takes over at once; what was paid for stays until its own end', async () => {
    const account = await newAccount(bench.sql)
    await startPlan(bench.sql, account.id, 'essential', true)
    await bench.clock.set('2026-02-10T00:00:00.000Z')
    await startPlan(bench.sql, account.id, 'pro')
    expect(await bench.meter.charge(plainRead(account))).toMatchObject({
      tier: 'pro',
      balance: 8_995,
    })
    expect(await grantsOf(bench.sql, account.id)).toEqual([
      ['plan', 3_000, 2_995],
      ['plan', 6_000, 6_000],
    ])
    await bench.clock.set('2026-02-28T10:00:00.000Z')
    expect(await bench.meter.charge(me(account))).toMatchObject({ tier: 'pro', balance: 6_000 })
    await bench.clock.set('2026-03-10T00:00:00.000Z')
    expect(await bench.meter.charge(me(account))).toMatchObject({ tier: 'free', balance: 0 })
  })

  test('a plan begun after another one ended unseen finds the old one settled', async () => {
    const account = await newAccount(bench.sql)
    await startPlan(bench.sql, account.id, 'essential')
    await bench.clock.set('2026-05-01T00:00:00.000Z')
    await startPlan(bench.sql, account.id, 'pro')
    expect(await bench.meter.charge(me(account))).toMatchObject({ tier: 'pro', balance: 6_000 })
  })

  test('plan credits burn before a top-up, after a trial that ends sooner', async () => {
    const account = await newAccount(bench.sql, { credits: 10 })
    await startPlan(bench.sql, account.id, 'essential')
    await grant(bench.sql, account.id, 'trial', 5, '7 days')
    for (let i = 0; i < 2; i++) await bench.meter.charge(plainRead(account))
    expect(await grantsOf(bench.sql, account.id)).toEqual([
      ['trial', 5, 0],
      ['plan', 3_000, 2_995],
      ['topup', 10, 10],
    ])
  })
})
