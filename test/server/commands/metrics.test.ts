/** The metrics page, of one process and of several. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { COMMIT } from '../../../src/commit.ts'
import { API_VERSION } from '../../../src/contract/version.ts'
import { printed } from '../../../src/server/commands/print.ts'
import { newCaller } from '../../helpers/caller.ts'
import { get, serve } from '../../helpers/command.ts'
import { ADA, fixtures } from '../../helpers/fixtures.ts'
import { sharedDatabase, sharedDirectory, sharedServer } from '../../helpers/shared.ts'

const db = sharedDatabase(fixtures)
const directory = sharedDirectory()
const env = (workers: string) => ({
  DATABASE_URL: db.url,
  METRICS_PORT: '0',
  BACKUP_DIR: directory.path,
  WORKERS: process.platform === 'linux' ? workers : '1',
})
let key: string

beforeAll(async () => {
  key = (await newCaller(db.database, { credits: 1_000 })).key
})

/** The page as a map from `name{labels}` to the value; each line of it has Prometheus' form. */
async function metricsOf(url: string) {
  const response = await fetch(url)
  expect(response.headers.get('content-type')).toStartWith('text/plain; version=0.0.4')
  const text = await response.text()
  const values = new Map<string, number>()
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('# '))) {
    const parts = /^([a-z_]+(?:\{(?:[a-z]+="[^"]*",?)+\})?) ([\d.e+-]+)$/.exec(line)
    expect([line, parts !== null]).toEqual([line, true])
    values.set(parts?.[1] ?? '', Number(parts?.[2]))
  }
  return { text, values }
}

/** 5 lists, 2 reads of a person with the channels, a request that is refused, and one for nothing. */
async function callAround(apiUrl: string) {
  const paths = [
    ...Array<string>(5).fill('/v1/people?q=ada'),
    ...Array<string>(2).fill(`/v1/people/${ADA.slug}?include=private`),
    '/v1/search',
    `/v1/nothing/${ADA.id}`,
  ]
  await Promise.all(paths.map((path) => get(`${apiUrl}${path}`, key)))
}

describe.each([
  { name: 'one process', workers: '1' },
  { name: 'two workers', workers: '2' },
])('$name', ({ workers }) => {
  const server = sharedServer(() => env(workers))
  const metricsUrl = () => JSON.parse(server.output.stdout).metricsUrl

  test('the ready line names the page, and the page sums what all processes counted', async () => {
    await callAround(server.apiUrl)
    await fetch(`${server.appUrl}/docs`)
    const { text, values } = await metricsOf(metricsUrl())
    const count = (name: string) => values.get(name)
    expect(count('chainkin_requests_total{endpoint="/v1/people",status="2xx"}')).toBe(5)
    expect(count('chainkin_requests_total{endpoint="/v1/people/{id}",status="2xx"}')).toBe(2)
    expect(count('chainkin_requests_total{endpoint="/v1/search",status="4xx"}')).toBe(1)
    expect(count('chainkin_requests_total{endpoint="other",status="4xx"}')).toBe(1)
    expect(count('chainkin_requests_total{endpoint="application",status="2xx"}')).toBe(1)
    expect(count('chainkin_request_seconds_count{endpoint="/v1/people"}')).toBe(5)
    expect(count('chainkin_request_seconds_bucket{endpoint="/v1/people",le="+Inf"}')).toBe(5)
    expect(count('chainkin_calls_total{endpoint="/v1/people",outcome="charged"}')).toBe(5)
    expect(count('chainkin_calls_total{endpoint="/v1/search",outcome="refused"}')).toBe(1)
    // The first server's first read unlocks; all others show what is unlocked.
    expect([40, 35]).toContain(count('chainkin_credits_charged_total') ?? 0)
    // A call whose account another worker's group holds is sent again.
    expect(count('chainkin_charge_group_calls_sum')).toBeGreaterThanOrEqual(8)
    const position = values.get('chainkin_directory_position{worker="1"}')
    expect(position).toBeGreaterThan(0)
    expect(count('chainkin_directory_lag_changes{worker="1"}')).toBe(0)
    expect(count('chainkin_resident_memory_bytes{worker="1"}')).toBeGreaterThan(10e6)
    expect(count('chainkin_event_loop_delay_seconds_count')).toBeGreaterThan(0)
    for (const secret of [key, ADA.slug, ADA.id, ADA.email, 'q=ada'])
      expect(text).not.toContain(secret)
  })

  test('the page says once which build answers, and has every metric that the printed alerts name', async () => {
    const { text, values } = await metricsOf(metricsUrl())
    const build = `chainkin_build_info{version="${API_VERSION}",commit="${COMMIT ?? ''}"}`
    expect([build, values.get(build)]).toEqual([build, 1])
    const place = { apiHost: 'api.test', appHost: 'app.test', instances: ['127.0.0.1'] }
    const named = new Set(printed('alerts', place).match(/\bchainkin_[a-z_]+/g))
    expect(named.size).toBeGreaterThan(5)
    const lacking = [...named].filter((name) => !new RegExp(`^${name}[ {]`, 'm').test(text))
    expect(lacking).toEqual([])
  })

  test('the port answers GET /metrics and nothing else', async () => {
    const statuses = await Promise.all([
      fetch(new URL('/', metricsUrl())),
      fetch(metricsUrl(), { method: 'POST' }),
      fetch(new URL('/v1/me', metricsUrl())),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404])
  })
})

test.skipIf(process.platform !== 'linux')(
  'a worker that hangs, is gone or loads is not ready in the metrics until it answers again',
  async () => {
    const server = await serve(env('2'))
    const { metricsUrl } = JSON.parse(server.output.stdout)
    const starts = () =>
      server.output.stderr
        .split('\n')
        .filter((line) => line.includes('"worker ready"'))
        .map((line): { worker: number; pid: number } => JSON.parse(line))
    const [{ worker, pid } = { worker: 0, pid: 0 }] = starts()
    const ready = async () =>
      (await metricsOf(metricsUrl)).values.get(`chainkin_ready{worker="${worker}"}`)
    while ((await ready()) !== 1) await pause(20)
    process.kill(pid, 'SIGSTOP')
    expect(await ready()).toBe(0)
    process.kill(pid, 'SIGKILL')
    await server.said('a worker ended and is replaced')
    do expect(await ready()).toBeOneOf([0, 1])
    while (starts().length < 3)
    while ((await ready()) !== 1) await pause(20)
    await server.stop()
  },
)

test.skipIf(process.platform !== 'linux')(
  'sums never fall when a worker ends; workers and restarts are counted',
  async () => {
    const server = await serve(env('2'))
    const { metricsUrl } = JSON.parse(server.output.stdout)
    await callAround(server.apiUrl)
    const before = await metricsOf(metricsUrl)
    expect(before.values.get('chainkin_workers')).toBe(2)
    const { pid } = JSON.parse(
      server.output.stderr.split('\n').find((line) => line.includes('"worker ready"')) ?? '',
    )
    process.kill(pid, 'SIGKILL')
    await server.said('a worker ended and is replaced')
    let after = await metricsOf(metricsUrl)
    while (after.values.get('chainkin_worker_restarts_total') !== 1) {
      await pause(20)
      after = await metricsOf(metricsUrl)
    }
    for (const [name, value] of before.values) {
      if (/_(total|count|sum|bucket)\b/.test(name)) {
        expect([name, (after.values.get(name) ?? 0) >= value]).toEqual([name, true])
      }
    }
    await server.stop()
  },
)

test.skipIf(process.platform !== 'linux')(
  'a worker that is asked to end tells what it counted before it goes',
  async () => {
    const server = await serve(env('2'))
    await callAround(server.apiUrl)
    for (const line of server.output.stderr
      .split('\n')
      .filter((each) => each.includes('"worker ready"')))
      process.kill(JSON.parse(line).pid, 'SIGTERM')
    while (server.output.stderr.split('a worker ended and is replaced').length < 3) await pause(20)
    const { values } = await metricsOf(JSON.parse(server.output.stdout).metricsUrl)
    expect(values.get('chainkin_requests_total{endpoint="/v1/people",status="2xx"}')).toBe(5)
    await server.stop()
  },
)

test('without METRICS_PORT there is no page; a port of another listener is refused', async () => {
  const server = await serve({ DATABASE_URL: db.url })
  expect(Object.keys(JSON.parse(server.output.stdout))).toEqual(['apiUrl', 'appUrl'])
  await server.stop()
})
