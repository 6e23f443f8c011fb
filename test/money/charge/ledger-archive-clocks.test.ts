/** Months of the ledger that go into files where clocks were set back, sums are long, or little was folded. */
import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { makeLedgerMonths } from '../../../src/database/ledger-months.ts'
import { ledgerPage, usage } from '../../../src/money/accounts/ledger.ts'
import { overviewOf } from '../../../src/money/accounts/overview.ts'
import { checkBooks } from '../../../src/money/charge/books.ts'
import { archiveLedger, ledgerState, monthsAgo } from '../../../src/money/charge/ledger-archive.ts'
import {
  foldAccounts,
  refoldLedger,
  wrongLedgerDays,
} from '../../../src/money/charge/ledger-days.ts'
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
  expect(await wrongLedgerDays(bench.database)).toEqual([])
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
    await refoldLedger(bench.database, [account.id])
    await expectRight()
  })
})

describe('what the archive folds', () => {
  test('are charges of the months that go, and nothing of what came later', async () => {
    await begin()
    const account = await newAccount(bench.sql, { credits: 1_000 })
    const other = await newAccount(bench.sql, { credits: 1_000 })
    for (const day of ['2050-01-31', '2050-02-10', '2050-03-10']) {
      await at(`${day}T11:00:00Z`)
      for (const one of [account, other]) await charge(one)
    }
    const { archived } = await archiveLedger(bench.database, folder, '2050-02-01T00:00:00.000Z')
    expect(archived.at(-1)?.accounts).toBe(2)
    const [days] = await bench.sql`select min(day)::text, max(day)::text from ledger_days`
    expect(days).toEqual({ min: '2050-01-31', max: '2050-01-31' })
    await expectRight()
  })

  test('a grant behind the last charge that was folded, and credits that only expired, leave nothing wrong', async () => {
    await begin()
    const account = await newAccount(bench.sql, { credits: 100 })
    const idle = await newAccount(bench.sql)
    await grant(bench.sql, idle.id, 'trial', 50, '2 hours')
    await charge(account)
    await foldAccounts(bench.database, [account.id])
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
    await foldAccounts(bench.database, [account.id, idle.id])
    await expectRight()
    expect(await used(account.id)).toEqual([
      ['2050-01-31', 1],
      ['2050-02-03', 1],
    ])
  })
})

describe('a clock that was set back', () => {
  test('over the end of a month leaves sums that can be made anew', async () => {
    await begin()
    const account = await newAccount(bench.sql, { credits: 100 })
    await at('2050-02-01T00:00:01Z')
    await charge(account)
    await at('2050-01-31T23:59:59Z')
    await charge(account)
    await at('2050-02-10T10:00:00Z')
    await archive()
    await foldAccounts(bench.database, [account.id])
    await refoldLedger(bench.database, [account.id])
    await foldAccounts(bench.database, [account.id])
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
    await foldAccounts(bench.database, [account.id])
    await refoldLedger(bench.database, [account.id])
    await foldAccounts(bench.database, [account.id])
    await expectRight()
    expect(await used(account.id)).toEqual([
      ['2050-01-31', 2],
      ['2050-03-10', 1],
    ])
    await at('2050-04-02T10:00:00Z')
    expect((await archive()).map(({ file }) => file)).toEqual(['ledger-2050-03.csv.gz'])
    await expectRight()
    const january = gunzipSync(await readFile(join(folder, 'ledger-2050-01.csv.gz'))).toString()
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
  expect(pace).toEqual({ credits: 5, days: 6, isPart: false })
})
