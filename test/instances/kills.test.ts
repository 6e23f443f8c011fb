/**
 * `kill -9` at random moments under load, again and again: no charge that was answered is lost, and no
 * start needs a person. Three rounds here; `.ci/long instances` sets KILL_ROUNDS.
 */
import { afterAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { connect, type Database } from '../../src/database/client.ts'
import { socketPathOf } from '../../src/database/data-dir.ts'
import { openSocket } from '../../src/database/driver.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open.ts'
import { PROJECT_ROOT, type Server, serve, temporaryDirectory } from '../helpers/command.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { LIMIT_MS } from '../helpers/limit.ts'
import { startPostgres } from '../helpers/postgres.ts'
import {
  expectLedgerToAgree,
  INSTANCE_WORKERS,
  type LoadAccount,
  load,
  loadAccounts,
  type Seen,
  workersOf,
} from './load.ts'

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3)
/** Accounts have credits for this many rounds, and then the books are checked. */
const ROUNDS_A_CHECK = 10
const ROUND_LIMIT_MS = 150_000

/** Longest time under load, and longest into a start, that a kill waits for. */
const LOAD_MS = 1_000
const START_MS = 800

const told: string[] = []
afterAll(() => {
  for (const line of told) console.log(line)
})

/** Where the database is between kills. */
interface Place {
  env: Record<string, string>
  /** Opens what the test itself looks at the database with. */
  open(): { database: Database; sql: Sql }
}

/**
 * Loads `server` until `kill` has done its work, and some calls more, which see what came of it. The
 * first calls are answered before.
 */
async function loadUntil(
  server: Server,
  accounts: readonly LoadAccount[],
  kill: () => Promise<void>,
): Promise<Seen[]> {
  const calls = { urls: [server.apiUrl], accounts, connections: 16, calls: 100 }
  const seen = await load(calls)
  let killed = false
  const killing = kill().finally(() => {
    killed = true
  })
  while (!killed) seen.push(...(await load(calls)))
  await killing
  return seen
}

/** Kills a start of its own somewhere on its way. */
async function killDuringStart(env: Record<string, string>) {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'src/main.ts'), 'serve'], {
    env: { PATH, HOME, TMPDIR, PORT: '0', APP_PORT: '0', ...env },
    stdio: 'ignore',
  })
  await pause(Math.random() * START_MS)
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** The rounds themselves. `disturb` kills something of a server under load. */
async function killRounds({ env, open }: Place, disturb: Disturb) {
  let answered = 0
  let reveals = 0
  let cut = 0
  let slowestMs = 0
  let starts = 0
  let server: Server | undefined
  const start = async () => {
    const startedMs = performance.now()
    const workers = INSTANCE_WORKERS[starts++ % INSTANCE_WORKERS.length]
    const started = await serve({ ...env, WORKERS: workers })
    slowestMs = Math.max(slowestMs, performance.now() - startedMs)
    return started
  }
  for (let round = 0; round < ROUNDS; ) {
    server ??= await start()
    const { database, sql } = open()
    const accounts = await loadAccounts(database, 60)
    await Promise.all([database.close(), sql.end()])
    const seen: Seen[] = []
    for (const end = Math.min(ROUNDS, round + ROUNDS_A_CHECK); round < end; round++) {
      const running: Server = server
      seen.push(...(await loadUntil(running, accounts, () => disturb(running, round))))
      if (await hasEnded(running)) {
        if (round % 4 === 0) await killDuringStart(env)
        server = await start()
      }
    }
    const after = open()
    await expectLedgerToAgree(after.sql, accounts, seen)
    await Promise.all([after.database.close(), after.sql.end()])
    answered += seen.filter(({ status, charged }) => status === 200 && charged > 0).length
    reveals += seen.filter(({ status, charged }) => status === 200 && charged === 10).length
    cut += seen.filter(({ status }) => status === 0 || status === 503).length
  }
  await server?.stop()
  // The kills did come under load, and while contacts were being unlocked.
  expect([answered, reveals, cut].filter((count) => count === 0)).toEqual([])
  return `${ROUNDS} kills, ${answered} charges answered (${reveals} unlocks), none lost; ${cut} calls cut off; slowest start ${Math.round(slowestMs)} ms`
}

type Disturb = (server: Server, round: number) => Promise<void>

async function killServer(server: Server) {
  await pause(Math.random() * LOAD_MS)
  server.kill('SIGKILL')
  await server.finished
}

/** One of its workers, where it has some. */
async function killWorker(server: Server) {
  const [worker] = workersOf(server)
  if (worker === undefined) return killServer(server)
  await pause(Math.random() * LOAD_MS)
  process.kill(worker, 'SIGKILL')
}

async function hasEnded(server: Server): Promise<boolean> {
  return Promise.race([server.finished.then(() => true), pause(0).then(() => false)])
}

test.concurrent(
  `the embedded database, ${ROUNDS} kills under load: no answered charge is lost, every start works by itself`,
  async () => {
    const directory = await temporaryDirectory()
    const path = socketPathOf(directory.path)
    const env = { DATA_DIR: directory.path, LOG_LEVEL: 'error' }
    const open = () => ({
      database: connect({ socketPath: path, connections: 1, deadlineMs: 20_000 }),
      sql: postgres({ path, user: 'postgres', database: 'postgres', max: 1 }),
    })
    const { database, close } = await openDatabase({
      databaseUrl: undefined,
      dataDir: directory.path,
    })
    await fixtures(database)
    await close()
    told.push(`embedded: ${await killRounds({ env, open }, killServer)}`)
    await directory.remove()
  },
  LIMIT_MS + ROUNDS * ROUND_LIMIT_MS,
)

test.concurrent(
  `PostgreSQL, ${ROUNDS} kills under load of the server, a worker or a backend: no answered charge is lost, every start works by itself`,
  async () => {
    const server = await startPostgres([], { durable: true })
    const url = server.url('postgres')
    // Our own sockets: on the driver's, a reset between two listeners ends the process.
    const options = { max: 1, onnotice: () => {}, socket: openSocket }
    const open = () => ({
      database: connect({ url, connections: 1, deadlineMs: 20_000 }),
      sql: postgres(url, options),
    })
    const { database, sql } = open()
    await migrate(database)
    await fixtures(database)
    await Promise.all([database.close(), sql.end()])
    const env = { DATABASE_URL: url, LOG_LEVEL: 'silent' }
    const disturb: Disturb = (running, round) =>
      round % 2 === 0 ? killBackend(open) : (round % 4 === 1 ? killServer : killWorker)(running)
    told.push(`PostgreSQL: ${await killRounds({ env, open }, disturb)}`)
    await server.stop()
  },
  LIMIT_MS + ROUNDS * ROUND_LIMIT_MS,
)

/** One backend killed makes PostgreSQL end them all and recover from its log. Returns when it has. */
async function killBackend(open: Place['open']) {
  await pause(Math.random() * LOAD_MS)
  const { database, sql } = open()
  const ownPid = async () => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    return row?.pid
  }
  const before = await ownPid()
  const [row] = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity
     where application_name = 'chainkin' and backend_type = 'client backend'
     order by state = 'active' desc limit 1`
  if (row) process.kill(row.pid, 'SIGKILL')
  // For a moment all others go on as if nothing had happened: it has once this connection is another one.
  const deadline = performance.now() + ROUND_LIMIT_MS / 2
  while (row && [before, undefined].includes(await ownPid().catch(() => undefined))) {
    if (performance.now() > deadline) throw new Error('PostgreSQL did not come back')
    await pause(50)
  }
  await Promise.all([database.close(), sql.end({ timeout: 1 })])
}
