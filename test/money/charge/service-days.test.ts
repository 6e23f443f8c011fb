/** Figures of all accounts by day are those of the ledger, of grants and of the log of requests, at every moment. */
import { afterEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { countFigures, type DayFigures, FIGURE_DAYS } from '../../../src/console/acts/figures.ts'
import type { GrantSource } from '../../../src/contract/tiers.ts'
import { makeLedgerMonths } from '../../../src/database/ledger-months.ts'
import { archiveLedger, monthsAgo } from '../../../src/money/charge/ledger-archive.ts'
import { sumLedger } from '../../../src/money/charge/ledger-days.ts'
import { shared } from '../../helpers/shared.ts'
import { grant, meterBench, newAccount, plainRead, type TestAccount } from './fixtures.ts'

const bench = shared(
  () => meterBench(6),
  ({ drop }) => drop(),
)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

afterEach(async () => {
  expect(await countFigures(bench.database)).toEqual(await plainFigures())
})

/** The same by adding up everything there is. */
async function plainFigures() {
  const rows = await bench.sql<DayFigures[]>`
    select to_char(day, 'YYYY-MM-DD') as day,
           (select count(*) from accounts where utc_day(created_at) = day)::float8 as "newAccounts",
           (select coalesce(sum(amount), 0) from credit_grants
             where utc_day(created_at) = day and source in ('plan', 'topup'))::float8 as sold,
           (select coalesce(sum(amount), 0) from credit_grants
             where utc_day(created_at) = day and source in ('trial', 'referral'))::float8 as "givenFree",
           (select coalesce(-sum(credits), 0) from ledger where utc_day(at) = day and kind = 'charge')::float8 as spent,
           c.*
      from (select utc_day(meter_now()) - ago as day from generate_series(0, ${FIGURE_DAYS - 1}::integer) ago) days
     cross join lateral (
             select coalesce(sum(charged), 0)::float8 as charged, coalesce(sum(free), 0)::float8 as free,
                    coalesce(sum(refused), 0)::float8 as refused, coalesce(sum(failed), 0)::float8 as failed
               from (select charged, free, refused, failed from request_days where request_days.day = days.day
                      union all
                     select charged, free, refused, failed from request_chunks where utc_day(began_at) = days.day) r) c
     order by days.day desc`
  return [...rows]
}

const charge = (account: TestAccount) => bench.meter.charge(plainRead(account))

const writeCalls = (account: TestAccount, charged: number) => bench.sql`
  insert into request_chunks (account_id, key_id, began_at, charged, free, refused, failed, calls)
  select ${account.id}, ${account.key}, meter_now() - make_interval(hours => n), ${charged}, 1, 2, n, ''
    from generate_series(0, 3) n`

const newcomer = async () => {
  const account = await newAccount(bench.sql, { tier: 'team', credits: 100 })
  await bench.sql`update accounts set created_at = meter_now() where id = ${account.id}`
  return account
}

const step = fc.record({
  what: fc.constantFrom(
    ...(['charge', 'charge', 'charge', 'give', 'take', 'refused'] as const),
    ...(['sum', 'sum', 'calls', 'account'] as const),
  ),
  which: fc.nat({ max: 3 }),
  many: fc.integer({ min: 1, max: 4 }),
  source: fc.constantFrom<GrantSource>('plan', 'topup', 'trial', 'referral'),
  /** Since the step before; clocks are set back sometimes. */
  hours: fc.oneof(fc.constant(0), fc.integer({ min: -3, max: 20 })),
})

test('after any steps the figures are those of everything added up, whatever of it is in the sums', async () => {
  let nowMs = Date.parse('2049-03-01T12:00:00Z')
  const history = fc.array(step, { minLength: 15, maxLength: 30 })
  const run = fc.asyncProperty(history, async (steps) => {
    const accounts: TestAccount[] = []
    for (let i = 0; i < 4; i++) accounts.push(await newcomer())
    for (const { what, which, many, source, hours } of steps) {
      nowMs += hours * HOUR_MS
      await bench.clock.set(nowMs)
      await makeLedgerMonths(bench.database)
      const account = accounts[which]!
      if (what === 'charge') for (let i = 0; i < many; i++) await charge(account)
      if (what === 'give') await grant(bench.sql, account.id, source, many, '2 days')
      if (what === 'take') {
        await bench.sql`
          select meter_take_back(${account.id}, id, 1) from credit_grants where account_id = ${account.id} limit 1`
      }
      // The account's row changes without an entry.
      if (what === 'refused') await bench.meter.charge(plainRead(account, { record_exists: false }))
      if (what === 'sum') await bench.sql`select ledger_sum(${account.id}, ${many}, ${many})`
      if (what === 'calls') await writeCalls(account, many)
      if (what === 'account') await newcomer()
      expect(await countFigures(bench.database)).toEqual(await plainFigures())
    }
  })
  await fc.assert(run, { numRuns: 2, seed: 20 })
})

test('what is charged while entries are added, from several sides at once, is in the figures once', async () => {
  const accounts = [await newcomer(), await newcomer(), await newcomer()]
  const charges = accounts.map(async (account) => {
    for (let i = 0; i < 12; i++) await charge(account)
  })
  const folds = [1, 2].map(async () => {
    for (let i = 0; i < 12; i++) await sumLedger(bench.database, { accounts: 2, entries: 2 })
  })
  await Promise.all([...charges, ...folds])
  expect(await countFigures(bench.database)).toEqual(await plainFigures())
})

test('an entry that is committed while others are added is in the figures once, and in the sums the next time', async () => {
  const account = await newcomer()
  await charge(account)
  await bench.sql.begin(async (sql) => {
    await sql`select ledger_sum(no_key(), 10000, 100)`
    await charge(account)
    expect(await countFigures(bench.database)).toEqual(await plainFigures())
  })
  expect(await countFigures(bench.database)).toEqual(await plainFigures())
  await sumLedger(bench.database)
})

test('a month that goes into a file a day after its end stays in the figures', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chainkin-ledger-'))
  try {
    await bench.clock.set('2049-06-30T10:00:00Z')
    await makeLedgerMonths(bench.database)
    const account = await newcomer()
    for (let i = 0; i < 3; i++) await charge(account)
    await bench.clock.set('2049-07-01T10:00:00Z')
    await makeLedgerMonths(bench.database)
    const before = await countFigures(bench.database)
    expect(before[1]).toMatchObject({ day: '2049-06-30', sold: 100, spent: 15, newAccounts: 1 })
    const months = await archiveLedger(bench.database, folder, await monthsAgo(bench.database, 0))
    expect(months.archived.length).toBeGreaterThan(0)
    expect(await countFigures(bench.database)).toEqual(before)
    // The ledger itself no longer tells.
    await bench.clock.set(Date.parse('2049-07-01T10:00:00Z') + 20 * DAY_MS)
    await makeLedgerMonths(bench.database)
  } finally {
    await rm(folder, { recursive: true })
  }
})
