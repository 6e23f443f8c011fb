/**
 * Faults of two instances, of one process and of several, and to their clients when an instance or a worker
 * is killed or the database misbehaves: no credit is lost or made, every client gets an answer, the service comes back alone.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { get, type Server, serve } from '../helpers/command.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { type PostgresServer, startPostgres } from '../helpers/postgres.ts'
import {
  expectLedgerToAgree,
  INSTANCE_WORKERS,
  type LoadAccount,
  load,
  loadAccounts,
  type Seen,
  workersOf,
} from './load.ts'

/** Deadline and wait for a turn are 2.9 s together; a busy machine gets more. */
const PATIENCE_MS = 30_000

let server: PostgresServer
let database: Database
let sql: Sql
let servers: Server[] = []
let start: (workers: string) => Promise<Server>

beforeAll(async () => {
  server = await startPostgres()
  const root = postgres(server.url('postgres'), { max: 1 })
  await root.unsafe('create database faults')
  await root.end()
  const url = server.url('faults')
  database = connect({ url, connections: 4, deadlineMs: PATIENCE_MS })
  await migrate(database)
  await fixtures(database)
  sql = postgres(url, { max: 2, onnotice: () => {}, connection: { application_name: 'test' } })
  start = (workers) => serve({ DATABASE_URL: url, LOG_LEVEL: 'error', WORKERS: workers })
  servers = await Promise.all(INSTANCE_WORKERS.map(start))
})

afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop()))
  await database.close()
  await sql.end({ timeout: 1 })
  await server.stop()
})

/** Loads both instances while `disturb` runs, then checks the books and that both answer again. */
async function loadWhile(disturb: () => Promise<void>): Promise<Seen[]> {
  const accounts = await loadAccounts(database, 60)
  const calls = { accounts, connections: 32, patienceMs: PATIENCE_MS }
  const urls = servers.map(({ apiUrl }) => apiUrl)
  let disturbed = false
  const disturbing = disturb().finally(() => {
    disturbed = true
  })
  const seen: Seen[] = []
  while (!disturbed) seen.push(...(await load({ ...calls, urls, calls: 500 })))
  await disturbing
  await expectAnswers(accounts)
  await expectLedgerToAgree(sql, accounts, seen)
  expect(seen.some(({ status, charged }) => status === 200 && charged > 0)).toBe(true)
  return seen
}

/** Both instances answer a call of the ledger again, without anybody's help. */
async function expectAnswers(accounts: readonly LoadAccount[]) {
  for (const { apiUrl } of servers) {
    const key = accounts.find(({ tier }) => tier === 'enterprise')?.key
    const deadline = performance.now() + PATIENCE_MS
    let status = 0
    while (status !== 200 && performance.now() < deadline) {
      status = await get(`${apiUrl}/v1/me`, key).then(
        (answer) => answer.status,
        () => 0,
      )
      if (status !== 200) await pause(50)
    }
    expect(status).toBe(200)
  }
}

/** Every client had an answer of the contract, and in time. */
function expectAllAnswered(seen: readonly Seen[]) {
  expect(seen.filter(({ status }) => status === 0)).toEqual([])
  const unforeseen = seen.filter(({ status, code }) => status >= 500 && code !== 'unavailable')
  expect(unforeseen).toEqual([])
}

test('kill -9 of one instance under load: each 200 has its one ledger entry, the other serves on', async () => {
  const seen = await loadWhile(async () => {
    await pause(700)
    const [first] = servers
    first?.kill('SIGKILL')
    await first?.finished
    servers[0] = await start(INSTANCE_WORKERS[0] ?? '1')
  })
  const survivors = seen.filter(({ status }) => status !== 0)
  expect(survivors.some(({ status }) => status === 200)).toBe(true)
})

test('kill -9 of workers under load: each 200 has its one ledger entry, and the others serve on', async () => {
  const seen = await loadWhile(async () => {
    for (let round = 0; round < 3; round++) {
      await pause(400)
      const [worker] = servers.flatMap(workersOf)
      if (worker) process.kill(worker, 'SIGKILL')
    }
  })
  expect(seen.some(({ status }) => status === 200)).toBe(true)
})

test('backends terminated ten times a second: no credit lost or made, every call answered', async () => {
  const seen = await loadWhile(async () => {
    for (let round = 0; round < 20; round++) {
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'chainkin' and datname = current_database()`
      await pause(100)
    }
  })
  expectAllAnswered(seen)
})

/** One that carries out a charge, if any does just now. */
async function backendOfMeter(): Promise<number> {
  for (;;) {
    const [row] = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity
       where application_name = 'chainkin' and query like '%meter_charge%' and datname = current_database()
       order by state = 'active' desc limit 1`
    if (row) return row.pid
    await pause(10)
  }
}

test('a backend frozen with SIGSTOP: calls end by their deadline, the others go on', async () => {
  const seen = await loadWhile(async () => {
    await pause(300)
    const pid = await backendOfMeter()
    process.kill(pid, 'SIGSTOP')
    await pause(3_300)
    process.kill(pid, 'SIGCONT')
    await pause(500)
  })
  expectAllAnswered(seen)
})

test('PostgreSQL crashes and starts again: 503 meanwhile, then answers by itself', async () => {
  const seen = await loadWhile(async () => {
    await pause(700)
    await server.crash()
    await pause(1_500)
    await server.restart()
    await pause(500)
  })
  expectAllAnswered(seen)
  expect(seen.some(({ status }) => status === 503)).toBe(true)
  for (const { output } of servers) expect(output.stderr).not.toContain('nobody caught')
})
