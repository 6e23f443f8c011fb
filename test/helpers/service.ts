/**
 * The real service in the test's own process, called without a socket: over the kit's database in memory, or over a real
 * PostgreSQL where row locks, roles or a server of its own matter.
 */
import postgres from 'postgres'
import type { ApiFetch } from '../../src/api/app.ts'
import { readConfig } from '../../src/config.ts'
import { SCOPES, type Scope } from '../../src/contract/endpoints.ts'
import type { Tier } from '../../src/contract/tiers.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { serveGrants } from '../../src/database/grants.ts'
import type { Directory } from '../../src/directory/records/directory.ts'
import { createLog } from '../../src/log.ts'
import { createAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import type { RequestLog } from '../../src/money/accounts/request-log.ts'
import type { Meter } from '../../src/money/charge/meter.ts'
import { incoming } from '../../src/runtime.ts'
import { openService } from '../../src/server/service/service.ts'
import type { WebFetch } from '../../src/site/frame/app.ts'
import { API_URL, APP_URL, openTestDirectory } from '../../src/testing/directory.ts'
import { fixtures } from './fixtures.ts'
import { PATIENCE_MS } from './limit.ts'
import { testDatabase } from './postgres.ts'
import { roleOn } from './roles.ts'

export const BASE_URL = API_URL
export { APP_URL }

export interface Answer {
  status: number
  headers: Headers
  /** The body as JSON; a test looks at what it expects to be there. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of many shapes
  body: any
  text: string
}

export interface Caller {
  id: string
  key: string
  /** A GET of this path with the account's key. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>
}

export interface AccountOptions {
  tier?: Tier
  credits?: number
  scopes?: Scope[]
  organization?: string
}

export interface TestService {
  database: Database
  /** A plain connection for what a test sets up or looks at. */
  sql: postgres.Sql
  api: ApiFetch
  /** Asks the application. */
  web: (request: Request) => Promise<Response>
  directory: Directory
  requests: RequestLog | undefined
  /** What was logged so far. */
  logged: string[]
  request(path: string, init?: RequestInit, address?: string): Promise<Answer>
  account(options?: AccountOptions): Promise<Caller>
  balance(id: string): Promise<number>
  stop(): Promise<void>
}

type Fill = (database: Database) => Promise<unknown>
type Environment = Record<string, string>

/** Over the kit's database. @param fill puts records into the empty directory before the service loads it. */
export async function testService(
  fill?: Fill,
  environment: Environment = {},
): Promise<TestService> {
  const logged: string[] = []
  const log = createLog('debug', (line) => logged.push(line))
  // The fixed directory is what the kit holds by itself, and has at hand.
  const isFixed = fill === fixtures
  const { directory, hosts, service, database, connection } = await openTestDirectory(
    { listen: false, environment, ...(isFixed ? {} : { companies: [] }) },
    // What a test looks at is changed by nobody else, however long it takes.
    { log, fill: isFixed ? undefined : fill, keepsHouse: false },
  )
  const settings = { socket: connection, max: 4, user: 'postgres', database: 'postgres' }
  const sql = postgres({ ...settings, onnotice: () => {} })
  const stop = async () => {
    await sql.end({ timeout: 1 })
    await directory.stop()
  }
  const { directory: records, requests } = service
  return testedService({ database, sql, ...hosts, directory: records, requests, logged, stop })
}

/** No more rights than a service needs. The embedded database has one user alone. */
const SERVING_ROLE = 'test_serving'

/** Over a real PostgreSQL, by `SERVING_ROLE`. @param metered wraps the meter of its API */
export async function postgresService(
  fill?: Fill,
  environment: Environment = {},
  metered?: (meter: Meter) => Meter,
): Promise<TestService> {
  const own = await testDatabase()
  const { database, sql, drop } = own
  await fill?.(database)
  const url = await roleOn(own, SERVING_ROLE, serveGrants(SERVING_ROLE))
  const pools: Database[] = []
  const pool = (connections: number) => {
    const opened = connect({ url, connections, deadlineMs: PATIENCE_MS })
    pools.push(opened)
    return opened
  }
  const logged: string[] = []
  const log = createLog('debug', (line) => logged.push(line))
  const service = await openService(readConfig(environment), { database: pool(8), pool }, log, {
    maxWaitMs: PATIENCE_MS,
    ...(metered && { metered }),
  })
  const hosts = await service.hosts(BASE_URL, APP_URL)
  const stop = async () => {
    await service.stop()
    await Promise.all(pools.map((opened) => opened.close()))
    await drop()
  }
  return testedService({ database, sql, ...hosts, ...service, logged, stop })
}

type Running = Omit<TestService, 'web' | 'request' | 'account' | 'balance'> & { web: WebFetch }

function testedService(running: Running): TestService {
  const { api, database, sql } = running

  async function request(
    path: string,
    init: RequestInit = {},
    address = '192.0.2.1',
  ): Promise<Answer> {
    const response = await api(incoming(new Request(`${BASE_URL}${path}`, init), address))
    const text = await response.text()
    const isJson =
      response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }

  return {
    ...running,
    web: (request) => running.web(incoming(request, '')),
    request,
    async account({ tier = 'free', credits = 0, scopes = [...SCOPES], organization } = {}) {
      const id = await createAccount(database, {
        name: 'Ada',
        email: 'ada@example.com',
        tier,
        organization,
      })
      if (credits > 0) await grantCredits(database, id, credits, 'topup')
      const { key } = await createKey(database, id, 'test', scopes)
      const get: Caller['get'] = (path, headers = {}) =>
        request(path, { headers: { authorization: `Bearer ${key}`, ...headers } })
      return { id, key, get }
    },
    async balance(id) {
      const [row] = await sql`select balance::integer from accounts where id = ${id}`
      return row?.balance
    },
  }
}
