/** Functions and triggers: read where they are, applied again when their text changed, by two versions at once. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { connect } from '../../src/database/client.ts'
import { migrate, migrationState, SchemaTooNew } from '../../src/database/migrate.ts'
import {
  FUNCTION_REVISIONS,
  FUNCTIONS,
  hashOfText,
  MIGRATIONS,
} from '../../src/database/migrations.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { PROJECT_ROOT } from '../helpers/command.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import {
  expectBooksToBalance,
  newAccount,
  newContact,
  revealOf,
  type TestAccount,
} from '../money/charge/fixtures.ts'
import { type Databases, databases, schemaOf, withPool } from './schema.ts'

const REVISION = FUNCTION_REVISIONS.length
/** Migrations that a database of 1.6.0 doesn't have. */
const SINCE_160 = MIGRATIONS.map(({ name }) => name).filter((name) => name > '0005_payments')

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

describe('the text of functions', () => {
  test('every file of drizzle/functions/ is embedded, as it stands', async () => {
    const folder = join(PROJECT_ROOT, 'drizzle/functions')
    const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'))
    expect(FUNCTIONS.map(({ name }) => `${name}.sql`).sort()).toEqual(files.sort())
    for (const { name, sql } of FUNCTIONS) {
      expect(sql).toBe(await readFile(join(folder, `${name}.sql`), 'utf8'))
    }
  })

  test('a changed text is a new revision: where this fails, add the hash to FUNCTION_REVISIONS', () => {
    expect(FUNCTION_REVISIONS.at(-1)).toBe(hashOfText(FUNCTIONS))
    expect(new Set(FUNCTION_REVISIONS).size).toBe(REVISION)
  })

  test('migrations hold no function and no trigger', () => {
    const holding = MIGRATIONS.filter(({ sql }) =>
      /create (or replace )?(function|trigger)/i.test(sql),
    )
    expect(holding.map(({ name }) => name)).toEqual([])
  })
})

describe('bringing a database to this build’s functions', () => {
  test('a database of 1.6.0, whose functions came with its migrations, becomes as a new one is', async () => {
    const url = await made.ofVersion160()
    await withPool(url, async (pool) => {
      expect(await migrationState(pool)).toEqual({
        missing: [...SINCE_160, `functions, revision ${REVISION}`],
        unknown: [],
      })
      expect(await migrate(pool)).toEqual(SINCE_160)
      expect(await migrationState(pool)).toEqual({ missing: [], unknown: [] })
    })
    expect(await schemaOf(url)).toEqual(await schemaOf(made.migratedUrl))
  })

  test('applying them again leaves triggers as they are, so no writer waits', async () => {
    const url = await made.empty()
    await withSql(url, async (sql) => {
      const triggers = () =>
        sql`select tgname, xmin::text from pg_trigger where not tgisinternal order by tgrelid, tgname`
      await withPool(url, migrate)
      const before = [...(await triggers())]
      await sql`delete from chainkin_functions`
      await withPool(url, migrate)
      expect([...(await triggers())]).toEqual(before)
      expect(before.length).toBeGreaterThan(10)
    })
  })

  test('an instance of an older version that starts later leaves newer functions as they are', async () => {
    const url = await made.empty()
    await withPool(url, migrate)
    await withSql(url, async (sql) => {
      await sql.unsafe(`
        create or replace function meter_now() returns timestamptz language sql volatile
        return timestamptz '2030-01-01';
        insert into chainkin_functions values (${REVISION + 1}, 'of a newer version')`)
      await withPool(url, migrate)
      const [row] = await sql`select extract(year from meter_now())::integer as year`
      expect(row?.year).toBe(2030)
    })
  })

  test('another text of the same revision is refused: nobody could tell which is newer', async () => {
    const url = await made.empty()
    await withPool(url, migrate)
    await withSql(url, (sql) => sql`update chainkin_functions set hash = 'another'`)
    const error = await withPool(url, migrate).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SchemaTooNew)
    expect(String(error)).toContain(`another text of functions, revision ${REVISION}`)
  })
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
      const request = crypto.randomUUID()
      const account = accounts[calls++ % accounts.length]!
      return { request, account, person: people[calls % people.length]! }
    }
    const meter = createMeter(pools[0]!, { maxWaitMs: PATIENCE_MS })
    const [old, current] = [
      async () => {
        const { request, account, person } = someCall()
        const outcome = await reveal160(sql, account, person, request)
        if (outcome?.outcome !== 'busy') charged.set(request, outcome?.charged ?? -1)
      },
      async () => {
        const { request, account, person } = someCall()
        const outcome = await meter.charge(revealOf(account, person, { request_id: request }))
        charged.set(request, outcome.charged)
      },
    ]
    const start = (one: () => Promise<void>) =>
      [1, 2, 3].map(async () => {
        while (!isOver) await one()
      })
    const loops = start(old!)
    const untilCharged = async (count: number) => {
      while (charged.size < count) await Bun.sleep(5)
    }
    await untilCharged(100)
    const before = charged.size
    // An instance migrates before it takes calls.
    await migrate(pools[1]!)
    loops.push(...start(current!))
    await untilCharged(charged.size + 100)
    isOver = true
    await Promise.all(loops)

    expect(before).toBeGreaterThan(0)
    expect(charged.size).toBeGreaterThan(before)
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
