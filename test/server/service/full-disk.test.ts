/** A full disk under either database, on a small file system of its own; only root can mount one. What clients, balancers and the log see. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../../src/config.ts'
import { openDatabase } from '../../../src/database/open.ts'
import { createLog } from '../../../src/log.ts'
import { incoming } from '../../../src/runtime.ts'
import { openService } from '../../../src/server/service/service.ts'
import { newCaller } from '../../helpers/caller.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../../helpers/command.ts'
import { fixtures } from '../../helpers/fixtures.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { startPostgres } from '../../helpers/postgres.ts'

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

/** Databases whose files are on the small disk, and what the log says of them once that is full. */
const DATABASES = {
  PostgreSQL: {
    words: /the disk of the server at [^"]* is full \(53100\)/,
    async open() {
      process.env.TMPDIR = directory.path
      try {
        const server = await startPostgres()
        return { databaseUrl: server.url('postgres'), stop: server.stop }
      } finally {
        if (TMPDIR === undefined) delete process.env.TMPDIR
        else process.env.TMPDIR = TMPDIR
      }
    },
  },
  'the embedded database': {
    words: /the disk is full \(53100\)/,
    open: async () => ({ databaseUrl: undefined, stop: async () => {} }),
  },
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
async function serveOn(databaseUrl: string | undefined) {
  const dataDir = join(directory.path, 'data')
  const open = await openDatabase({ databaseUrl, dataDir }, { deadlineMs: PATIENCE_MS })
  const { database } = open
  await fixtures(database)
  const logged: { message: string; reason?: string; count?: number; reasons?: object }[] = []
  const log = createLog('info', (line) => logged.push(JSON.parse(line)))
  const options = { keepsHouse: false, maxWaitMs: PATIENCE_MS }
  const service = await openService(readConfig({ REQUEST_LOG: 'off' }), open, log, options)
  const { api, web } = await service.hosts('http://api.test', 'http://app.test')
  const { key } = await newCaller(database, { credits: 1_000_000 })
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
      await open.close()
    },
  }
}

test.each(Object.entries(DATABASES))(
  'while a full disk of %s refuses charges a server is not ready, says so in words and one line a second, and is ready again with space, though nobody calls',
  async (_, { open, words }) => {
    if (!isMounted) return
    const server = await open()
    const { logged, call, readiness, stop } = await serveOn(server.databaseUrl)
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
    expect(JSON.stringify(lines())).toMatch(words)
    giveBack()
    await until('{"status":"ready","reasons":[]}')
    expect(await call()).toBe(200)
    await stop()
    await server.stop()
  },
)
