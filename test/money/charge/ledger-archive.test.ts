/** Months of the ledger that go into files: what is carried forward, what stays as it was, and what a crash leaves. */
import { afterEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import postgres from 'postgres'
import { errorCode } from '../../../src/database/client.ts'
import { makeLedgerMonths } from '../../../src/database/ledger-months.ts'
import { ledgerCsv, ledgerPage, usage } from '../../../src/money/accounts/ledger.ts'
import { checkBooks } from '../../../src/money/charge/books.ts'
import { archiveLedger, monthsAgo, partsOf } from '../../../src/money/charge/ledger-archive.ts'
import { sumLedger } from '../../../src/money/charge/ledger-days.ts'
import {
  type Bench,
  grant,
  meterBench,
  newAccount,
  newContact,
  newKey,
  plainRead,
  revealOf,
} from './fixtures.ts'

const folders: string[] = []
const opened: Bench[] = []
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
  await Promise.all(opened.splice(0).map((bench) => bench.drop()))
})

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'chainkin-ledger-'))
  folders.push(folder)
  return folder
}

/** A database at the last day of January 2050. */
async function newBench(): Promise<Bench> {
  const bench = await meterBench()
  opened.push(bench)
  await bench.clock.set('2050-01-31T10:00:00Z')
  await makeLedgerMonths(bench.database)
  return bench
}

const DAY_SECONDS = 86_400

async function goOn(bench: Bench, days: number) {
  await bench.clock.advance(days * DAY_SECONDS)
  await makeLedgerMonths(bench.database)
}

const linesOf = async (folder: string, file: string) =>
  gunzipSync(await readFile(join(folder, file)))
    .toString()
    .trimEnd()
    .split('\r\n')

/** Charges on the last day of January, in February and in March; the clock then stands in March. */
async function threeMonths(bench: Bench) {
  const account = await newAccount(bench.sql, { credits: 1_000 })
  const idle = await newAccount(bench.sql, { credits: 70 })
  await bench.sql`
    insert into ledger (account_id, at, kind, credits, balance_after, request_id)
    values (${idle.id}, meter_now(), 'grant', 0, 70, 'a "quoted", one')`
  for (const days of [20, 30, 0]) {
    await bench.meter.charge(plainRead(account, { endpoint: '/v1/people', request_id: 'first' }))
    await bench.meter.charge(plainRead(account))
    await goOn(bench, days)
  }
  return { account, idle }
}

describe('a month that is archived', () => {
  test('leaves a carried entry for each account, and the balance is the sum of the ledger', async () => {
    const bench = await newBench()
    const { account, idle } = await threeMonths(bench)
    const folder = await newFolder()
    const whole = [...(await bench.sql`select * from ledger order by sequence`)]
    const { archived } = await archiveLedger(
      bench.database,
      folder,
      await monthsAgo(bench.database, 0),
    )

    // Tables of before have no entries.
    expect(
      archived
        .filter(({ entries }) => entries > 0)
        .map(({ file, entries, credits, accounts }) => [file, entries, credits, accounts]),
    ).toEqual([
      [expect.stringMatching(/^ledger-2050-01-[0-9a-f]{16}\.csv\.gz$/), 5, '1060', 2],
      [expect.stringMatching(/^ledger-2050-02-[0-9a-f]{16}\.csv\.gz$/), 4, '1050', 2],
    ])
    expect(await checkBooks(bench.database)).toEqual({ accounts: 2, wrong: [] })
    const { entries } = await ledgerPage(bench.database, account.id)
    expect(
      entries.map(({ kind, credits, balanceAfter, at }) => [
        kind,
        credits,
        balanceAfter,
        at.slice(0, 10),
      ]),
    ).toEqual([
      ['charge', -5, 970, '2050-03-22'],
      ['charge', -5, 975, '2050-03-22'],
      ['carried', 980, 980, '2050-03-01'],
    ])
    expect((await ledgerPage(bench.database, idle.id)).entries).toMatchObject([
      { kind: 'carried', credits: 70, balanceAfter: 70 },
    ])
    expect((await Array.fromAsync(ledgerCsv(bench.database, idle.id))).join('')).toContain(
      ',carried,',
    )

    // The files have every entry that left, and their hashes and sums are those of the database.
    const months = await bench.sql`select * from ledger_archives order by until`
    expect((await readdir(folder)).sort()).toEqual(months.map(({ file }) => file).sort())
    const sequences: string[] = []
    for (const month of months) {
      const [header = '', ...lines] = await linesOf(folder, month.file)
      // Whom a reveal unlocked is in no file, because an erasure could not reach it there.
      expect(header).toBe(
        'sequence,account_id,at,kind,credits,balance_after,request_id,endpoint,key_id,grant_id',
      )
      expect(lines).toHaveLength(Number(month.entries))
      expect(
        createHash('sha256')
          .update(await readFile(join(folder, month.file)))
          .digest('hex'),
      ).toBe(month.sha256)
      expect(lines.reduce((sum, line) => sum + Number(line.split(',')[4]), 0)).toBe(
        Number(month.credits),
      )
      sequences.push(
        ...lines.filter((line) => !line.includes(',carried,')).map((line) => line.split(',')[0]!),
      )
    }
    const kept = [...(await bench.sql`select sequence from ledger where kind <> 'carried'`)]
    expect(
      [...sequences, ...kept.map(({ sequence }) => sequence)].map(Number).sort((a, b) => a - b),
    ).toEqual(whole.map(({ sequence }) => Number(sequence)))
    const january = months.find(({ file }) => file.startsWith('ledger-2050-01'))
    expect((await linesOf(folder, january?.file)).join()).toContain('"a ""quoted"", one"')
  })

  test('changes no figure of what was used, whatever was in the sums before', async () => {
    const bench = await newBench()
    const { account } = await threeMonths(bench)
    const used = async () => [
      await usage(bench.database, account.id, 365 * DAY_SECONDS, 'day'),
      await usage(bench.database, account.id, 365 * DAY_SECONDS, 'endpoint'),
      // Since the morning of a day that is archived: its sums alone are left.
      await usage(bench.database, account.id, 30 * DAY_SECONDS + 4 * 3_600, 'day'),
      await bench.sql`select ledger_endpoints(${account.id}) as endpoint order by 1`,
    ]
    const before = await used()
    await bench.sql`select ledger_sum(no_key(), 1, 1)`
    await archiveLedger(bench.database, await newFolder(), await monthsAgo(bench.database, 0))
    expect(await used()).toEqual(before)
    await bench.meter.charge(plainRead(account))
    const after = await used()
    expect(after).not.toEqual(before)
    await sumLedger(bench.database)
    expect(await used()).toEqual(after)
  })

  test('is refused while a charge of it is in no sum', async () => {
    const bench = await newBench()
    await threeMonths(bench)
    await archiveLedger(bench.database, await newFolder(), '2050-01-01T00:00:00.000Z')
    const [part] = await partsOf(bench.database)
    const [sums] = await bench.sql`
      select count(*) as n, sum(credits) as credits, sum(sequence) as numbers from ${bench.sql(part!.name)}`
    const take = () => bench.sql`
      select archive_ledger_part(${part!.name}, ${sums?.n}, ${sums?.credits}, ${sums?.numbers}, 'f', 's')`
    for (const forget of ['update ledger_folds set sequence = 1', 'delete from ledger_folds']) {
      await bench.sql.unsafe(forget)
      expect(await take().catch(String)).toContain('changed while they were written')
    }
    await sumLedger(bench.database)
    expect(await take()).toHaveLength(1)
  })

  test('a month that is not over, or not the oldest, is refused', async () => {
    const bench = await newBench()
    await threeMonths(bench)
    const archive = (name = '', entries = 0) =>
      bench.sql`select archive_ledger_part(${name}, ${entries}, 0, 0, 'f', 's')`.then(
        () => 'done',
        (error: Error) => error.message,
      )
    const [oldest, second] = await partsOf(bench.database)
    expect(await archive(second?.name)).toContain('is not the oldest month')
    expect(await archive(oldest?.name, 1)).toContain('changed while they were written')
    expect(await archive('accounts')).toContain('is not the oldest month')
    expect(await bench.sql`select * from ledger_archives`).toHaveLength(0)
    await archiveLedger(bench.database, await newFolder(), await monthsAgo(bench.database, 0))
    const [running] = await partsOf(bench.database)
    expect(await archive(running?.name)).toContain('or not over')
  })
})

describe('a crash', () => {
  test('before the transaction leaves a file that the next run writes again; after it, nothing is left to do', async () => {
    const bench = await newBench()
    await threeMonths(bench)
    const folder = await newFolder()
    const before = await monthsAgo(bench.database, 0)
    // The transaction is refused, so every file is written and no month goes.
    await bench.sql`alter table ledger_archives add constraint never check (until < '2000-01-01') not valid`
    const failed = await archiveLedger(bench.database, folder, before).catch(
      (error: unknown) => error,
    )
    expect(String(failed)).toContain('never')
    await bench.sql`alter table ledger_archives drop constraint never`
    const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.gz'))
    await writeFile(join(folder, file), 'half of i')
    await archiveLedger(bench.database, folder, before)
    const months = await bench.sql`select file, entries::integer from ledger_archives`
    expect((await readdir(folder)).sort()).toEqual(months.map((month) => month.file).sort())
    for (const month of months)
      expect(await linesOf(folder, month.file)).toHaveLength(month.entries + 1)
    expect(await archiveLedger(bench.database, folder, before)).toMatchObject({ archived: [] })
    expect(await checkBooks(bench.database)).toEqual({ accounts: 2, wrong: [] })
  })

  test('leaves a file that others may read, and what is written next is its owner’s alone', async () => {
    const bench = await newBench()
    await threeMonths(bench)
    const folder = await newFolder()
    const [oldest] = await partsOf(bench.database)
    await writeFile(join(folder, `${oldest?.name}.partial`), 'half of i', { mode: 0o644 })
    await archiveLedger(bench.database, folder, await monthsAgo(bench.database, 0))
    const names = await readdir(folder)
    expect(names.filter((name) => name.endsWith('.partial'))).toEqual([])
    const modes = names.map(async (name) => (await stat(join(folder, name))).mode & 0o777)
    expect(new Set(await Promise.all(modes))).toEqual(new Set([0o600]))
  })

  test('two databases may share a folder: neither writes over a file of the other', async () => {
    const [bench, other] = [await newBench(), await newBench()]
    await threeMonths(bench)
    await newAccount(other.sql, { credits: 5 })
    await goOn(other, 40)
    const folder = await newFolder()
    for (const { database } of [bench, other])
      await archiveLedger(database, folder, await monthsAgo(database, 0))
    for (const { sql } of [bench, other]) {
      for (const { file, sha256 } of await sql`select file, sha256 from ledger_archives`) {
        const bytes = await readFile(join(folder, file))
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
      }
    }
  })
})

test('whoever reads the ledger for long, as a backup does, is waited for without a lock, and named', async () => {
  const bench = await newBench()
  const { account } = await threeMonths(bench)
  const folder = await newFolder()
  const before = await monthsAgo(bench.database, 0)
  const reader = postgres(bench.url, { max: 1, connection: { application_name: 'a report' } })
  const read = Promise.withResolvers<void>()
  let isReading = false
  const reading = reader.begin(async (transaction) => {
    await transaction`select from ledger`
    isReading = true
    await read.promise
  })
  while (!isReading) await Bun.sleep(5)
  const told: string[] = []
  const archiving = archiveLedger(bench.database, folder, before, (holders) => told.push(holders))
  while (told.length === 0) await Bun.sleep(5)
  expect(told).toEqual([expect.stringMatching(/^process \d+ of postgres \(a report\)$/)])
  // Nobody waits behind it: it waits for no lock, and holds none of the ledger.
  const waiting = await bench.sql`
    select from pg_locks where not granted
       and database = (select oid from pg_database where datname = current_database())`
  expect(waiting).toHaveLength(0)
  const { outcome } = await bench.meter.charge(plainRead(account))
  expect(outcome).toBe('charged')
  expect(await bench.sql`select from ledger_archives`).toHaveLength(0)
  read.resolve()
  await reading
  expect((await archiving).archived.length).toBeGreaterThan(0)
  expect((await checkBooks(bench.database)).wrong).toEqual([])
  await reader.end()
})

test('a reveal waits neither for who sums up the ledger nor for who archives it, because no two locks have one number', async () => {
  const bench = await newBench()
  const caller = await newAccount(bench.sql, { tier: 'pro', credits: 100 })
  const person = await newContact(bench.sql)
  const writer = postgres(bench.url, { max: 1 })
  const [held, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = writer.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(ledger_days_lock())`
    held.resolve()
    await freed.promise
  })
  await held.promise
  expect((await bench.meter.charge(revealOf(caller, person))).outcome).toBe('charged')
  freed.resolve()
  await holding
  await writer.end()
  const locks = await bench.sql<{ name: string }[]>`
    select proname as name from pg_proc
     where proname ~ '_lock$' and pronargs = 0 and prorettype = 'bigint'::regtype order by 1`
  const numbers = await Promise.all(
    locks.map(
      async ({ name }) => (await bench.sql.unsafe(`select ${name}() as number`))[0]?.number,
    ),
  )
  expect(locks.length).toBeGreaterThan(2)
  expect([...new Set(numbers)]).toEqual(numbers)
})

test('a try that comes on a lock is made again when the lock is free, and nothing goes before', async () => {
  const bench = await newBench()
  await threeMonths(bench)
  const before = await monthsAgo(bench.database, 0)
  const holder = postgres(bench.url, { max: 1 })
  const [held, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // As another process that makes tables of months.
  const holding = holder.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(ledger_months_lock())`
    held.resolve()
    await freed.promise
  })
  await held.promise
  const refused = Promise.withResolvers<string | undefined>()
  const use: typeof bench.database.use = (work, options) =>
    bench.database.use(work, options).catch((error: unknown) => {
      refused.resolve(errorCode(error))
      throw error
    })
  const archiving = archiveLedger({ ...bench.database, use }, await newFolder(), before)
  expect(await refused.promise).toBe('55P03')
  expect(await bench.sql`select from ledger_archives`).toHaveLength(0)
  freed.resolve()
  await holding
  expect((await archiving).archived.length).toBeGreaterThan(0)
  expect((await checkBooks(bench.database)).wrong).toEqual([])
  await holder.end()
})

test('whatever is charged, summed and archived at once, the books are right and no figure changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          days: fc.integer({ min: 0, max: 40 }),
          calls: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 6 }),
          granted: fc.boolean(),
          act: fc.constantFrom('sum', 'archive', 'nothing'),
        }),
        { minLength: 2, maxLength: 8 },
      ),
      async (history) => {
        const bench = await newBench()
        const folder = await newFolder()
        const accounts = await Promise.all(
          [0, 1, 2].map(() => newAccount(bench.sql, { tier: 'enterprise', credits: 100 })),
        )
        await Promise.all(accounts.map(({ id }) => newKey(bench.sql, id)))
        const charged = new Map<string, number>()
        for (const { days, calls, granted, act } of history) {
          await goOn(bench, days)
          if (granted) await grant(bench.sql, accounts[0]!.id, 'topup', 7, '20 days')
          const acting = {
            sum: () => sumLedger(bench.database, { accounts: 2, entries: 2 }),
            archive: async () =>
              void (await archiveLedger(
                bench.database,
                folder,
                await monthsAgo(bench.database, 1),
              )),
            nothing: async () => {},
          }[act]()
          const charging = (async () => {
            for (const place of calls) {
              const account = accounts[place]!
              const { outcome } = await bench.meter.charge(plainRead(account))
              if (outcome === 'charged') charged.set(account.id, (charged.get(account.id) ?? 0) + 1)
            }
          })()
          await Promise.all([acting, charging])
          expect((await checkBooks(bench.database)).wrong).toEqual([])
          for (const { id } of accounts) {
            const [used] = await usage(bench.database, id, 3_000 * DAY_SECONDS, 'endpoint')
            expect(used?.calls ?? 0).toBe(charged.get(id) ?? 0)
          }
        }
        await Promise.all(opened.splice(0).map(({ drop }) => drop()))
      },
    ),
    { numRuns: Number(process.env.ARCHIVE_RUNS ?? 2) },
  )
})
