/** Months of the ledger that go into files where clocks were set back, or sums are long. */
import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { makeLedgerMonths } from '../../../src/database/ledger-months.ts'
import { ledgerPage, usage } from '../../../src/money/accounts/ledger.ts'
import { overviewOf } from '../../../src/money/accounts/overview.ts'
import { checkBooks } from '../../../src/money/charge/books.ts'
import { archiveLedger, ledgerState, monthsAgo } from '../../../src/money/charge/ledger-archive.ts'
import { sumLedger } from '../../../src/money/charge/ledger-days.ts'
import { type Bench, grant, meterBench, newAccount, plainRead } from './fixtures.ts'

let bench: Bench
let folder: string
afterEach(async () => {
  await Promise.all([bench.drop(), rm(folder, { recursive: true })])
})

/** A database at the last day of January 2050. */
async function begin() {
  folder = await mkdtemp(join(tmpdir(), 'chainkin-ledger-'))
  bench = await meterBench()
  await at('2050-01-31T10:00:00Z')
}

async function at(time: string) {
  await bench.clock.set(time)
  await makeLedgerMonths(bench.database)
}

const archive = async () =>
  (await archiveLedger(bench.database, folder, await monthsAgo(bench.database, 0))).archived

const charge = (account: { id: string; key: string }) => bench.meter.charge(plainRead(account))

const used = async (id: string) =>
  (await usage(bench.database, id, 3_000 * 86_400, 'day')).map(({ group, calls }) => [group, calls])

async function expectRight() {
  expect((await checkBooks(bench.database)).wrong).toEqual([])
}

describe('a sum that no entry can hold', () => {
  test('is carried by several entries, again and again, one account all the same', async () => {
    await begin()
    const account = await newAccount(bench.sql, { credits: 2_000_000_000 })
    await grant(bench.sql, account.id, 'topup', 2_000_000_001)
    await grant(bench.sql, account.id, 'topup', 2_000_000_000)
    await charge(account)
    await at('2050-02-03T10:00:00Z')
    const [january] = (await archive()).filter(({ entries }) => entries > 0)
    expect(january).toMatchObject({ entries: 4, credits: '5999999996', accounts: 1 })
    const { entries } = await ledgerPage(bench.database, account.id)
    expect(entries.map(({ kind, credits, balanceAfter }) => [kind, credits, balanceAfter])).toEqual(
      [
        ['carried', 1_999_999_998, 5_999_999_996],
        ['carried', 1_999_999_999, 3_999_999_998],
        ['carried', 1_999_999_999, 1_999_999_999],
      ],
    )
    await at('2050-03-03T10:00:00Z')
    expect(await archive()).toMatchObject([{ entries: 3, credits: '5999999996', accounts: 1 }])
    await expectRight()
  })
})

describe('what the archive sums up', () => {
  test('a grant behind the last charge in the sums, and credits that only expired, leave nothing wrong', async () => {
    await begin()
    const account = await newAccount(bench.sql, { credits: 100 })
    const idle = await newAccount(bench.sql)
    await grant(bench.sql, idle.id, 'trial', 50, '2 hours')
    await charge(account)
    await sumLedger(bench.database)
    await grant(bench.sql, account.id, 'topup', 7)
    await bench.clock.set('2050-01-31T13:00:00Z')
    await bench.sql`select meter_review(${idle.id})`
    await at('2050-02-03T10:00:00Z')
    await archive()
    expect((await ledgerPage(bench.database, idle.id)).entries).toMatchObject([
      { kind: 'carried', credits: 0, balanceAfter: 0 },
    ])
    await expectRight()
    await charge(account)
    await sumLedger(bench.database)
    await expectRight()
    expect(await used(account.id)).toEqual([
      ['2050-01-31', 1],
      ['2050-02-03', 1],
    ])
  })
})

describe('a clock that was set back', () => {
  test('over the end of a month leaves the sums right', async () => {
    await begin()
    const account = await newAccount(bench.sql, { credits: 100 })
    await at('2050-02-01T00:00:01Z')
    await charge(account)
    await at('2050-01-31T23:59:59Z')
    await charge(account)
    await at('2050-02-10T10:00:00Z')
    await archive()
    await sumLedger(bench.database)
    await expectRight()
    expect(await used(account.id)).toEqual([
      ['2050-01-31', 1],
      ['2050-02-01', 1],
    ])
  })

  test('to a month that is in a file makes it no table: its entries stay, count once, and later months go', async () => {
    await begin()
    const account = await newAccount(bench.sql, { credits: 100 })
    await charge(account)
    await at('2050-03-10T10:00:00Z')
    await archive()
    await at('2050-01-31T12:00:00Z')
    await charge(account)
    await at('2050-03-10T11:00:00Z')
    await charge(account)
    expect(await ledgerState(bench.database, 1)).toMatchObject({ strays: 0, late: 1, due: 0 })
    await sumLedger(bench.database)
    await expectRight()
    expect(await used(account.id)).toEqual([
      ['2050-01-31', 2],
      ['2050-03-10', 1],
    ])
    await at('2050-04-02T10:00:00Z')
    expect((await archive()).map(({ file }) => file)).toEqual([
      expect.stringMatching(/^ledger-2050-03-/),
    ])
    await expectRight()
    const [name = ''] = (await readdir(folder)).filter((file) => file.includes('-2050-01-'))
    const january = gunzipSync(await readFile(join(folder, name))).toString()
    expect(january.trimEnd().split('\r\n')).toHaveLength(3)
  })
})

test('an account whose calls are all in files is no beginner, and its pace is that of the week all the same', async () => {
  await begin()
  const account = await newAccount(bench.sql, { credits: 100 })
  await charge(account)
  await at('2050-02-03T00:00:00Z')
  await bench.sql`update accounts set created_at = '2050-01-01'`
  await archive()
  const { hasCalled, pace } = (await overviewOf(bench.database, account.id))!
  expect(hasCalled).toBe(true)
  expect(pace).toEqual({ credits: 5, days: 6 })
})
