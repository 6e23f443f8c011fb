import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { expectRejection } from '../../helpers/rejection.ts'
import {
  accountOf,
  grant,
  grantsOf,
  ledgerOf,
  me,
  newAccount,
  newContact,
  plainRead,
  repeat,
  revealOf,
  START,
  sharedBench,
} from './fixtures.ts'

const bench = sharedBench()
beforeEach(() => bench.clock.set(START))

const DAY = 86_400

test('a grant is a ledger entry, and the balance is their sum', async () => {
  const account = await newAccount(bench.sql)
  expect(await grant(bench.sql, account.id, 'topup', 100)).toBe(100)
  expect(await grant(bench.sql, account.id, 'referral', 50)).toBe(150)
  expect(await ledgerOf(bench.sql, account.id)).toMatchObject([
    { kind: 'grant', credits: 100, balance: 100 },
    { kind: 'grant', credits: 50, balance: 150 },
  ])
})

test('an entry of the ledger is never changed, taken away or emptied out', async () => {
  const account = await newAccount(bench.sql)
  await grant(bench.sql, account.id, 'topup', 100)
  for (const statement of [
    'update ledger set credits = credits + 1',
    'delete from ledger',
    'truncate ledger',
  ]) {
    await expectRejection((async () => await bench.sql.unsafe(statement))(), 'never changed')
  }
  expect(await ledgerOf(bench.sql, account.id)).toMatchObject([{ credits: 100, balance: 100 }])
})

test('spending burns the soonest to expire first, whatever the order they came in', async () => {
  const account = await newAccount(bench.sql)
  await grant(bench.sql, account.id, 'topup', 10)
  await grant(bench.sql, account.id, 'plan', 10, '30 days')
  await grant(bench.sql, account.id, 'trial', 10, '7 days')
  const left = async () => (await grantsOf(bench.sql, account.id)).map((row) => row[2])
  expect(await left()).toEqual([10, 10, 10])
  await bench.meter.charge(plainRead(account))
  expect(await left()).toEqual([5, 10, 10])
  await bench.meter.charge(revealOf(account, await newContact(bench.sql)))
  expect(await left()).toEqual([0, 5, 10])
  await repeat(bench.meter, 2, () => plainRead(account))
  expect(await left()).toEqual([0, 0, 5])
})

test('what was spent before a grant came is not taken from it, even if it expires sooner', async () => {
  const account = await newAccount(bench.sql)
  await grant(bench.sql, account.id, 'topup', 20)
  await bench.meter.charge(plainRead(account))
  await grant(bench.sql, account.id, 'trial', 10, '7 days')
  expect(await grantsOf(bench.sql, account.id)).toEqual([
    ['trial', 10, 10],
    ['topup', 20, 15],
  ])
})

test('what is left of a grant leaves the balance at its expiry, before that call is decided', async () => {
  const [account, other] = [await newAccount(bench.sql), await newAccount(bench.sql)]
  for (const { id } of [account, other]) await grant(bench.sql, id, 'trial', 20, '7 days')
  await bench.meter.charge(plainRead(account))
  await bench.clock.advance(7 * DAY - 0.001)
  expect(await bench.meter.charge(plainRead(account))).toMatchObject({
    outcome: 'charged',
    balance: 10,
  })
  await bench.clock.advance(0.001)
  expect(await bench.meter.charge(plainRead(account))).toMatchObject({
    outcome: 'sample',
    balance: 0,
    required: 5,
  })
  expect((await ledgerOf(bench.sql, account.id)).at(-1)).toMatchObject({
    kind: 'expiry',
    credits: -10,
    balance: 0,
  })
  // Whatever else opens an account at that moment settles it as well.
  await bench.sql`select meter_review(${other.id})`
  expect((await accountOf(bench.sql, other.id)).balance).toBe(0)
})

test('a grant that was spent expires without an entry', async () => {
  const account = await newAccount(bench.sql)
  await grant(bench.sql, account.id, 'trial', 5, '7 days')
  await bench.meter.charge(plainRead(account))
  await bench.clock.advance(8 * DAY)
  await bench.meter.charge(me(account))
  expect((await ledgerOf(bench.sql, account.id)).map((entry) => entry.kind)).toEqual([
    'grant',
    'charge',
  ])
})

test('several grants that fell due while nobody called expire each with its own entry', async () => {
  const account = await newAccount(bench.sql, { credits: 40 })
  await grant(bench.sql, account.id, 'trial', 20, '7 days')
  await grant(bench.sql, account.id, 'referral', 30, '9 days')
  await bench.meter.charge(plainRead(account))
  await bench.clock.advance(30 * DAY)
  expect((await bench.meter.charge(me(account))).balance).toBe(40)
  expect((await ledgerOf(bench.sql, account.id)).slice(-2)).toMatchObject([
    { kind: 'expiry', credits: -15, balance: 70 },
    { kind: 'expiry', credits: -30, balance: 40 },
  ])
})

test('an expiry is settled by whatever call comes first: /v1/me, a refusal, another grant', async () => {
  for (const call of ['me', 'refused', 'grant'] as const) {
    await bench.clock.set(START)
    const account = await newAccount(bench.sql, { credits: 5 })
    await grant(bench.sql, account.id, 'trial', 20, '7 days')
    await bench.clock.advance(8 * DAY)
    if (call === 'me') expect((await bench.meter.charge(me(account))).balance).toBe(5)
    if (call === 'refused') {
      const refused = plainRead(account, { refusal: 'parameters' })
      expect((await bench.meter.charge(refused)).balance).toBe(5)
    }
    if (call === 'grant') expect(await grant(bench.sql, account.id, 'topup', 1)).toBe(6)
    const expiries = (await ledgerOf(bench.sql, account.id)).filter(
      (entry) => entry.kind === 'expiry',
    )
    expect(expiries.map((entry) => entry.credits)).toEqual([-20])
  }
})

test('top-ups and referrals never expire unless a date is set', async () => {
  const account = await newAccount(bench.sql)
  await grant(bench.sql, account.id, 'topup', 10)
  await grant(bench.sql, account.id, 'referral', 20)
  await grant(bench.sql, account.id, 'topup', 40, '2026-06-01T00:00:00.000Z')
  await bench.clock.set('2026-05-31T23:59:59.999Z')
  expect((await bench.meter.charge(me(account))).balance).toBe(70)
  await bench.clock.set('2126-06-01T00:00:00.000Z')
  expect((await bench.meter.charge(me(account))).balance).toBe(30)
})

test('what an instance says of the balance right after an expiry, another one says too', async () => {
  const account = await newAccount(bench.sql, { credits: 5 })
  await grant(bench.sql, account.id, 'trial', 20, '7 days')
  await bench.clock.advance(7 * DAY)
  const balances = await Promise.all(
    Array.from({ length: 10 }, () => bench.anotherMeter().charge(me(account))),
  )
  expect(balances.map((outcome) => outcome.balance)).toEqual(Array(10).fill(5))
})

test('credits given to an account in debt pay it, soonest to expire first, and only the rest expires', async () => {
  const account = await newAccount(bench.sql, { tier: 'enterprise' })
  await repeat(bench.meter, 4, () => plainRead(account))
  expect(await grant(bench.sql, account.id, 'trial', 30, '7 days')).toBe(10)
  expect(await grantsOf(bench.sql, account.id)).toEqual([['trial', 30, 10]])
  await bench.clock.advance(7 * DAY)
  expect((await bench.meter.charge(me(account))).balance).toBe(0)
})

test('credits that would already have expired are refused, and nothing is written', async () => {
  const account = await newAccount(bench.sql)
  await expectRejection(grant(bench.sql, account.id, 'topup', 10, START), 'expire in the past')
  await expectRejection(grant(bench.sql, account.id, 'topup', 0))
  await expectRejection(grant(bench.sql, account.id, 'topup', -5))
  expect(await ledgerOf(bench.sql, account.id)).toEqual([])
  expect((await accountOf(bench.sql, account.id)).balance).toBe(0)
})

test("credits for an account that does not exist are nobody's", async () => {
  expect(await grant(bench.sql, randomUUID(), 'topup', 10)).toBeNull()
})

test('grants and calls at once neither lose nor make a credit', async () => {
  const account = await newAccount(bench.sql, { tier: 'team' })
  await Promise.all([
    ...Array.from({ length: 20 }, (_, i) =>
      grant(bench.sql, account.id, i % 2 ? 'topup' : 'trial', 10, i % 2 ? null : `${i + 1} days`),
    ),
    ...Array.from({ length: 60 }, () => bench.meter.charge(plainRead(account))),
  ])
  const entries = await ledgerOf(bench.sql, account.id)
  const charges = entries.filter((entry) => entry.kind === 'charge').length
  expect(entries).toHaveLength(20 + charges)
  expect((await accountOf(bench.sql, account.id)).balance).toBe(200 - 5 * charges)
})
