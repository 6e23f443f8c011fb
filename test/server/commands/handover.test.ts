/** `serve --beside`: on PostgreSQL the next process answers at the same ports before the old one stops, so that no call is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PATIENT, type Server, serve } from '../../helpers/command.ts'
import { fixtures } from '../../helpers/fixtures.ts'
import { freePort } from '../../helpers/postgres.ts'
import { API_HOST, installed, startProxy } from '../../helpers/proxies.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { load, loadAccounts, type Seen } from '../../instances/load.ts'

const db = sharedDatabase(fixtures)
let env: Record<string, string>

beforeAll(async () => {
  const [PORT, APP_PORT] = [String(await freePort()), String(await freePort())]
  const rest = { DRAIN_SECONDS: '1', TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'error' }
  env = { DATABASE_URL: db.url, PORT, APP_PORT, ...rest }
})

describe.skipIf(process.platform !== 'linux')('beside a running service', () => {
  let current: Server
  let nginx: Awaited<ReturnType<typeof startProxy>> | undefined

  beforeAll(async () => {
    current = await serve(env, [], { program: PATIENT })
    const program = installed('nginx')
    const ports = { port: env.PORT ?? '', appPort: env.APP_PORT ?? '' }
    nginx = program ? await startProxy('nginx', program, ['127.0.0.1'], ports) : undefined
  })
  afterAll(async () => {
    await nginx?.stop()
    await current.stop('SIGINT')
  })

  test('a process that is started beside it before it stops takes over under load, and no call fails', async () => {
    const accounts = await loadAccounts(db.database, 60)
    const seen: Seen[] = []
    let isOver = false
    const ways = [
      { urls: [current.apiUrl] },
      ...(nginx ? [{ urls: [`http://127.0.0.1:${nginx.port}`], host: API_HOST }] : []),
    ]
    const loading = ways.map(async (way) => {
      while (!isOver) seen.push(...(await load({ ...way, accounts, connections: 4, calls: 100 })))
    })
    for (const workers of ['2', '1']) {
      const next = await serve({ ...env, WORKERS: workers }, ['--beside'], { program: PATIENT })
      expect((await current.stop('SIGTERM')).code).toBe(0)
      current = next
    }
    isOver = true
    await Promise.all(loading)
    expect(seen.length).toBeGreaterThan(100)
    expect(seen.filter(({ status }) => status === 0 || status >= 500)).toEqual([])
  })
})
