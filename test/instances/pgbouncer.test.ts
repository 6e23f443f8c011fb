/** Through PgBouncer in transaction mode, where each statement may meet another backend. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, type Server, serve } from '../helpers/command.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { freePort, type TestDatabase, testDatabase } from '../helpers/postgres.ts'
import {
  expectLedgerToAgree,
  expectLimitsToHold,
  INSTANCE_WORKERS,
  load,
  loadAccounts,
} from './load.ts'

/** Debian's package; `.ci/run` installs it. */
const isInstalled = Bun.which('pgbouncer', { PATH: `${process.env.PATH}:/usr/sbin` })
if (!isInstalled) console.warn('skipped: pgbouncer is not installed')

let db: TestDatabase
let bouncer: ChildProcess
let directory: string
let bouncerUrl: string
let servers: Server[] = []

beforeAll(async () => {
  if (!isInstalled) return
  db = await testDatabase()
  await fixtures(db.database)
  bouncerUrl = await startBouncer(new URL(db.url))
  const env = { DATABASE_URL: `${bouncerUrl}?prepare=false`, LOG_LEVEL: 'error' }
  servers = await Promise.all(
    INSTANCE_WORKERS.map((workers) => serve({ ...env, WORKERS: workers })),
  )
})

afterAll(async () => {
  if (!isInstalled) return
  await Promise.all(servers.map((server) => server.stop()))
  bouncer.kill('SIGINT')
  await new Promise((resolve) => bouncer.once('exit', resolve))
  await rm(directory, { recursive: true, force: true })
  await db.drop()
})

test.skipIf(!isInstalled)(
  'two instances behind PgBouncer in transaction mode share limits and balances exactly',
  async () => {
    const accounts = await loadAccounts(db.database, 25)
    const urls = servers.map(({ apiUrl }) => apiUrl)
    const seen = await load({ urls, accounts, connections: 32, calls: 3_000 })
    expect(seen.filter(({ status }) => status === 0 || status >= 500)).toEqual([])
    await expectLedgerToAgree(db.sql, accounts, seen)
    expectLimitsToHold(seen)
  },
)

test.skipIf(!isInstalled)(
  'a role’s own settings count behind PgBouncer: what would fail charges ends a start with the cure, and doctor names the rest',
  async () => {
    const { username, password, host } = new URL(bouncerUrl)
    const through = async (settings: Readonly<Record<string, string>>) => {
      const other = await testDatabase()
      const name = new URL(other.url).pathname.slice(1)
      for (const [setting, value] of Object.entries(settings)) {
        await other.sql.unsafe(`alter database ${name} set ${setting} = '${value}'`)
      }
      const url = `postgres://${username}:${password}@${host}/${name}?pgbouncer=true`
      const doctor = await run(['doctor', '--json'], { env: { DATABASE_URL: url } })
      const { database, settings: found } = doctor.json()
      await other.drop()
      return { name, database, settings: found }
    }
    const isolated = await through({ default_transaction_isolation: 'repeatable read' })
    expect(isolated.database).toEqual({
      state: 'failed',
      text: `the database is unavailable: sessions of the user "postgres" begin with default_transaction_isolation = repeatable read instead of read committed, and a pooler or their rights keep this program from setting it: run alter role "postgres" in database "${isolated.name}" set default_transaction_isolation = 'read committed'; behind a pooler let it connect anew`,
    })
    const limited = await through({ statement_timeout: '2min', DateStyle: 'German' })
    expect(limited).toMatchObject({
      database: { state: 'ok' },
      settings: {
        state: 'failed',
        text: expect.stringContaining('statement_timeout = 2min instead of 0: run alter role'),
      },
    })
    expect((await through({})).settings).toEqual({ state: 'ok', text: 'as they are needed' })
  },
)

/** @returns the database's URL through a PgBouncer of its own. */
async function startBouncer(database: URL): Promise<string> {
  directory = await mkdtemp(join(tmpdir(), 'chainkin-pgbouncer-'))
  await chmod(directory, 0o755)
  const port = await freePort()
  const config = join(directory, 'pgbouncer.ini')
  await writeFile(join(directory, 'users.txt'), `"postgres" "postgres"\n`)
  await writeFile(
    config,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${database.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'pool_mode = transaction',
      'default_pool_size = 4',
      'auth_type = plain',
      `auth_file = ${join(directory, 'users.txt')}`,
    ].join('\n'),
  )
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  bouncer = spawn(isInstalled ?? '', ['-q', ...user, config], { stdio: 'ignore' })
  await answers(port)
  return `postgres://postgres:postgres@127.0.0.1:${port}${database.pathname}`
}

async function answers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ host: '127.0.0.1', port })
      socket.once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('PgBouncer did not start')
}
