/** A full disk under PostgreSQL, on a small file system of its own; only root can mount one. What clients, balancers and the log see. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createAccount } from '../../src/accounts/accounts.ts'
import { grantCredits } from '../../src/accounts/credits.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { readConfig } from '../../src/config.ts'
import { SCOPES } from '../../src/contract/endpoints.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createLog } from '../../src/log.ts'
import { incoming } from '../../src/runtime.ts'
import { openService } from '../../src/service/service.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../helpers/command.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { startPostgres } from '../helpers/postgres.ts'

const OPTIONS = 'size=220m,mode=1777'
const TMPDIR = process.env.TMPDIR
let directory: TemporaryDirectory
let isMounted = false

beforeAll(async () => {
  directory = await temporaryDirectory()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', OPTIONS, 'tmpfs', directory.path])
  isMounted = status === 0
  if (!isMounted) console.log('skipped: no small file system can be mounted here')
})
afterAll(async () => {
  if (isMounted) spawnSync('umount', ['-l', directory.path])
  await directory.remove()
})

/** A PostgreSQL whose files are on the small disk. */
async function startThere() {
  process.env.TMPDIR = directory.path
  try {
    return await startPostgres()
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
}

/** Takes all that is left of the disk. @returns what gives it back */
function fill(): () => void {
  const ballast = join(directory.path, 'ballast')
  try {
    for (;;) appendFileSync(ballast, new Uint8Array(4_096))
  } catch {
    return () => rmSync(ballast)
  }
}

/** The whole service over a database. */
async function serveOn(url: string) {
  const pools: Database[] = []
  const pool = (connections: number) => {
    const opened = connect({ url, connections, deadlineMs: PATIENCE_MS })
    pools.push(opened)
    return opened
  }
  const database = pool(4)
  await migrate(database)
  await fixtures(database)
  const logged: { message: string; reason?: string; count?: number; reasons?: object }[] = []
  const log = createLog('info', (line) => logged.push(JSON.parse(line)))
  const options = { keepsHouse: false, maxWaitMs: PATIENCE_MS }
  const service = await openService(
    readConfig({ REQUEST_LOG: 'off' }),
    { database, pool },
    log,
    options,
  )
  const { api, web } = await service.hosts('http://api.test', 'http://app.test')
  const account = await createAccount(database, {
    name: 'Ada',
    email: 'a@example.com',
    tier: 'team',
  })
  await grantCredits(database, account, 1_000_000, 'topup')
  const { key } = await createKey(database, account, 'test', SCOPES)
  const headers = { authorization: `Bearer ${key}` }
  return {
    logged,
    call: async () =>
      (await api(incoming(new Request('http://api.test/v1/people', { headers }), '192.0.2.1')))
        .status,
    readiness: async () =>
      (await web(incoming(new Request('http://app.test/health/ready'), '192.0.2.1'))).text(),
    async stop() {
      await service.stop()
      await Promise.all(pools.map((opened) => opened.close()))
    },
  }
}

test('while a full disk refuses charges a server is not ready, says so in words and one line a second, and is ready again with space, though nobody calls', async () => {
  if (!isMounted) return
  const server = await startThere()
  const { logged, call, readiness, stop } = await serveOn(server.url('postgres'))
  const until = async (answer: string) => {
    while ((await readiness()) !== answer) await Bun.sleep(50)
  }
  expect(await call()).toBe(200)
  expect(await readiness()).toBe('{"status":"ready","reasons":[]}')
  const giveBack = fill()
  const began = performance.now()
  let refused = 0
  while (refused < 200) if ((await call()) === 503) refused++
  await until('{"status":"unready","reasons":["the database takes no charges"]}')
  const lines = () => logged.filter(({ message }) => message === 'a call could not be decided')
  const counted = () => lines().reduce((sum, { count = 1 }) => sum + count, 0)
  while (counted() < refused) await Bun.sleep(50)
  expect(lines().length).toBeLessThanOrEqual(2 + (performance.now() - began) / 1_000)
  expect(JSON.stringify(lines())).toMatch(/the disk of the server at [^"]* is full \(53100\)/)
  giveBack()
  await until('{"status":"ready","reasons":[]}')
  expect(await call()).toBe(200)
  await stop()
  await server.stop()
})
