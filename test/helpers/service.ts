/** The real service in the test's own process, on a real PostgreSQL, asked without a socket. */
import { createAccount, createKey, grantCredits } from '../../src/accounts/accounts.ts'
import type { ApiFetch } from '../../src/api/app.ts'
import { readConfig } from '../../src/config.ts'
import { connect, type Database } from '../../src/database/client.ts'
import type { Directory } from '../../src/directory/directory.ts'
import { createLog } from '../../src/log.ts'
import { SCOPES, type Scope } from '../../src/metering/prices.ts'
import type { Tier } from '../../src/metering/tiers.ts'
import { openService } from '../../src/service.ts'
import { type TestDatabase, testDatabase } from './postgres.ts'

export const BASE_URL = 'http://api.test'
export const APP_URL = 'http://app.test'

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

export interface TestService extends TestDatabase {
  api: ApiFetch
  web: (request: Request) => Promise<Response>
  directory: Directory
  /** What was logged so far. */
  logged: string[]
  request(path: string, init?: RequestInit, address?: string): Promise<Answer>
  account(options?: {
    tier?: Tier
    credits?: number
    scopes?: Scope[]
    organization?: string
  }): Promise<Caller>
  balance(id: string): Promise<number>
  stop(): Promise<void>
}

/** @param fill puts records into the empty directory before the service loads it. */
export async function testService(
  fill?: (database: Database) => Promise<unknown>,
  environment: Record<string, string> = {},
): Promise<TestService> {
  const test = await testDatabase()
  await fill?.(test.database)
  const pools: Database[] = []
  const pool = (connections: number) => {
    const opened = connect({ url: test.url, connections })
    pools.push(opened)
    return opened
  }
  const logged: string[] = []
  const log = createLog('debug', (line) => logged.push(line))
  const config = readConfig(environment)
  const service = await openService(config, { database: test.database, pool }, log)
  const { api, web } = await service.hosts(BASE_URL, APP_URL)

  async function request(
    path: string,
    init: RequestInit = {},
    address = '192.0.2.1',
  ): Promise<Answer> {
    const response = await api(new Request(`${BASE_URL}${path}`, init), address)
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
    ...test,
    api,
    web,
    directory: service.directory,
    logged,
    request,
    async account({ tier = 'free', credits = 0, scopes = [...SCOPES], organization } = {}) {
      const id = await createAccount(test.database, {
        name: 'Ada',
        email: 'ada@example.com',
        tier,
        organization,
      })
      if (credits > 0) await grantCredits(test.database, id, credits, 'topup')
      const { key } = await createKey(test.database, id, 'test', scopes)
      const get: Caller['get'] = (path, headers = {}) =>
        request(path, { headers: { authorization: `Bearer ${key}`, ...headers } })
      return { id, key, get }
    },
    async balance(id) {
      const [row] = await test.sql`select balance::integer from accounts where id = ${id}`
      return row?.balance
    },
    async stop() {
      await service.stop()
      await Promise.all(pools.map((opened) => opened.close()))
      await test.drop()
    },
  }
}
