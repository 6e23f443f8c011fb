/**
 * The database misbehaves while two instances of the meter charge as fast as they can. No credit is
 * lost or made, nothing hangs, nothing escapes, and the meter is back by itself.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import postgres, { type Sql } from 'postgres'
import { connect, DatabaseUnavailable, errorCode } from '../../../src/database/client.ts'
import { migrate } from '../../../src/database/migrate.ts'
import type { Outcome } from '../../../src/money/charge/call.ts'
import { createMeter, type Meter } from '../../../src/money/charge/meter.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { type PostgresServer, startPostgres } from '../../helpers/postgres.ts'
import {
  expectBooksToBalance,
  me,
  newAccount,
  newContact,
  plainRead,
  revealOf,
  type TestAccount,
} from './fixtures.ts'

const ACCOUNTS = 200
const CALLERS = 32

/** Less than a service's own 2 s and 0.9 s, so that less time is waited for them. */
const DEADLINE_MS = 1_000
const QUEUE_WAIT_MS = 400
/** Longer than both together. */
const FROZEN_MS = 1_900
/** What takes this long never ends. */
const HANG_MS = 30_000

/** What the database's return may take to show: about a second, and on a busy machine what it takes. */
const RECOVERY_MS = 30_000

let server: PostgresServer
const uncaught: unknown[] = []
const onUncaught = (error: unknown) => {
  uncaught.push(error)
}

beforeAll(async () => {
  process.on('uncaughtException', onUncaught)
  process.on('unhandledRejection', onUncaught)
  server = await startPostgres()
  const template = connect({
    url: server.url('template1'),
    connections: 1,
    deadlineMs: PATIENCE_MS,
  })
  await migrate(template)
  await template.close()
})
afterAll(async () => {
  await server.stop()
  process.off('uncaughtException', onUncaught)
  process.off('unhandledRejection', onUncaught)
})

/** What a test charges on: a database of its own, and two instances of the meter. */
interface Stage extends AsyncDisposable {
  admin: Sql
  meters: Meter[]
  accounts: TestAccount[]
  people: string[]
}

async function openStage(): Promise<Stage> {
  const name = `faults_${randomUUID().replaceAll('-', '')}`
  const root = postgres(server.url('postgres'), { max: 1 })
  await root.unsafe(`create database ${name}`)
  await root.end()
  const url = server.url(name)
  const pools = [1, 2].map(() => connect({ url, connections: 3, deadlineMs: DEADLINE_MS }))
  const meters = pools.map((pool) => createMeter(pool, { maxWaitMs: QUEUE_WAIT_MS }))
  const admin = postgres(url, {
    max: 1,
    onnotice: () => {},
    connection: { application_name: 'test' },
  })
  // The tier with the most calls a minute: its rate is not what is tested.
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => newAccount(admin, { tier: 'team', credits: 100_000 })),
  )
  const people = await Promise.all(Array.from({ length: 20 }, () => newContact(admin)))
  const close = async () => {
    await Promise.all([admin.end({ timeout: 1 }), ...pools.map((pool) => pool.close())])
  }
  return { admin, meters, accounts, people, [Symbol.asyncDispose]: close }
}

interface Answered {
  request: string
  outcome: Outcome | undefined
  error: unknown
  tookMs: number
}

/** Calls from all callers, over both instances, until stopped. */
function startLoad({ meters, accounts, people }: Stage) {
  const answered: Answered[] = []
  let stopped = false
  let turn = 0
  const callers = Array.from({ length: CALLERS }, async (_, i) => {
    while (!stopped) {
      const account = accounts[turn++ % ACCOUNTS]!
      const kind = turn % 7
      const call =
        kind === 0
          ? me(account)
          : kind < 3
            ? revealOf(account, people[turn % people.length]!)
            : plainRead(account)
      const begunMs = performance.now()
      const { outcome, error } = await meters[i % 2]!.charge(call).then(
        (outcome) => ({ outcome, error: undefined }),
        (error: unknown) => ({ outcome: undefined, error }),
      )
      answered.push({
        request: call.request_id,
        outcome,
        error,
        tookMs: performance.now() - begunMs,
      })
      // A client backs off, and so lets the event loop breathe.
      if (error) await Bun.sleep(10)
    }
  })
  const stop = async () => {
    stopped = true
    const ended = await Promise.race([
      Promise.all(callers).then(() => true),
      Bun.sleep(HANG_MS).then(() => false),
    ])
    expect(ended).toBe(true)
    return answered
  }
  return { answered, stop }
}

/** Charges until one call is answered; how long that took. */
async function answersAgain({ meters, accounts }: Stage): Promise<number> {
  const beganMs = performance.now()
  for (const meter of meters) {
    for (;;) {
      const outcome = await meter.charge(plainRead(accounts[0]!)).catch(() => undefined)
      if (outcome) break
      expect(performance.now() - beganMs).toBeLessThan(RECOVERY_MS)
      await Bun.sleep(10)
    }
  }
  return performance.now() - beganMs
}

/** The process ids of the meter's backends, once there are as many. Those of one instance come first. */
async function backendsOfMeter({ admin }: Stage, count: number): Promise<number[]> {
  for (;;) {
    const rows = await admin<{ pid: number }[]>`
      select pid from pg_stat_activity
       where application_name = 'chainkin' and datname = current_database() and query ~ 'meter_charge'
       order by pid limit ${count}`
    if (rows.length === count) return rows.map(({ pid }) => pid)
    await Bun.sleep(10)
  }
}

/** Stops backends for a while. On a busy machine the meter may drop a connection by itself, so that its backend is gone. */
async function freeze(pids: readonly number[]) {
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of pids) {
      try {
        process.kill(pid, name)
      } catch (error) {
        if (errorCode(error) !== 'ESRCH') throw error
      }
    }
  }
  signal('SIGSTOP')
  try {
    await Bun.sleep(FROZEN_MS)
  } finally {
    signal('SIGCONT')
  }
}

/** Milliseconds. There are too many answers to spread them into arguments. */
function slowestOf(answered: readonly Answered[]): number {
  return Math.round(answered.reduce((slowest, { tookMs }) => Math.max(slowest, tookMs), 0))
}

/**
 * Whatever was answered is in the ledger once; what is unknown at most once, and nothing else; and the
 * books balance.
 */
async function expectNoMoneyLostOrMade({ admin }: Stage, answered: Answered[]) {
  expect(uncaught).toEqual([])
  const wrongErrors = answered.filter(
    (one) => one.error && !(one.error instanceof DatabaseUnavailable),
  )
  expect(wrongErrors.map((one) => one.error)).toEqual([])
  expect(answered.filter((one) => one.tookMs >= HANG_MS)).toEqual([])

  const rows = await admin<{ request_id: string; credits: number }[]>`
    select request_id, credits from ledger where kind = 'charge'`
  const entries = Map.groupBy(rows, (row) => row.request_id)
  const wrong = answered.filter(({ request, outcome, error }) => {
    const found = entries.get(request) ?? []
    if (!outcome)
      return found.length > (error instanceof DatabaseUnavailable && error.isUnknown ? 1 : 0)
    if (outcome.charged === 0) return found.length > 0
    return found.length !== 1 || found[0]!.credits !== -outcome.charged
  })
  expect(wrong).toEqual([])
  await expectBooksToBalance(admin)
  const errors = answered.flatMap((one) => (one.error ? [one.error] : []))
  const unknown = errors.filter((error) => error instanceof DatabaseUnavailable && error.isUnknown)
  return {
    answered: answered.length - errors.length,
    unavailable: errors.length,
    unknown: unknown.length,
    slowestMs: slowestOf(answered),
  }
}

test.concurrent('backends killed ten times a second: no credit is lost or made', async () => {
  await using stage = await openStage()
  const { stop } = startLoad(stage)
  for (let kills = 0; kills < 20; kills++) {
    await Bun.sleep(100)
    await stage.admin`
      select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'chainkin' and datname = current_database() order by random() limit 1`
  }
  const answered = await stop()
  await answersAgain(stage)
  const summary = await expectNoMoneyLostOrMade(stage, answered)
  expect(summary.answered).toBeGreaterThan(0)
  console.log('killed backends', summary)
})

test.concurrent('every backend killed at once: both instances answer again', async () => {
  await using stage = await openStage()
  const { stop } = startLoad(stage)
  for (let kills = 0; kills < 5; kills++) {
    await Bun.sleep(200)
    await stage.admin`
      select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'chainkin' and datname = current_database()`
  }
  const answered = await stop()
  await answersAgain(stage)
  console.log('all backends', await expectNoMoneyLostOrMade(stage, answered))
})

test.concurrent('a backend frozen, then thawed: its calls end by their deadline, and nothing is charged twice', async () => {
  await using stage = await openStage()
  const { stop } = startLoad(stage)
  await Bun.sleep(300)
  const [pid = 0] = await backendsOfMeter(stage, 1)
  await freeze([pid])
  const answered = await stop()
  await answersAgain(stage)
  console.log('frozen backend', await expectNoMoneyLostOrMade(stage, answered))
})

test.concurrent('all backends of one instance frozen: it refuses in time, and is back once its connections are new', async () => {
  await using stage = await openStage()
  const { stop } = startLoad(stage)
  await Bun.sleep(300)
  const pids = await backendsOfMeter(stage, 2)
  await freeze(pids)
  const answered = await stop()
  await answersAgain(stage)
  console.log('frozen backends', await expectNoMoneyLostOrMade(stage, answered))
})

test('PostgreSQL stopped at once and started again: answered charges are in the ledger, and the meter is back', async () => {
  await using stage = await openStage()
  const { answered, stop } = startLoad(stage)
  await Bun.sleep(500)
  await server.crash()
  // What it answered before is read.
  await Bun.sleep(100)
  const before = answered.length
  await Bun.sleep(1_500)
  const during = answered.slice(before)
  await server.restart()
  const backMs = await answersAgain(stage)
  await Bun.sleep(300)
  const all = await stop()
  expect(during.length).toBeGreaterThan(0)
  expect(during.filter((one) => !one.error)).toEqual([])
  const slowestRefusalMs = slowestOf(during)
  const summary = await expectNoMoneyLostOrMade(stage, all)
  console.log('outage', {
    ...summary,
    refusedDuring: during.length,
    slowestRefusalMs,
    backMs: Math.round(backMs),
  })
})
