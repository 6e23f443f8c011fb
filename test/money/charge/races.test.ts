/**
 * Two instances of the meter on two pools, and everybody at once. `RACE_ROUNDS=100` for a full run;
 * rounds run ten at a time, each on accounts of its own.
 */
import { expect } from 'bun:test'
import type { Call, Outcome } from '../../../src/money/charge/call.ts'
import type { TestDatabase } from '../../helpers/postgres.ts'
import {
  accountOf,
  grant,
  ledgerOf,
  me,
  newAccount,
  newContact,
  plainRead,
  revealOf,
  type TestAccount,
} from './fixtures.ts'
import { atOnce, count, race, stillArena, tickingArena } from './race.ts'

const ticking = tickingArena()
const still = stillArena()

/** Calls one after another from each of `callers` until `done`, telling which began after `after()`. */
async function load(
  callers: number,
  callsEach: number,
  call: () => Call,
  halfway: () => Promise<unknown>,
) {
  let changed = false
  let made = 0
  const before: Outcome[] = []
  const after: Outcome[] = []
  let change: Promise<void> | undefined
  await Promise.all(
    Array.from({ length: callers }, async (_, i) => {
      for (let n = 0; n < callsEach; n++) {
        const begunAfter = changed
        const outcome = await ticking.meters[i % 2]!.charge(call())
        ;(begunAfter ? after : before).push(outcome)
        if (++made >= (callers * callsEach) / 2) {
          change ??= halfway().then(() => {
            changed = true
          })
        }
      }
    }),
  )
  await change
  after.push(...(await atOnce(2, ticking.meters, call)))
  return { before, after }
}

async function chargedTo(sql: TestDatabase['sql'], account: TestAccount) {
  const entries = await ledgerOf(sql, account.id)
  return entries.filter((entry) => entry.kind === 'charge').map((entry) => -entry.credits)
}

const sum = (credits: number[]) => credits.reduce((total, one) => total + one, 0)

race('fifty simultaneous first reveals cost one 10 and forty-nine 5', async () => {
  const { test, meters } = ticking
  const account = await newAccount(test.sql, { tier: 'pro', credits: 1_000 })
  const person = await newContact(test.sql)
  const outcomes = await atOnce(50, meters.slice(0, 1), () => revealOf(account, person))
  expect(outcomes.map((outcome) => outcome.charged).sort((a, b) => b - a)).toEqual([
    10,
    ...Array(49).fill(5),
  ])
  expect(outcomes.every((outcome) => outcome.unlocked?.[0]?.telegram === '@grace')).toBe(true)
  expect((await accountOf(test.sql, account.id)).balance).toBe(1_000 - 10 - 49 * 5)
})

race('two hundred over two instances cost one 10 and the rest 5', async () => {
  const { test, meters } = ticking
  const account = await newAccount(test.sql, { tier: 'pro', credits: 2_000 })
  const person = await newContact(test.sql)
  const outcomes = await atOnce(200, meters, () => revealOf(account, person))
  expect(outcomes.map((outcome) => outcome.charged).sort((a, b) => b - a)).toEqual([
    10,
    ...Array(199).fill(5),
  ])
  expect(outcomes.every((outcome) => outcome.unlocked?.[0]?.telegram === '@grace')).toBe(true)
  expect((await chargedTo(test.sql, account)).filter((credits) => credits === 10)).toHaveLength(1)
})

race('of a hundred calls on 250 credits exactly fifty are live', async () => {
  const { test, meters } = ticking
  const account = await newAccount(test.sql, { tier: 'pro', credits: 250 })
  const outcomes = await atOnce(100, meters, () => plainRead(account))
  expect([count(outcomes, 'charged'), count(outcomes, 'insufficient')]).toEqual([50, 50])
  const balances = outcomes.filter((one) => one.charged > 0).map((one) => one.balance)
  expect(new Set(balances).size).toBe(50)
  expect((await accountOf(test.sql, account.id)).balance).toBe(0)
})

race(
  'of a thousand callers on the last 5 credits one gets a live answer, 119 a sample',
  async () => {
    const { test, meters } = still
    const account = await newAccount(test.sql, { credits: 5 })
    const outcomes = await atOnce(1_000, meters, () => plainRead(account))
    expect([
      count(outcomes, 'charged'),
      count(outcomes, 'sample'),
      count(outcomes, 'rate_limited'),
    ]).toEqual([1, 119, 880])
    expect(await chargedTo(test.sql, account)).toEqual([5])
  },
)

race('no call that begins after a revocation is charged, in the middle of a load', async () => {
  const { test } = ticking
  const account = await newAccount(test.sql, { tier: 'pro', credits: 5_000 })
  const { before, after } = await load(
    12,
    8,
    () => plainRead(account),
    () => test.sql`update api_keys set revoked_at = meter_now() where id = ${account.key}`,
  )
  expect(count(after, 'revoked')).toBe(after.length)
  expect(await chargedTo(test.sql, account)).toHaveLength(count(before, 'charged'))
})

race(
  'a tier that changes in the middle of a load holds for every call that begins after it',
  async () => {
    const { test } = ticking
    const account = await newAccount(test.sql, { credits: 50 })
    const { before, after } = await load(
      12,
      8,
      () => plainRead(account),
      () => test.sql`update accounts set tier = 'enterprise' where id = ${account.id}`,
    )
    expect(after.map((outcome) => outcome.tier)).toEqual(Array(after.length).fill('enterprise'))
    expect(count(after, 'sample')).toBe(0)
    expect(count(before, 'rate_limited')).toBe(0)
    const all = [...before, ...after]
    expect(await chargedTo(test.sql, account)).toHaveLength(count(all, 'charged'))
    // Each outcome says of its tier what its tier is.
    for (const outcome of all) {
      if (outcome.tier === 'free') expect(outcome.balance).toBeGreaterThanOrEqual(0)
      expect(outcome.rateLimit).toBe(outcome.tier === 'free' ? 120 : 5)
    }
  },
)

race(
  'a grant that expires in the middle of a load leaves once, and pays for no later call',
  async () => {
    const { test, meters, clock } = ticking
    const account = await newAccount(test.sql, { tier: 'pro', credits: 100 })
    await grant(test.sql, account.id, 'trial', 2_000, '40 seconds')
    const outcomes = await atOnce(100, meters, () => plainRead(account))
    await clock.advance(60)
    outcomes.push(await meters[0]!.charge(me(account)))

    const entries = await ledgerOf(test.sql, account.id)
    const expiry = entries.findIndex((entry) => entry.kind === 'expiry')
    expect(entries.filter((entry) => entry.kind === 'expiry')).toHaveLength(1)
    const spent = (from: number, to?: number) =>
      sum(entries.slice(from, to).map((entry) => (entry.kind === 'charge' ? -entry.credits : 0)))
    expect(entries[expiry]!.credits).toBe(-(2_000 - spent(0, expiry)))
    expect(entries[expiry]!.balance).toBe(100)
    expect(spent(expiry)).toBeLessThanOrEqual(100)
    expect(spent(0)).toBe(sum(outcomes.map((outcome) => outcome.charged)))
    expect((await accountOf(test.sql, account.id)).balance).toBe(100 - spent(expiry))
  },
)

race(
  'of mixed calls over fifty accounts, what the callers saw charged is what the ledger holds',
  async () => {
    const { test, meters } = ticking
    const accounts = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        newAccount(test.sql, {
          tier: (['free', 'pro', 'team', 'enterprise'] as const)[i % 4]!,
          credits: 60,
        }),
      ),
    )
    const people = await Promise.all(Array.from({ length: 5 }, () => newContact(test.sql)))
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, async (_, i) => {
        const account = accounts[i % 50]!
        const kind = Math.floor(i / 50) % 4
        const call =
          kind === 0
            ? me(account)
            : kind === 1
              ? revealOf(account, people[i % 5]!)
              : plainRead(account, { record_exists: kind === 2 })
        return { account, outcome: await meters[i % 2]!.charge(call) }
      }),
    )
    for (const account of accounts) {
      const seen = outcomes
        .filter((one) => one.account === account)
        .map((one) => one.outcome.charged)
      expect(sum(await chargedTo(test.sql, account))).toBe(sum(seen))
      const { balance, tier } = await accountOf(test.sql, account.id)
      expect(balance).toBe(60 - sum(seen))
      if (tier !== 'enterprise') expect(balance).toBeGreaterThanOrEqual(0)
    }
  },
)
