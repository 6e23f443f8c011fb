/** One target with a directory, a database and a running server of its own. */
import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Database } from '../../src/database/client.ts'
import { socketPathOf } from '../../src/database/data-dir.ts'
import { ENVIRONMENT, type Hosts, type Received, type Sent, World } from '../contract/world.ts'
import { type Environment, type Finished, run, type Server, serve } from '../helpers/command.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { get, send, untilServed } from './http.ts'
import type { Target } from './targets.ts'

export interface Caller {
  id: string
  key: string
}

/** Creates an empty database and gives its URL. */
export type NewDatabase = () => Promise<string>

export class Stage {
  readonly target: Target
  /** Cases that there are, and those that held. */
  cases = 0
  passed = 0
  /** The server that most cases speak to. */
  server!: Server
  /** Where the program runs: it holds nothing but its data. */
  directory = ''
  env: Environment = {}
  #reader: Promise<Caller> | undefined
  #database: Database | undefined

  constructor(target: Target) {
    this.target = target
  }

  /** For cases that only look: an account with more credits and calls than they can use up. */
  reader(): Promise<Caller> {
    this.#reader ??= this.caller('team', 100_000)
    return this.#reader
  }

  /** Starts the server for the first time, where there is nothing yet. */
  async open(newDatabase: NewDatabase): Promise<void> {
    this.directory = await mkdtemp(join(tmpdir(), 'chainkin-runtime-'))
    const place =
      this.target.database === 'embedded'
        ? { DATA_DIR: join(this.directory, 'data') }
        : { DATABASE_URL: await newDatabase() }
    this.env = { ...place, ...ENVIRONMENT }
    this.server = await this.serve()
  }

  /** The server for the suite of the contract, which makes its accounts by a connection of its own to the database. */
  readonly world = new World(this.#hosts())

  #hosts(): Hosts {
    const stage = this
    return {
      get apiUrl() {
        return stage.server.apiUrl
      },
      get appUrl() {
        return stage.server.appUrl
      },
      get database() {
        stage.#database ??= stage.#connect()
        return stage.#database
      },
      api: (path, sent) => untilServed(() => this.api(path, sent)),
      app: (path, sent) => this.app(path, sent),
    }
  }

  #connect(): Database {
    const { DATABASE_URL: url, DATA_DIR: dataDir = '' } = this.env
    const address = url ? { url } : { socketPath: socketPathOf(dataDir) }
    return connect({ ...address, connections: 2, deadlineMs: PATIENCE_MS })
  }

  async close(): Promise<void> {
    await this.#database?.close()
    await this.server?.stop()
    await rm(this.directory, { recursive: true, force: true })
  }

  /** A case of the suite; it counts in the table. */
  check(name: string, work: () => Promise<void>): void {
    this.cases++
    test(name, async () => {
      await work()
      this.passed++
    })
  }

  /** Another server on the same data, or with `env` on other data. */
  serve(env: Environment = {}, args: readonly string[] = []): Promise<Server> {
    const options = { cwd: this.directory, program: this.target.program }
    return serve({ ...this.env, ...env }, args, options)
  }

  /** Runs a command beside the server, or with `env` on other data. */
  command(args: readonly string[], options: { input?: string; env?: Environment } = {}) {
    const { directory: cwd, env } = this
    const { program } = this.target
    return run(args, { ...options, cwd, program, env: { ...env, ...options.env } })
  }

  /** Runs a command with `--json` that must be done, in silence. @returns its one object. */
  async done(...args: string[]) {
    const { code, stderr, json } = await this.command([...args, '--json'])
    expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, ''])
    return json()
  }

  /** Runs a command with `--json` that must not be done. */
  refused(...args: string[]): Promise<Finished> {
    return this.command([...args, '--json'])
  }

  /** A new account with a key. */
  async caller(tier: string, credits: number, ...keyOptions: string[]): Promise<Caller> {
    const holder = ['--name', 'Caller', '--email', 'caller@example.com', '--tier', tier]
    const granted = credits > 0 ? ['--credits', String(credits)] : []
    const { id } = await this.done('account', 'create', ...holder, ...granted)
    const { key } = await this.done('key', 'create', id, '--label', 'first', ...keyOptions)
    return { id, key }
  }

  /** A GET to the API. */
  get(path: string, { key }: Pick<Caller, 'key'>, headers?: Sent['headers']): Promise<Received> {
    return get(`${this.server.apiUrl}${path}`, key, headers)
  }

  api(path: string, request?: Sent): Promise<Received> {
    return send(`${this.server.apiUrl}${path}`, request)
  }

  app(path: string, request?: Sent): Promise<Received> {
    return send(`${this.server.appUrl}${path}`, request)
  }

  /** Credits that are left, as `/v1/me` says, and that were charged, as the ledger says. */
  async account({ id, key }: Caller): Promise<{ left: number; spent: number }> {
    const [me, { usage }] = await Promise.all([this.get('/v1/me', { key }), this.done('usage', id)])
    const spent = usage.reduce((sum: number, row: { credits: number }) => sum + row.credits, 0)
    return { left: me.body.creditsBalance, spent }
  }
}
