/** `serve` by several workers, which share the ports. */
import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parseWorkers } from '../../../src/config.ts'
import { newCaller } from '../../helpers/caller.ts'
import { get, PATIENT, run, type Server, serve, startOnTerminal } from '../../helpers/command.ts'
import { fixtures } from '../../helpers/fixtures.ts'
import { sharedDatabase, sharedDirectory, sharedServer } from '../../helpers/shared.ts'

const onlyLinux = describe.skipIf(process.platform !== 'linux')

const db = sharedDatabase(fixtures)
const env = () => ({ DATABASE_URL: db.url, WORKERS: '2' })

/** Workers that are ready, from the log. */
const workersOf = ({ output }: Server) =>
  output.stderr
    .split('\n')
    .filter((line) => line.includes('"worker ready"'))
    .map((line): { worker: number; pid: number } => JSON.parse(line))

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function untilGone(pids: readonly number[]) {
  while (pids.some(isRunning)) await pause(20)
}

const newKey = async () => (await newCaller(db.database)).key

/** Requests in hand, so many that each worker has some: they wait for a lock until `release`. */
async function holdRequests(server: Server, count: number) {
  const key = await newKey()
  const held = await db.sql.reserve()
  await held`begin`
  await held`lock table api_keys in access exclusive mode`
  const answers = Promise.allSettled(
    Array.from({ length: count }, () => get(`${server.apiUrl}/v1/me`, key)),
  )
  for (let backends = 0; backends < 2; ) {
    const [row] = await db.sql`
      select count(*)::integer as backends from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`
    backends = row?.backends
  }
  // Connections that the workers have not accepted yet would be reset at the stop, and each is accepted before these.
  await Promise.all(Array.from({ length: 20 }, () => get(`${server.appUrl}/health/live`)))
  const release = async () => {
    await held`commit`
    held.release()
  }
  return { answers, release }
}

onlyLinux('while it serves', () => {
  const server = sharedServer(env, PATIENT)

  test('one ready line; both workers answer at one port, and each line of theirs names its worker', async () => {
    expect(server.output.stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(
      workersOf(server)
        .map(({ worker }) => worker)
        .sort(),
    ).toEqual([1, 2])
    const key = await newKey()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => get(`${server.apiUrl}/v1/me`, key)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await get(`${server.appUrl}/docs`)).status).toBe(200)
    const loaded = server.output.stderr.split('\n').filter((line) => line.includes('loaded'))
    expect(loaded.map((line) => JSON.parse(line).worker).sort()).toEqual([1, 2])
  })

  test('on a terminal they start with words for a person, and the first start prints the link of the first operator', async () => {
    const { child, shown, said } = startOnTerminal(['serve'], env())
    await said('first-operator?token=')
    const [link = ''] = /http\S+first-operator\?token=\S+/.exec(shown()) ?? []
    expect(shown()).toContain(' answers at http://')
    expect((await get(link)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test('its ports are taken for every other service, with workers or without', async () => {
    const { port } = new URL(server.apiUrl)
    const others = ['1', '2'].map((workers) =>
      run(['serve'], { env: { DATABASE_URL: db.url, WORKERS: workers, PORT: port } }),
    )
    for (const { code, stderr } of await Promise.all(others)) {
      expect(code).toBe(1)
      expect(stderr).toContain(
        `can't listen on 127.0.0.1:${port} (the port is taken): set HOST or PORT to another`,
      )
    }
  })

  test('kill -9 of a worker: the other serves on, and a new one takes its place', async () => {
    const [first, second] = workersOf(server)
    process.kill(first?.pid ?? 0, 'SIGKILL')
    await server.said('a worker ended and is replaced')
    const key = await newKey()
    expect((await get(`${server.apiUrl}/v1/me`, key)).status).toBe(200)
    while (workersOf(server).length < 3) await pause(20)
    expect(workersOf(server).at(-1)?.worker).toBe(first?.worker ?? 0)
    expect(isRunning(second?.pid ?? 0)).toBe(true)
  })

  test('SIGTERM lets the requests in hand finish in every worker, then ends with exit 0', async () => {
    const { answers, release } = await holdRequests(server, 16)
    server.kill('SIGTERM')
    for (const { worker } of workersOf(server)) {
      await server.said(`"worker":${worker},"message":"stopping`)
    }
    await release()
    const statuses = (await answers).map((one) => one.status === 'fulfilled' && one.value.status)
    expect(statuses).toEqual(Array(16).fill(200))
    expect((await server.finished).code).toBe(0)
    expect(workersOf(server).filter(({ pid }) => isRunning(pid))).toEqual([])
  })
})

onlyLinux('at its end', () => {
  test('a second signal ends all workers at once', async () => {
    const server = await serve(env(), [], { program: PATIENT })
    const { answers, release } = await holdRequests(server, 16)
    server.kill('SIGTERM')
    await server.said('stopping')
    expect((await server.stopAtOnce()).code).toBe(1)
    await untilGone(workersOf(server).map(({ pid }) => pid))
    await release()
    await answers
  })

  test('kill -9 of the supervisor ends the workers as well', async () => {
    const server = await serve(env())
    server.kill('SIGKILL')
    await untilGone(workersOf(server).map(({ pid }) => pid))
    expect((await fetch(server.apiUrl).catch(() => undefined))?.status).toBeUndefined()
  })

  test('where a port is taken no worker starts', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = String(typeof address === 'object' ? address?.port : 0)
    const { code, stdout, stderr } = await run(['serve'], { env: { ...env(), APP_PORT: port } })
    taken.close()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`(the port is taken): set HOST or APP_PORT to another`)
  })
})

onlyLinux('on the embedded database', () => {
  const directory = sharedDirectory()

  test.skipIf(!process.env.WORKER_WAITS)(
    'the supervisor runs it and makes the demo once; commands beside it work as ever',
    async () => {
      const DATA_DIR = directory.path
      const server = await serve({ DATA_DIR }, ['--demo', '--workers', '2'])
      await server.said('search?q=')
      const key = /ck_live_\w+/.exec(server.output.stderr)?.[0]
      expect((await get(`${server.apiUrl}/v1/projects`, key)).status).toBe(200)
      const { code, stdout } = await run(['account', 'list', '--json'], { env: { DATA_DIR } })
      expect([code, JSON.parse(stdout).accounts.length]).toEqual([0, 1])
      expect((await server.stop()).code).toBe(0)
    },
  )
})

describe('how many', () => {
  test('--workers takes 1 to 64, or auto; anything else is wrong usage', async () => {
    expect([1, 2, 64].map((count) => parseWorkers(String(count)))).toEqual([1, 2, 64])
    expect(parseWorkers('auto')).toBeGreaterThan(0)
    const wrong = ['', '0', '65', 'x', '-1', '1.5', 'AUTO']
    expect(wrong.map(parseWorkers)).toEqual(wrong.map(() => undefined))
    const { code, stderr } = await run(['serve', '--workers=0'])
    expect([code, stderr.includes('a whole number from 1 to 64, or auto')]).toEqual([2, true])
  })

  test('a worker is started by nobody but serve: without a supervisor it ends', async () => {
    const place = ['--of=2', '--port=0', '--app-port=0']
    const { code } = await run(['worker', '1', ...place], { env: { DATABASE_URL: db.url } })
    expect(code).toBe(0)
  })
})
