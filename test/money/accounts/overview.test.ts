/** The pace that the overview shows, from sums of days and what stands behind them. */
import { expect, test } from 'bun:test'
import { overviewOf } from '../../../src/money/accounts/overview.ts'
import { sumLedger } from '../../../src/money/charge/ledger-days.ts'
import { shared } from '../../helpers/shared.ts'
import { meterBench, newAccount } from '../charge/fixtures.ts'

const bench = shared(meterBench, ({ drop }) => drop())

/** An account of the year before, with a charge of five credits at each of these moments. */
async function accountWith(...moments: string[]): Promise<string> {
  const { id } = await newAccount(bench.sql)
  await bench.sql`update accounts set created_at = '2049-06-01' where id = ${id}`
  await charge(id, ...moments)
  return id
}

const charge = (id: string, ...moments: string[]) =>
  bench.sql`
    insert into ledger (account_id, at, kind, credits, balance_after, endpoint, key_id)
    select ${id}, moment::timestamptz, 'charge', -5, 0, '/v1/people', gen_random_uuid()
      from unnest(string_to_array(${moments.join()}::text, ',')) moment`

const paceOf = async (id: string) => (await overviewOf(bench.database, id))?.pace

test('the pace is that of today and the six days before, in UTC, summed or not', async () => {
  await bench.clock.set('2050-01-31T06:00:00Z')
  const id = await accountWith(
    '2050-01-24T23:59:59Z',
    '2050-01-25T00:00:00Z',
    '2050-01-31T05:00:00Z',
  )
  const week = { credits: 10, days: 6.25 }
  expect(await paceOf(id)).toEqual(week)
  await sumLedger(bench.database)
  expect(await paceOf(id)).toEqual(week)
  await charge(id, '2050-01-31T05:30:00Z')
  expect(await paceOf(id)).toEqual({ ...week, credits: 15 })
})

test('a grant, an expiry and another account are no part of the pace', async () => {
  await bench.clock.set('2050-01-31T06:00:00Z')
  const id = await accountWith('2050-01-30T12:00:00Z')
  await accountWith('2050-01-30T12:00:00Z')
  await bench.sql`
    insert into ledger (account_id, at, kind, credits, balance_after)
    values (${id}, '2050-01-30', 'grant', 100, 100), (${id}, '2050-01-31', 'expiry', -50, 50)`
  expect(await paceOf(id)).toMatchObject({ credits: 5 })
  await sumLedger(bench.database)
  expect(await paceOf(id)).toMatchObject({ credits: 5 })
})

test('the pace of a young account counts from its beginning', async () => {
  await bench.clock.set('2050-01-31T06:00:00Z')
  const id = await accountWith('2050-01-30T12:00:00Z')
  await bench.sql`update accounts set created_at = '2050-01-30T06:00:00Z' where id = ${id}`
  expect(await paceOf(id)).toEqual({ credits: 5, days: 1 })
})
