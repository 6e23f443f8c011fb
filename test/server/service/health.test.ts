/** Who is ready answers right, and who is not says why. */
import { describe, expect, test } from 'bun:test'
import { type Database, DatabaseUnavailable } from '../../../src/database/client.ts'
import { logBounds } from '../../../src/directory/records/changes.ts'
import type { Following } from '../../../src/directory/records/directory.ts'
import { createLog } from '../../../src/log.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import { createHealth, type Health } from '../../../src/server/service/health.ts'
import type { Readiness } from '../../../src/site/http/health-state.ts'
import { fixtures } from '../../helpers/fixtures.ts'
import { testDatabase } from '../../helpers/postgres.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { APP_URL } from '../../helpers/service.ts'
import { sharedDatabase, sharedPostgresService } from '../../helpers/shared.ts'
import { expectBooksToBalance, newAccount, plainRead } from '../../money/charge/fixtures.ts'

const db = sharedDatabase(fixtures)

const READY: Readiness = { status: 'ready', reasons: [] }
const unready = (reason: string): Readiness => ({ status: 'unready', reasons: [reason] })

const NO_CHARGES = unready('the database takes no charges')

interface Given {
  database?: Pick<Database, 'use'>
  position?: number
  secondsSinceInStep?: number
  logged?: string[]
}

/** A server whose directory is as given; in step unless it is. */
async function healthOf({ database = db.database, secondsSinceInStep = 0, ...given }: Given = {}) {
  const { last } = await logBounds(db.sql)
  const following: Following = {
    secondsSinceInStep,
    failures: 0,
    lastFailureMs: undefined,
    setAside: [],
  }
  const log = createLog('debug', (line) => given.logged?.push(line))
  const directory = { position: given.position ?? last, following }
  return createHealth(database, directory, { maxLagSeconds: 10, log })
}

describe('ready', () => {
  const service = sharedPostgresService(fixtures)
  const ask = async (path: string, method = 'GET') => {
    const response = await service.web(new Request(`${APP_URL}${path}`, { method }))
    return { status: response.status, text: await response.text() }
  }

  test('a server that is well says so, and that it lives, in JSON that nobody may keep', async () => {
    expect(await ask('/health/ready')).toEqual({ status: 200, text: JSON.stringify(READY) })
    expect(await ask('/health/live')).toEqual({ status: 200, text: '{"status":"live"}' })
    expect(await ask('/health/ready', 'HEAD')).toEqual({ status: 200, text: '' })
    expect((await ask('/health/ready', 'POST')).status).toBe(405)
  })
})

describe('not ready', () => {
  test('a database that does not answer within a second', async () => {
    const health = await healthOf()
    const held = await db.sql.reserve()
    await held`begin`
    await held`lock table change_log in access exclusive mode`
    expect(await health.readiness()).toEqual(unready('the database does not answer'))
    await held`commit`
    held.release()
    expect(await (await healthOf()).readiness()).toEqual(READY)
  })

  test('a database that fails; its address is in the log and not in the answer', async () => {
    const logged: string[] = []
    const use = async () => {
      throw new DatabaseUnavailable('no server answers at db.internal:5432')
    }
    const health = await healthOf({ database: { use }, logged })
    expect(await health.readiness()).toEqual(unready('the database does not answer'))
    expect(logged).toEqual([expect.stringContaining('db.internal:5432')])
  })

  test('a migration that is missing; one of a newer version is none of that', async () => {
    await db.sql`insert into chainkin_migrations (name) values ('9999_of_tomorrow')`
    expect(await (await healthOf()).readiness()).toEqual(READY)
    await db.sql`delete from chainkin_migrations where name = '9999_of_tomorrow'`
    const [gone] = await db.sql`
      delete from chainkin_migrations where name = (select max(name) from chainkin_migrations)
      returning name`
    const lacking = await (await healthOf()).readiness()
    await db.sql`insert into chainkin_migrations (name) values (${gone?.name})`
    expect(lacking).toEqual(unready('the database lacks migrations of this version'))
  })

  test('a directory that is further behind than MAX_LAG allows', async () => {
    const { last: position } = await logBounds(db.sql)
    await db.sql`
      insert into change_log (kind, id, at)
      values ('company', gen_random_uuid(), now() - interval '60 s'), ('company', gen_random_uuid(), now())`
    const health = await healthOf({ position, secondsSinceInStep: 30 })
    expect(await health.readiness()).toEqual(
      unready('the directory is 30 s behind the database, and 10 are allowed'),
    )
    expect((await health.look()).lag).toEqual({ seconds: 30, changes: 2 })
  })

  test('neither a long transaction nor changes without end make it seem further behind than it is', async () => {
    const { last: position } = await logBounds(db.sql)
    await db.sql`
      insert into change_log (kind, id, at) values ('company', gen_random_uuid(), now() - interval '1 hour')`
    const long = await healthOf({ position, secondsSinceInStep: 1 })
    expect(await long.readiness()).toEqual(READY)
    const { last } = await logBounds(db.sql)
    await db.sql`insert into change_log (kind, id) values ('company', gen_random_uuid())`
    const busy = await healthOf({ position: last, secondsSinceInStep: 3_600 })
    expect(await busy.readiness()).toEqual(READY)
  })

  test('a server that is stopping, whatever the database says', async () => {
    const health = await healthOf()
    expect(await health.readiness()).toEqual(READY)
    health.drain()
    expect(await health.readiness()).toEqual(unready('the server is stopping'))
  })

  /** Looks until the answer is this one: within a second looks are shared. */
  async function untilAnswer(health: Pick<Health, 'readiness'>, answer: Readiness) {
    while (JSON.stringify(await health.readiness()) !== JSON.stringify(answer)) await Bun.sleep(50)
  }

  test('a database that takes no changes, before any call failed; once it takes some it is ready again by itself', async () => {
    const { database, sql, url, drop } = await testDatabase()
    const logged: string[] = []
    const setReadOnly = (value: string) =>
      sql.unsafe(
        `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = ${value}`,
      )
    // Sessions have the setting of their beginning.
    const endSessions = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    const health = await healthOf({ database, logged })
    expect(await health.readiness()).toEqual(READY)
    await setReadOnly('on')
    await endSessions()
    await untilAnswer(health, NO_CHARGES)
    expect(logged.join()).toContain('takes no changes (25006)')
    expect(await (await healthOf({ database })).readiness()).toEqual(NO_CHARGES)
    await setReadOnly('off')
    await endSessions()
    await untilAnswer(health, READY)
    await drop()
  })

  test('a database that refuses charges, from the first one that failed until they go through again, asked by nobody', async () => {
    const { database, sql, drop } = await testDatabase()
    const health = await healthOf({ database })
    const meter = createMeter(database, { onFailure: health.doubtCharges })
    const account = await newAccount(sql, { tier: 'pro', credits: 100 })
    expect(await health.readiness()).toEqual(READY)
    await meter.charge(plainRead(account))
    await sql`alter table ledger add constraint ledger_closed check (credits > 0) not valid`
    await expectRejection(meter.charge(plainRead(account)))
    await untilAnswer(health, NO_CHARGES)
    const look = health.look()
    while (health.look() === look) await Bun.sleep(50)
    expect(await health.readiness()).toEqual(NO_CHARGES)
    await sql`alter table ledger drop constraint ledger_closed`
    await untilAnswer(health, READY)
    const [{ entries } = { entries: 0 }] = await sql<
      { entries: number }[]
    >`select count(*)::integer as entries from ledger`
    expect(entries).toBe(2)
    await expectBooksToBalance(sql)
    await drop()
  })

  test('probes share one look a second, and the log is told when the answer becomes another', async () => {
    const logged: string[] = []
    const { last: position } = await logBounds(db.sql)
    await db.sql`
      insert into change_log (kind, id, at) values ('company', gen_random_uuid(), now() - interval '1 hour')`
    let looks = 0
    const use: Database['use'] = (work, options) => {
      looks++
      return db.database.use(work, options)
    }
    const health = await healthOf({
      database: { use },
      position,
      secondsSinceInStep: 60,
      logged,
    })
    const answers = await Promise.all(Array.from({ length: 50 }, () => health.readiness()))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['unready']))
    // The first look asks twice: it tries whether the database takes charges.
    expect([looks, logged.length]).toEqual([2, 1])
  })
})
