/** The supervisor, with workers that serve nothing. */
import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLog } from '../../../src/log.ts'
import {
  type Supervisor,
  type SupervisorOptions,
  supervise,
} from '../../../src/server/service/workers/supervisor.ts'
import { PROJECT_ROOT } from '../../helpers/command.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { sharedDirectory } from '../../helpers/shared.ts'

const LINK = join(PROJECT_ROOT, 'src/server/service/workers/link.ts')

const directory = sharedDirectory()
let supervisor: Supervisor
let logged: string[] = []
let files = 0

afterEach(() => supervisor.stop())

/**
 * Starts workers that run `script`, which finds the supervisor as `link`, the worker's number as `number` and how
 * often it was started before as `earlier`.
 */
function start(script: string, limits: SupervisorOptions['limits'] = {}, count = 1) {
  logged = []
  const file = join(directory.path, `starts-${files++}`)
  const command = (number: number) =>
    [
      process.execPath,
      '-e',
      `import { appendFileSync, readFileSync } from 'node:fs'
       import { linkToSupervisor } from ${JSON.stringify(LINK)}
       const number = ${number}
       const file = ${JSON.stringify(file)} + '-' + number
       appendFileSync(file, '.')
       const earlier = readFileSync(file).length - 1
       const link = linkToSupervisor()
       link.stopAsked.then(() => globalThis.stays ?? process.exit(0))
       ${script}`,
    ] as const
  supervisor = supervise({
    count,
    command,
    limits,
    log: createLog('info', (line) => logged.push(line)),
  })
  return supervisor
}

/** Resolves once so many workers were replaced. */
async function untilRestarts(restarts: number) {
  while (supervisor.counts.restarts < restarts)
    await new Promise((resolve) => setTimeout(resolve, 10))
}

const reasons = () => logged.map((line) => JSON.parse(line).reason)

test('a worker that ends is replaced, also while another still loads, and the log says which one and why', async () => {
  await start(
    `if (number === 1) await new Promise((resolve) => setTimeout(resolve, 300))
     await link.send({ type: 'ready' })
     if (number === 2 && earlier === 0) process.exit(7)`,
    {},
    2,
  ).ready
  await untilRestarts(1)
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'error', worker: 2, reason: 'it ended with exit code 7' }),
  ])
  expect(supervisor.counts).toEqual({ alive: 2, restarts: 1 })
})

test('a worker that was killed is replaced', async () => {
  await start(
    `await link.send({ type: 'ready' }); if (earlier === 0) process.kill(process.pid, 'SIGKILL')`,
  ).ready
  await untilRestarts(1)
  expect(reasons()).toEqual([expect.stringContaining('killed by SIGKILL')])
})

test.skipIf(!process.env.WORKER_WAITS)(
  'a worker whose event loop stands still is killed and replaced',
  async () => {
    await start(`await link.send({ type: 'ready' }); if (earlier === 0) for (;;);`, {
      silentSeconds: 1,
    }).ready
    await untilRestarts(1)
    expect(reasons()).toEqual(['it hung for 1 s and was killed'])
  },
)

test.skipIf(!process.env.WORKER_WAITS)(
  'one that loads for longer than that is let finish, and one that hangs while it starts is killed',
  async () => {
    const { ready } = start(
      `const end = performance.now() + (number === 1 ? 2_500 : 1e9)
       while (performance.now() < end);
       await link.send({ type: 'ready' })`,
      { silentSeconds: 1, silentStartSeconds: 4 },
      2,
    )
    await expectRejection(ready, new Error('it hung for 4 s and was killed'))
    expect(supervisor.counts.alive).toBe(1)
  },
)

test('where the first start fails, the reason is the worker’s own', async () => {
  const { ready } = start(
    `await link.send({ type: 'failed', reason: 'there is no index', mayPass: true }); process.exit(1)`,
  )
  await expectRejection(ready, new Error('there is no index'))
})

test('a worker that can’t be started again ends the service with its reason', async () => {
  const { ready, failed } = start(
    `if (earlier === 0) await link.send({ type: 'ready' })
     else await link.send({ type: 'failed', reason: 'the port is taken', mayPass: false })
     process.exit(1)`,
    { failedStarts: 2 },
  )
  await ready
  await expectRejection(failed, new Error('worker 1 failed to start 2 times: the port is taken'))
})

test.skipIf(!process.env.WORKER_WAITS)(
  'what may pass, as an outage of the database, is tried for as long as it takes',
  async () => {
    await start(
      `if (earlier % 4 === 0) await link.send({ type: 'ready' })
     else await link.send({ type: 'failed', reason: 'the database is away', mayPass: true })
     if (earlier < 4) process.exit(1)`,
      { failedStarts: 2 },
    ).ready
    await untilRestarts(4)
    expect(reasons().slice(1)).toEqual(Array(3).fill('the database is away'))
    expect(supervisor.counts.alive).toBe(1)
  },
)

test('stopping waits for workers that finish, and kills one that does not', async () => {
  await start(
    `if (number === 2) globalThis.stays = true; await link.send({ type: 'ready' })`,
    { stopMs: 300 },
    2,
  ).ready
  await supervisor.stop()
  expect(supervisor.counts.alive).toBe(0)
  expect(logged).toEqual([])
})
