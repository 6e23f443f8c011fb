/** A server that is asked to stop is left by its balancer before it goes, and no call breaks. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { newCaller } from '../../helpers/caller.ts'
import { get, type Server, serve } from '../../helpers/command.ts'
import { fixtures } from '../../helpers/fixtures.ts'
import { sharedDatabase } from '../../helpers/shared.ts'

const db = sharedDatabase(fixtures)
/** So long that no test waits for its end. */
const LONG = '300'
const env = (workers: string) => ({
  DATABASE_URL: db.url,
  WORKERS: workers,
  DRAIN_SECONDS: LONG,
})
const STOPPING = { status: 'unready', reasons: ['the server is stopping'] }
let key: string

beforeAll(async () => {
  key = (await newCaller(db.database)).key
})

/** On a connection of its own, as a balancer's check is: which worker answers is the kernel's choice. */
async function ready({ appUrl }: Server) {
  const response = await fetch(`${appUrl}/health/ready`, { keepalive: false })
  return { status: response.status, body: await response.json() }
}

/** It says 503, answers calls all the same, and asks for other connections. */
async function expectDraining(server: Server) {
  for (let i = 0; i < 8; i++) {
    expect(await ready(server)).toEqual({ status: 503, body: STOPPING })
    const { status, headers } = await get(`${server.apiUrl}/v1/me`, key)
    expect([status, headers.get('connection')]).toEqual([200, 'close'])
  }
  expect((await get(`${server.appUrl}/health/live`)).status).toBe(200)
}

describe('one process', () => {
  test('after SIGTERM it answers on, not ready; a later signal ends it at once', async () => {
    const server = await serve(env('1'))
    expect((await ready(server)).status).toBe(200)
    expect((await get(`${server.apiUrl}/v1/me`, key)).headers.get('connection')).not.toBe('close')
    server.kill('SIGTERM')
    await server.said('draining')
    await expectDraining(server)
    expect((await server.stopAtOnce()).code).toBe(1)
  })

  test('a Ctrl-C that arrives twice, from the terminal and from `bun run`, stops it as one does', async () => {
    const server = await serve(env('1'))
    server.kill('SIGINT')
    server.kill('SIGINT')
    await Bun.sleep(1)
    expect((await server.stop('SIGINT')).code).toBe(0)
  })

  test('when DRAIN_SECONDS are over it ends with exit 0; SIGINT waits for none of them', async () => {
    const [short, long] = await Promise.all([
      serve({ ...env('1'), DRAIN_SECONDS: '1' }),
      serve(env('1')),
    ])
    const ends = await Promise.all([short.stop('SIGTERM'), long.stop('SIGINT')])
    expect(ends.map(({ code }) => code)).toEqual([0, 0])
    expect(ends.map(({ stderr }) => stderr.includes('draining'))).toEqual([true, false])
  })
})

describe.skipIf(process.platform !== 'linux')('two workers', () => {
  const workersOf = ({ output }: Server): number[] =>
    output.stderr
      .split('\n')
      .filter((line) => line.includes('"worker ready"'))
      .map((line) => JSON.parse(line).pid)

  test('every worker drains, also where the system sends SIGTERM to all processes at once', async () => {
    const server = await serve(env('2'))
    for (const pid of workersOf(server)) process.kill(pid, 'SIGTERM')
    server.kill('SIGTERM')
    for (const worker of [1, 2]) await server.said(`"worker":${worker},"message":"draining`)
    await expectDraining(server)
    expect((await server.stopAtOnce()).code).toBe(1)
  })
})
