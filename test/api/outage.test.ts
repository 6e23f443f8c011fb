/** contract/Errors 5xx, gate 10: the database goes away and comes back, behind a relay that a test cuts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import type { ApiFetch } from '../../src/api/app.ts'
import { readConfig } from '../../src/config.ts'
import { SCOPES } from '../../src/contract/endpoints.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { createLog } from '../../src/log.ts'
import { createAccount } from '../../src/money/accounts/accounts.ts'
import { generateApiKey } from '../../src/money/accounts/api-key.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { incoming } from '../../src/runtime.ts'
import { openService, type Service } from '../../src/server/service/service.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { type TestDatabase, testDatabase } from '../helpers/postgres.ts'
import { expectBooksToBalance } from '../money/charge/fixtures.ts'

/** A way to the database that can be cut (connections end) or frozen (nothing passes any more). */
class Relay {
  readonly #sockets = new Set<Socket>()
  readonly #target: URL
  readonly #server: Server
  #frozen = false
  #cut = false

  constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((client) => {
      if (this.#cut) return client.destroy()
      const { hostname, port } = this.#target
      const backend = createConnection({ host: hostname, port: Number(port) })
      for (const [from, to] of [
        [client, backend],
        [backend, client],
      ] as const) {
        this.#sockets.add(from)
        from.on('data', (data) => {
          if (!this.#frozen) to.write(data)
        })
        from.on('close', () => {
          this.#sockets.delete(from)
          to.destroy()
        })
        from.on('error', () => {})
      }
      return undefined
    })
  }

  async url(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    const url = new URL(this.#target)
    url.port = String(typeof address === 'object' ? address?.port : 0)
    return url.href
  }

  cut() {
    this.#cut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  freeze() {
    this.#frozen = true
  }

  restore() {
    this.#frozen = false
    this.#cut = false
  }

  stop() {
    this.cut()
    this.#server.close()
  }
}

let test1: TestDatabase
let relay: Relay
let service: Service
let api: ApiFetch
let key: string
let account: string
const pools: Database[] = []
/** Short while nothing can be answered. */
let deadlineMs = PATIENCE_MS
const logged: string[] = []

beforeAll(async () => {
  test1 = await testDatabase()
  await fixtures(test1.database)
  relay = new Relay(test1.url)
  const url = await relay.url()
  const pool = (connections: number): Database => {
    const opened = connect({ url, connections, deadlineMs: PATIENCE_MS })
    pools.push(opened)
    const use: Database['use'] = (work, options = { deadlineMs }) => opened.use(work, options)
    return { ...opened, use }
  }
  const log = createLog('debug', (line) => logged.push(line))
  service = await openService(readConfig({}), { database: pool(4), pool }, log)
  api = (await service.hosts('http://api.test', 'http://app.test')).api
  account = await createAccount(test1.database, {
    name: 'Ada',
    email: 'ada@example.com',
    tier: 'pro',
  })
  await grantCredits(test1.database, account, 1_000, 'topup')
  key = (await createKey(test1.database, account, 'test', SCOPES)).key
})
afterAll(async () => {
  relay.stop()
  await service.stop()
  await Promise.all(pools.map((pool) => pool.close()))
  await test1.drop()
})

function send(path: string, init: RequestInit): Promise<Response> {
  return api(incoming(new Request(`http://api.test${path}`, init), '192.0.2.1'))
}

async function ask(path: string, withKey = key) {
  const headers: Record<string, string> = withKey ? { authorization: `Bearer ${withKey}` } : {}
  const response = await send(path, { headers })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

async function untilAnswered() {
  for (;;) {
    const answer = await ask('/v1/people')
    if (answer.status !== 503) return answer
  }
}

const balance = async () =>
  (await test1.sql`select balance::integer from accounts where id = ${account}`)[0]?.balance

describe.each(['cut', 'freeze'] as const)('%s', (failure) => {
  test(`gate 10: while the database is out of reach (${failure}) a call is a 503 with Retry-After and every header`, async () => {
    expect((await ask('/v1/people')).status).toBe(200)
    const before = await balance()
    relay[failure]()
    deadlineMs = 200
    for (const path of ['/v1/people', '/v1/me', '/v1/search?q=a']) {
      const { status, headers, body } = await ask(path)
      expect([status, body.error.code]).toEqual([503, 'unavailable'])
      // The first call went into a connection that froze, so its end isn't known; /v1/me is free.
      if (path === '/v1/me') expect(body.error.charged).toBe(0)
      if (path === '/v1/people' && failure === 'freeze') expect(body.error.charged).toBeNull()
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(body.error.retryAfter).toBe(Number(headers.get('retry-after')))
      expect(headers.get('service-api-version')).toBe('1.6.0')
      expect(headers.get('x-ratelimit-limit')).toBeString()
      expect(body.error.message).toContain(headers.get('x-request-id') ?? 'no id')
      expect(JSON.stringify(body)).not.toMatch(/postgres|127\.0\.0\.1|ECONN|CONNECTION/i)
    }
    expect(await balance()).toBe(before)
  })

  test(`a key that must be looked up is a 503 too (${failure}): nobody is told a good key is bad; without a key it stays a 401`, async () => {
    const unknown = await ask('/v1/me', generateApiKey().key)
    expect([unknown.status, unknown.body.error.code]).toEqual([503, 'unavailable'])
    expect((await ask('/v1/me', '')).status).toBe(401)
  })

  test(`what needs no database is answered as always (${failure})`, async () => {
    expect((await ask('/nothing')).status).toBe(404)
    const response = await send('/v1/people', { method: 'OPTIONS' })
    expect(response.status).toBe(204)
  })

  test(`when the database is back, calls are answered without a restart, and the books balance (${failure})`, async () => {
    relay.restore()
    deadlineMs = PATIENCE_MS
    const { status, body } = await untilAnswered()
    expect(status).toBe(200)
    expect(body.meta.creditsBalance).toBe(await balance())
    await expectBooksToBalance(test1.sql)
  })
})

test('an outage is logged with its request id, without the database’s address or password', () => {
  expect(logged.some((line) => line.includes('could not be decided'))).toBe(true)
  expect(logged.join('\n')).not.toMatch(/postgres:postgres/)
})
