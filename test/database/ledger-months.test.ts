/** The ledger's tables by month: made ahead, made of the one table of an earlier version, and as closed to changes as the whole. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import postgres, { type Sql } from 'postgres'
import { connect, type Database, DatabaseUnavailable } from '../../src/database/client.ts'
import { makeLedgerMonths } from '../../src/database/ledger-months.ts'
import { startMemoryDatabase } from '../../src/database/memory.ts'
import { migrate } from '../../src/database/migrate.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { type Databases, databases, schemaOf } from './schema.ts'

let made: Databases
beforeAll(async () => {
  made = await databases()
})
afterAll(() => made.drop())

interface Opened {
  sql: Sql
  database: Database
  url: string
}

async function opened(url: string, work: (opened: Opened) => Promise<void>): Promise<void> {
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const database = connect({ url, connections: 2, deadlineMs: 20_000 })
  try {
    await work({ sql, database, url })
  } finally {
    await Promise.all([sql.end(), database.close()])
  }
}

const migrated = async (work: (opened: Opened) => Promise<void>) =>
  opened(await made.empty(), async (all) => {
    await migrate(all.database)
    await work(all)
  })

const standsAt = (sql: Sql, at: string) =>
  sql.unsafe(`create or replace function meter_now() returns timestamptz language sql volatile
    return timestamptz '${at}'`)

const ACCOUNT = '00000000-0000-4000-8000-000000000001'

const enter = (sql: Sql, at: string, credits = 5) => sql`
  insert into ledger (account_id, at, kind, credits, balance_after)
  values (${ACCOUNT}, ${at}, 'grant', ${credits}, ${credits})`

const tablesOf = async (sql: Sql) =>
  Object.fromEntries(
    (
      await sql`select tableoid::regclass::text as name, count(*)::int as n from ledger group by 1`
    ).map(({ name, n }) => [name, n]),
  )

/** Sessions of this database that wait for a lock. */
const waiting = (sql: Sql) => sql`
  select from pg_locks where not granted
     and database = (select oid from pg_database where datname = current_database())`

const refusal = async (change: Promise<unknown>) =>
  String(
    await change.then(
      () => 'not refused',
      (error: Error) => error.message,
    ),
  )

describe('tables made ahead', () => {
  test('a month’s entries go to its table; the month after next is there before it begins, by any number of instances', () =>
    migrated(async ({ sql, database, url }) => {
      const others = Array.from({ length: 3 }, () =>
        connect({ url, connections: 1, deadlineMs: PATIENCE_MS }),
      )
      await standsAt(sql, '2097-11-30 23:00Z')
      const names = await Promise.all([database, ...others].map(makeLedgerMonths))
      expect(names.flat().sort()).toEqual(['ledger_2097_11', 'ledger_2097_12', 'ledger_2098_01'])
      expect(await makeLedgerMonths(database)).toEqual([])
      for (const at of [
        '2097-11-30 23:59:59.999999Z',
        '2097-12-01Z',
        '2098-01-31 23:59Z',
        '2001-01-01Z',
      ])
        await enter(sql, at)
      expect(await tablesOf(sql)).toEqual({
        ledger_first: 1,
        ledger_2097_11: 1,
        ledger_2097_12: 1,
        ledger_2098_01: 1,
      })
      await Promise.all(others.map((other) => other.close()))
    }))

  test('entries that no month had are moved to their own as soon as there is one', () =>
    migrated(async ({ sql, database }) => {
      await enter(sql, '2029-05-03Z')
      await enter(sql, '2029-07-03Z')
      expect(await tablesOf(sql)).toEqual({ ledger_default: 2 })
      const before = [...(await sql`select * from ledger order by sequence`)]
      expect(await makeLedgerMonths(database)).toEqual(['ledger_2029_05', 'ledger_2029_07'])
      expect(await tablesOf(sql)).toEqual({ ledger_2029_05: 1, ledger_2029_07: 1 })
      expect([...(await sql`select * from ledger order by sequence`)]).toEqual(before)
    }))

  test('charges go on while months are made, and one that is made later loses none of them', () =>
    migrated(async ({ sql, database }) => {
      await standsAt(sql, '2030-06-30Z')
      let [entered, isOver] = [0, false]
      const charging = (async () => {
        while (!isOver) {
          // One that was on its way to the other table is refused, and enters nothing.
          if ((await refusal(enter(sql, '2030-06-30Z'))) === 'not refused') entered++
        }
      })()
      while (entered < 20) await Bun.sleep(1)
      expect(await makeLedgerMonths(database)).toHaveLength(3)
      const before = entered
      while (entered < before + 20) await Bun.sleep(1)
      isOver = true
      await charging
      expect(await tablesOf(sql)).toEqual({ ledger_2030_06: entered })
    }))

  test('an entry that was on its way when its month was made is refused as what passes, and was not entered', () =>
    migrated(async ({ sql, database }) => {
      await standsAt(sql, '2031-06-30Z')
      let [entering, refused]: Promise<unknown>[] = []
      await sql.begin(async (transaction) => {
        await transaction`lock table ledger_default in access exclusive mode`
        entering = database.use((connection) => enter(connection.sql, '2031-06-30Z'))
        refused = entering.catch((error: unknown) => error)
        while ((await waiting(sql)).length === 0) await Bun.sleep(5)
        await transaction`select make_ledger_months()`
      })
      const error = await refused
      expect(error).toBeInstanceOf(DatabaseUnavailable)
      expect(error).toMatchObject({ isUnknown: false, mayPass: true })
      expect(await sql`select from ledger`).toHaveLength(0)
      await database.use((connection) => enter(connection.sql, '2031-06-30Z'))
      expect(await tablesOf(sql)).toEqual({ ledger_2031_06: 1 })
    }))

  test('a role that may make no table makes them all the same', () =>
    migrated(async ({ sql, url }) => {
      await standsAt(sql, '2031-01-01Z')
      const role = `serving_${crypto.randomUUID().slice(0, 8)}`
      await sql.unsafe(
        `create role ${role} login password 'x'; grant usage on schema public to ${role}`,
      )
      const serving = connect({
        url: Object.assign(new URL(url), { username: role, password: 'x' }).href,
        connections: 1,
      })
      expect(await makeLedgerMonths(serving)).toHaveLength(3)
      await serving.close()
      await sql.unsafe(`drop owned by ${role}; drop role ${role}`)
    }))

  test('the embedded database has this month’s table from its first start on', async () => {
    const memory = await startMemoryDatabase()
    const database = connect({ openStream: memory.open, connections: 1, deadlineMs: 20_000 })
    await migrate(database)
    await database.use(
      ({ sql }) => sql`insert into ledger (account_id, at, kind, credits, balance_after)
                       values (${ACCOUNT}, now(), 'grant', 1, 1)`,
    )
    const rows = await database.use(
      ({ sql }) => sql`
        select tableoid::regclass::text as name, to_char(at at time zone 'UTC', 'YYYY_MM') as month from ledger`,
    )
    await database.close()
    await memory.close()
    expect(rows.map(({ name, month }) => name === `ledger_${month}`)).toEqual([true])
  })
})

describe('no entry is ever changed', () => {
  test('neither through the ledger nor by the name of a table of it', () =>
    migrated(async ({ sql }) => {
      await enter(sql, '2001-01-01Z')
      await enter(sql, '2040-01-01Z')
      for (const table of ['ledger', 'ledger_first', 'ledger_default']) {
        for (const change of [
          `update ${table} set credits = 7`,
          `update ${table} set at = '2026-12-03'`,
          `delete from ${table}`,
          `truncate ${table}`,
          `begin; set local chainkin.erasing = 'on'; delete from ${table}`,
          `begin; set local chainkin.erasing = 'on'; update ${table} set balance_after = 7`,
        ]) {
          const one = await sql.reserve()
          expect([change, await refusal(one.unsafe(change).simple())]).toEqual([
            change,
            'ledger entries are never changed',
          ])
          await one.unsafe('rollback')
          one.release()
        }
      }
      const [month] = await sql<
        { name: string }[]
      >`select name from ledger_parts() offset 1 limit 1`
      expect(await refusal(sql.unsafe(`truncate ${month?.name}`))).toBe(
        'ledger entries are never changed',
      )
    }))
})

describe('a ledger of one table, as earlier versions have it', () => {
  const entriesOf = async (sql: Sql) => [
    ...(await sql`
      select sequence, account_id, at::text, kind, credits, balance_after, request_id, endpoint, key_id, person_id, grant_id
        from ledger order by sequence`),
  ]

  test('becomes the first of its tables with every entry as it was, and goes on behind it', async () => {
    await opened(await made.ofVersion160(), async ({ sql, database, url }) => {
      await sql`
        insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id)
        select ${ACCOUNT}, now() - n * interval '1 day', 'charge', -5, -5 * n, n::text, '/v1/people', gen_random_uuid()
          from generate_series(400, 0, -1) n`
      const before = await entriesOf(sql)
      const [old] = await sql`select pg_relation_filenode('ledger') as file`
      await migrate(database)
      expect(await entriesOf(sql)).toEqual(before)
      // Nothing was copied.
      const [first] = await sql`select pg_relation_filenode('ledger_first') as file`
      expect(first?.file).toBe(old?.file)
      const [part] = await sql<{ ahead: boolean }[]>`
        select until between now() + interval '27 days' and now() + interval '63 days' as ahead
          from ledger_parts() where since is null`
      expect(part?.ahead).toBe(true)
      await enter(sql, new Date().toISOString())
      await enter(sql, new Date(Date.now() + 70 * 86_400_000).toISOString())
      const sequences = (await entriesOf(sql)).map(({ sequence }) => Number(sequence))
      expect(sequences).toEqual(Array.from({ length: 403 }, (_, n) => n + 1))
      expect(await refusal(sql`update ledger set credits = 0`)).toBe(
        'ledger entries are never changed',
      )
      expect(await migrate(database)).toEqual([])
      expect(await schemaOf(url)).not.toContain('ledger_until')
    })
  })

  test('an entry of a clock that ran ahead comes along', async () => {
    await opened(await made.ofVersion160(), async ({ sql, database }) => {
      await enter(sql, '2060-02-03Z')
      await migrate(database)
      expect(await tablesOf(sql)).toEqual({ ledger_first: 1 })
      await enter(sql, '2060-02-04Z')
      expect(await tablesOf(sql)).toEqual({ ledger_first: 2 })
    })
  })
})
