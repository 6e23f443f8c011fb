/**
 * Pages, calls and first calls of real keys while strangers send made-up keys and cookies, and while nobody does, in
 * alternating rounds. Processor time is told beside: on a machine of two cores the strangers take some themselves.
 * Options: --rounds 3 --seconds 10 --per-second 2000
 */

import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connect } from '../../src/database/client.ts'
import { serve } from '../helpers/command.ts'
import { benchDatabase, makeAccounts } from './bench-database.ts'
import { startOthers } from './beside.ts'
import { cpuSeconds } from './cpu.ts'
import { makeReaders } from './full-account.ts'
import type { LoadRequest } from './http-load.ts'
import { median, rounded } from './medians.ts'
import { startSteadyLoad } from './steady-load.ts'
import type { Strangers } from './strangers.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    'per-second': { type: 'string', default: '2000' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)

const KINDS = {
  page: 20,
  call: 50,
  'first call': 10,
} as const
type Kind = keyof typeof KINDS

const bench = await benchDatabase(2_000, 500)
const database = connect({ url: bench.url, connections: 2 })
const readers = await makeReaders(database, 20)
const perRound = KINDS['first call'] * (seconds + 2)
const { keys } = await makeAccounts(bench.sql, 100 + perRound * (rounds * 2 + 1))
await database.close()
await bench.sql`analyze`
const server = await serve({
  DATABASE_URL: bench.url,
  TRUSTED_PROXIES: '127.0.0.1',
  LOG_LEVEL: 'error',
})

const call = (key: string, path: string): LoadRequest => ({
  method: 'GET',
  path,
  headers: { authorization: `Bearer ${key}` },
})
const pages = readers.map(
  ({ cookie }): LoadRequest => ({ method: 'GET', path: '/keys', headers: { cookie } }),
)
const calls = keys.splice(0, 100).map((key) => call(key, '/v1/people?limit=10'))

/** Real keys that this server has not seen yet. */
const firstCalls = () => keys.splice(0, perRound).map((key) => call(key, '/v1/me'))

async function round(isFlooded: boolean) {
  const { apiUrl, appUrl } = server
  const perSecond = Number(values['per-second'])
  const told: Strangers = { apiUrl, appUrl, perSecond }
  const others = isFlooded ? await startOthers('strangers.ts', told) : undefined
  await pause(1_000)
  const used = () => [cpuSeconds(server.pid), cpuSeconds(bench.server.pid)] as const
  const before = used()
  const loads = {
    page: startSteadyLoad(appUrl, pages, KINDS.page),
    call: startSteadyLoad(apiUrl, calls, KINDS.call),
    'first call': startSteadyLoad(apiUrl, firstCalls(), KINDS['first call']),
  }
  await pause(seconds * 1_000)
  const after = used()
  const figures = await Promise.all(
    (Object.keys(KINDS) as Kind[]).map(async (kind) => ({ kind, ...(await loads[kind].stop()) })),
  )
  await others?.stop()
  const [serverCpu, postgresCpu] = after.map((now, at) => rounded((now - before[at]!) / seconds))
  return figures.map(({ kind, asked, p50Ms, p99Ms, failed, statuses }) => ({
    ...{ kind, strangers: isFlooded, asked, p50Ms: rounded(p50Ms), p99Ms: rounded(p99Ms) },
    ...{ failed, statuses, serverCpu, postgresCpu },
  }))
}

try {
  await round(true)
  const measured: Awaited<ReturnType<typeof round>> = []
  for (let number = 0; number < rounds; number++) {
    for (const isFlooded of number % 2 === 0 ? [false, true] : [true, false]) {
      measured.push(...(await round(isFlooded)))
    }
  }
  console.table(measured)
  for (const kind of Object.keys(KINDS)) {
    const p50 = (isFlooded: boolean) =>
      median(
        measured
          .filter((it) => it.kind === kind && it.strangers === isFlooded)
          .map(({ p50Ms }) => p50Ms),
      )
    console.log(`${kind}: p50 ${rounded(p50(true) / p50(false))} times that without strangers`)
  }
} finally {
  await server.stop()
  await bench.close()
}
