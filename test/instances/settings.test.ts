/** A database whose own settings are others than the SQL relies on: two instances on it answer as on any. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { run, type Server, serve } from '../helpers/command.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { type TestDatabase, testDatabase } from '../helpers/postgres.ts'
import { sharedDirectory } from '../helpers/shared.ts'
import {
  expectLedgerToAgree,
  expectLimitsToHold,
  INSTANCE_WORKERS,
  load,
  loadAccounts,
} from './load.ts'

const directory = sharedDirectory()
let db: TestDatabase
let servers: Server[] = []

beforeAll(async () => {
  db = await testDatabase()
  await fixtures(db.database)
  const name = new URL(db.url).pathname.slice(1)
  for (const setting of [
    "default_transaction_isolation = 'serializable'",
    "bytea_output = 'escape'",
    'extra_float_digits = -15',
    "TimeZone = 'Asia/Tokyo'",
    "DateStyle = 'German'",
    "IntervalStyle = 'sql_standard'",
    "idle_session_timeout = '500ms'",
    "statement_timeout = '500ms'",
  ]) {
    await db.sql.unsafe(`alter database ${name} set ${setting}`)
  }
  const env = { DATABASE_URL: db.url, LOG_LEVEL: 'error' }
  servers = await Promise.all(
    INSTANCE_WORKERS.map((workers) => serve({ ...env, WORKERS: workers })),
  )
})

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await db.drop()
})

test('no call is answered 503, and limits and balances are exact', async () => {
  const accounts = await loadAccounts(db.database, 25)
  const urls = servers.map(({ apiUrl }) => apiUrl)
  const seen = await load({ urls, accounts, connections: 32, calls: 3_000 })
  expect(seen.filter(({ status }) => status === 0 || status >= 500)).toEqual([])
  await expectLedgerToAgree(db.sql, accounts, seen)
  expectLimitsToHold(seen)
})

test('what a backup holds is restored, and doctor finds the books right', async () => {
  const file = join(directory.path, 'backup.tar')
  const env = { DATABASE_URL: db.url }
  const other = await testDatabase()
  await other.sql.unsafe('drop schema public cascade; create schema public')
  for (const [args, url] of [
    [['backup', file], db.url],
    [['restore', file, '--without-erasures'], other.url],
  ] as const) {
    const { code, stderr } = await run([...args, '--json'], { env: { DATABASE_URL: url } })
    expect([args[0], code, stderr]).toEqual([args[0], 0, ''])
  }
  const { code, json } = await run(['doctor', '--json'], { env })
  expect([code, json().settings.state, json().books.state]).toEqual([0, 'ok', 'ok'])
  await other.drop()
})
