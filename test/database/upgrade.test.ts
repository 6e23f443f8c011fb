/** Upgrades of databases and backups that earlier builds made, with their rows, on PostgreSQL and the embedded database. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import postgres, { type Sql } from 'postgres'
import { countFigures } from '../../src/console/acts/figures.ts'
import { unpackFolder } from '../../src/database/archive.ts'
import { restoreIntoDataDir, restoreIntoPostgres } from '../../src/database/backup/restore.ts'
import { saveDatabase } from '../../src/database/backup/save.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate, migrationState, SchemaTooNew } from '../../src/database/migrate.ts'
import { FUNCTION_REVISION } from '../../src/database/migrations.ts'
import { openDatabase } from '../../src/database/open.ts'
import { usage } from '../../src/money/accounts/ledger.ts'
import { checkBooks } from '../../src/money/charge/books.ts'
import { sumLedger } from '../../src/money/charge/ledger-days.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { get, serve } from '../helpers/command.ts'
import { ADA } from '../helpers/fixtures.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { sharedDirectory } from '../helpers/shared.ts'
import {
  expectBooksToBalance,
  grant,
  newAccount,
  newContact,
  plainRead,
  revealOf,
  type TestAccount,
} from '../money/charge/fixtures.ts'
import {
  type Databases,
  databases,
  earlierFile,
  fillAs594230a,
  schemaOf,
  withPool,
} from './schema.ts'

const REVISION = `functions, revision ${FUNCTION_REVISION.number}`
const SINCE_594230A = ['0030_mails_and_columns', '0031_one_sum_of_days']
const SINCE_160 = ['0006_to_0029', ...SINCE_594230A]

const directory = sharedDirectory()
const path = (name: string) => join(directory.path, name)
let made: Databases
beforeAll(async () => {
  made = await databases()
})
afterAll(() => made.drop())

async function withSql<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 4, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

/** Two owners of one mailbox, of whom the first paid and referred the second, with what version 1.6.0 wrote of it. */
async function fillAs160(sql: Sql) {
  const [referrer, guest] = await Promise.all([newAccount(sql), newAccount(sql)])
  const owners = [
    [referrer, 'a.da+one@gmail.com', '2026-01-01'],
    [guest, 'ada@googlemail.com', '2026-02-01'],
  ] as const
  for (const [{ id }, email, at] of owners) {
    await sql`
      with owner as (insert into users (email, name, password, created_at) values (${email}, 'Ada', '', ${at}) returning id)
      insert into members select ${id}, id, 'owner', now() from owner`
  }
  await grant(sql, guest.id, 'topup', 5_000)
  await sql`
    insert into payments (account_id, kind, item, credits, usd, state, created_at, decided_at)
    values (${guest.id}, 'topup', 'topup', 5000, 50, 'accepted', now(), now() + interval '1 second')`
  await sql`
    update referrals set referrer_id = ${referrer.id}, rewarded_at = now() where account_id = ${guest.id}`
  for (const { id } of [referrer, guest]) await grant(sql, id, 'referral', 100)
  return { referrer, guest }
}

test('a database of 1.6.0 becomes as a new one is, and its rows stay', async () => {
  const url = await made.ofVersion160()
  await withSql(url, async (sql) => {
    const { referrer, guest } = await fillAs160(sql)
    const ledger = () =>
      sql`select sequence, account_id, at, kind, credits, balance_after, key_id, grant_id from ledger order by sequence`
    const before = [...(await ledger())]
    await withPool(url, async (pool) => {
      const state = await migrationState(pool)
      expect(state).toEqual({ missing: [...SINCE_160, REVISION], unknown: [] })
      expect(await migrate(pool)).toEqual(SINCE_160)
      expect(await migrationState(pool)).toEqual({ missing: [], unknown: [] })
    })
    expect([...(await ledger())]).toEqual(before)
    const newcomers = await sql`
      select account_id, welcomed_at is not null as welcomed, refusal, count(*) over (partition by mailbox)::integer as same
        from newcomers order by welcomed_at`
    expect([...newcomers]).toEqual([
      { account_id: referrer.id, welcomed: true, refusal: null, same: 2 },
      { account_id: guest.id, welcomed: false, refusal: 'mailbox', same: 2 },
    ])
    const grants = await sql`
      select g.account_id, g.source, p.account_id as payer
        from payment_grants join payments p on p.id = payment_id join credit_grants g on g.id = grant_id
       order by g.source, g.sequence`
    expect([...grants]).toEqual([
      { account_id: referrer.id, source: 'referral', payer: guest.id },
      { account_id: guest.id, source: 'referral', payer: guest.id },
      { account_id: guest.id, source: 'topup', payer: guest.id },
    ])
    await expectBooksToBalance(sql)
  })
})

test('a database of 1.6.0 without entries in its ledger has the schema of a new one afterwards', async () => {
  const url = await made.ofVersion160()
  await withPool(url, migrate)
  expect(await schemaOf(url)).toEqual(await schemaOf(made.migratedUrl))
})

/** Of the account `one`; it opened a contact that stays unlocked. */
const KEY = 'ck_live_4iuwyzPEI19w9j3VuonDrPHIjxPVR2TP3OU2FX'

/**
 * `earlier/data-1.6.0.tar.br` was made by version 1.6.0, before there was a prepared image: an import, three accounts with 100
 * credits each, three calls by two of them, and `kill -9`.
 */
test('a data directory of 1.6.0, killed under way, is recovered, migrated and served', async () => {
  const dataDir = path('data-1.6.0')
  await unpackFolder(Readable.from([await earlierFile('data-1.6.0.tar')]), dataDir)

  const { database, close } = await openDatabase({ databaseUrl: undefined, dataDir })
  const accounts = await database.use(
    ({ sql }) => sql`select name, balance::integer from accounts order by name`,
  )
  const books = await checkBooks(database)
  const migrations = await migrationState(database)
  await close()
  expect([...accounts]).toEqual([
    { name: 'one', balance: 80 },
    { name: 'three', balance: 100 },
    { name: 'two', balance: 80 },
  ])
  expect(books).toEqual({ accounts: 3, wrong: [] })
  expect(migrations).toEqual({ missing: [], unknown: [] })

  const server = await serve({ DATA_DIR: dataDir, LOG_LEVEL: 'error' })
  const { status, body } = await get(`${server.apiUrl}/v1/people/ada-early?include=private`, KEY)
  await server.stop()
  expect(status).toBe(200)
  expect(body.meta).toEqual({ creditsCharged: 5, creditsBalance: 75 })
  expect(JSON.stringify(body)).toContain('ada@earlier.example')
})

/** Columns that came or went since 594230a. */
const OTHER_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  payments: ['mailed_state'],
  privacy_requests: ['mailed_at'],
  ledger_folds: ['balance'],
  service_days: ['sold', 'given_free'],
}

/** All rows that commit 594230a left, without those columns. */
async function rowsOf(database: Database): Promise<Record<string, unknown>> {
  const { rows } = JSON.parse(String(await earlierFile('database-594230a.json')))
  const tables = Object.keys(rows).filter((table) => table !== 'service_folds')
  return database.use(async ({ sql }) => {
    const found: Record<string, unknown> = {}
    for (const table of tables) {
      const columns = (OTHER_COLUMNS[table] ?? []).map((name) => ` - '${name}'`).join('')
      const [row] = await sql.unsafe(
        `select json_agg(to_jsonb(t)${columns} order by (to_jsonb(t)${columns})::text) as rows from ${table} t`,
      )
      found[table] = row?.rows
    }
    return found
  })
}

/** Looks for the rows of 594230a and charges its account. */
async function expectTakenOver(database: Database, before: Record<string, unknown>) {
  expect(await migrationState(database)).toEqual({ missing: [], unknown: [] })
  expect(await rowsOf(database)).toEqual(before)
  const [key] = await database.use(
    ({ sql }) => sql<TestAccount[]>`
      select id as key, account_id as id from api_keys where environment <> 'web'`,
  )
  const meter = createMeter(database, { maxWaitMs: PATIENCE_MS })
  const outcomes = [await meter.charge(revealOf(key!, ADA.id)), await meter.charge(plainRead(key!))]
  expect(outcomes.map(({ outcome, charged }) => [outcome, charged])).toEqual([
    ['charged', 5],
    ['charged', 5],
  ])
  expect(await checkBooks(database)).toEqual({ accounts: 1, wrong: [] })
}

test('a PostgreSQL of the last unreleased build needs two migrations, and keeps its rows and the names that running instances look for', async () => {
  const url = await made.of594230a()
  await withPool(url, async (pool) => {
    const names = () =>
      pool.use(({ sql }) => sql<{ name: string }[]>`select name from chainkin_migrations`)
    const recorded = (await names()).map(({ name }) => name)
    expect(recorded.length).toBe(30)
    const before = await rowsOf(pool)
    const state = await migrationState(pool)
    expect(state).toEqual({ missing: [...SINCE_594230A, REVISION], unknown: [] })
    expect(await migrate(pool)).toEqual(SINCE_594230A)
    expect((await names()).map(({ name }) => name)).toEqual(expect.arrayContaining(recorded))
    const [schema, fresh] = [url, made.migratedUrl].map((of) => schemaOf(of, { records: false }))
    expect(await schema).toEqual(await fresh!)
    await expectTakenOver(pool, before)
    expect(await migrate(pool)).toEqual([])
  })
})

test('what the last unreleased build had summed in part is summed whole, with days that are in files', async () => {
  const url = await made.of594230a()
  await withSql(url, async (sql) => {
    const [one, other] = await Promise.all([newAccount(sql), newAccount(sql)])
    const enter = (entries: number) => sql`
      insert into ledger (account_id, at, kind, credits, balance_after, endpoint, key_id)
      select id, now() - n * interval '7 hours', 'charge', -5, 0, '/v1/people', id
        from unnest(${sql.array([one.id, other.id])}::uuid[]) id, generate_series(${entries}::integer, 1, -1) n`
    await enter(30)
    // The account's first page of sums, and other entries in the sums of all accounts; both had a position of their own.
    await sql`select ledger_fold(array[${one.id}::uuid], 11, 1)`
    await sql`select service_fold(array[${one.id}::uuid], 4), service_fold(array[${other.id}::uuid], 19)`
    await enter(3)
    await sql`
      insert into ledger_days select ${other.id}, '2025-01-01', '/v1/search', ${other.id}, 7, 35, '2025-01-01', 1, 2`
    await withPool(url, async (pool) => {
      await migrate(pool)
      for (let look = 0; look < 2; look++) {
        for (const { id } of [one, other]) {
          const charged = await usage(pool, id, 10 * 365 * 86_400, 'endpoint')
          const people = { group: '/v1/people', calls: 33, credits: 165 }
          const archived = { group: '/v1/search', calls: 7, credits: 35 }
          expect([...charged]).toEqual(id === other.id ? [people, archived] : [people])
        }
        const days = await countFigures(pool)
        const [spent] = await sql`
          select -sum(credits)::float8 as credits from ledger
           where kind = 'charge' and at >= utc_start(utc_day(now()) - ${days.length - 1}::integer)`
        expect(days.reduce((sum, day) => sum + day.spent, 0)).toBe(spent?.credits)
        await sumLedger(pool)
      }
      const [sums] = await sql`
        select (select sum(credits) from ledger_days)::integer as days, (select sum(spent) from service_days)::integer as all,
               (select -sum(credits) + 35 from ledger where kind = 'charge')::integer as ledger`
      expect(sums).toMatchObject({ days: sums?.ledger, all: sums?.ledger })
    })
  })
})

test('a data directory of the last unreleased build is taken over with its rows', async () => {
  const config = { databaseUrl: undefined, dataDir: path('data-594230a') }
  const old = await openDatabase(config)
  await old.database.use(
    async ({ sql }) => {
      await sql.unsafe('drop schema public cascade; create schema public')
      await fillAs594230a(sql)
    },
    { deadlineMs: 60_000 },
  )
  const before = await rowsOf(old.database)
  await old.close()
  const { database, close } = await openDatabase(config)
  await expectTakenOver(database, before)
  await close()
})

test('a database that stopped among the migrations of unreleased builds is refused and left as it is', async () => {
  const url = await made.of594230a()
  await withPool(url, async (pool) => {
    await pool.use(
      ({ sql }) => sql`delete from chainkin_migrations where name >= '0019' and name < '0030'`,
    )
    const before = await schemaOf(url)
    const error = await migrate(pool).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SchemaTooNew)
    expect(String(error)).toContain(
      '0018_ledger_days of an unreleased build): start commit 594230a',
    )
    expect(await schemaOf(url)).toEqual(before)
  })
})

test('a database with all migrations of unreleased builds and functions of an earlier one is refused', async () => {
  await withPool(await made.of594230a(), async (pool) => {
    await pool.use(({ sql }) => sql`update chainkin_functions set revision = 38`)
    const error = await migrate(pool).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('functions of revision 38 of an unreleased build')
  })
})

test('a backup that the last unreleased build made is restored into PostgreSQL and into a data directory', async () => {
  const file = path('594230a.tar')
  await writeFile(file, await earlierFile('backup-594230a.tar'))
  const before = await withPool(await made.of594230a(), rowsOf)
  const url = await made.empty()
  await withPool(url, async (pool) => {
    await restoreIntoPostgres(file, pool, {})
    await expectTakenOver(pool, before)
  })
  expect(await schemaOf(url)).toEqual(await schemaOf(made.migratedUrl))
  await restoreIntoDataDir(file, path('restored-594230a'), {
    force: false,
    examine: (embedded) => expectTakenOver(embedded, before),
  })
})

test('a backup that this build makes of a database of 1.6.0 is restored into PostgreSQL and into a data directory', async () => {
  const file = path('1.6.0.tar')
  const old = await made.ofVersion160()
  await withSql(old, fillAs160)
  await withPool(old, (pool) => saveDatabase(pool, file))
  const examine = async (database: Database) => {
    expect(await migrationState(database)).toEqual({ missing: [], unknown: [] })
    expect(await checkBooks(database)).toEqual({ accounts: 2, wrong: [] })
    const [row] = await database.use(
      ({ sql }) => sql`
        select (select count(*) from payment_grants)::integer as grants, (select sum(balance) from accounts)::integer as balance`,
    )
    expect(row).toEqual({ grants: 3, balance: 5_200 })
  }
  const url = await made.empty()
  await withPool(url, (pool) => restoreIntoPostgres(file, pool, { examine }))
  await restoreIntoDataDir(file, path('restored-1.6.0'), { force: false, examine })
})

/** A first reveal as version 1.6.0 sends it, one call a statement. */
async function reveal160(sql: Sql, { id, key }: TestAccount, person: string, request: string) {
  const call = `{"(${id},${key},5,10,,true,${person},true,${person},true,false,,,${request},/v1/people/:id)"}`
  const rules = [
    ['free', 120, '60 s', 60, '3600 s', true, false],
    ['team', 300, '60 s', 600, '3600 s', false, false],
  ]
  const [outcome] = await sql<{ outcome: string; charged: number }[]>`
    select outcome, charged from meter_charge(
      ${call}::text::meter_call[], ${`{${rules.map((rule) => `"(${rule.join()})"`).join()}}`}::text::meter_rule[])`
  return outcome
}

test('1.6.0 and this version charge one database at once while it is upgraded, to the exact credit', async () => {
  const url = await made.ofVersion160()
  const pools = [1, 2].map(() => connect({ url, connections: 2, deadlineMs: PATIENCE_MS }))
  await withSql(url, async (sql) => {
    const accounts = await Promise.all(
      Array.from({ length: 8 }, () => newAccount(sql, { tier: 'team', credits: 100_000 })),
    )
    // No rate is in the way of so many calls.
    await sql`update accounts set rate_count = -1000000, rate_started_at = now()`
    const people = await Promise.all(Array.from({ length: 40 }, () => newContact(sql)))
    const charged = new Map<string, number>()
    let isOver = false
    let calls = 0
    const someCall = () => {
      const request = randomUUID()
      const account = accounts[calls++ % accounts.length]!
      return { request, account, person: people[calls % people.length]! }
    }
    const meter = createMeter(pools[0]!, { maxWaitMs: PATIENCE_MS })
    const old = async () => {
      const { request, account, person } = someCall()
      const outcome = await reveal160(sql, account, person, request)
      if (outcome?.outcome !== 'busy') charged.set(request, outcome?.charged ?? -1)
    }
    const current = async () => {
      const { request, account, person } = someCall()
      const outcome = await meter.charge(revealOf(account, person, { request_id: request }))
      charged.set(request, outcome.charged)
    }
    const start = (one: () => Promise<void>) =>
      [1, 2, 3].map(async () => {
        while (!isOver) await one()
      })
    const loops = start(old)
    const untilCharged = async (count: number) => {
      while (charged.size < count) await Bun.sleep(5)
    }
    await untilCharged(100)
    // An instance migrates before it takes calls.
    await migrate(pools[1]!)
    loops.push(...start(current))
    await untilCharged(charged.size + 100)
    isOver = true
    await Promise.all(loops)

    const entries = await sql<{ request_id: string; credits: number }[]>`
      select request_id, credits from ledger where kind = 'charge'`
    expect(new Map(entries.map(({ request_id, credits }) => [request_id, -credits]))).toEqual(
      charged,
    )
    expect(entries.length).toBe(charged.size)
    const reveals = entries.filter(({ credits }) => credits === -10)
    const [unlocks] = await sql`select count(*)::integer as n from unlocks`
    expect(reveals.length).toBe(unlocks?.n)
    await expectBooksToBalance(sql)
  })
  await Promise.all(pools.map((pool) => pool.close()))
})
