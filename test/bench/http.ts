/**
 * The whole server under load on a PostgreSQL that this starts; needs `wrk` and `pgbench`.
 *
 *   bun run bench http [--people N] [--companies N] [--in-flight 1,4,16,32,64] [--seconds S] [--rounds N]
 *     [--steady 300] [--workers N] [--out FILE]
 *
 * A mix of 40 % search, 30 % lists with filters, 20 % single records and 10 % unlocked contacts, in turns with a bare one-row
 * UPDATE + INSERT at each number of calls in flight; `GET /v1/me`; calls sent at fixed times, to a server that has just
 * started and to the warm one; one account that floods while the others call; last, the mix on several workers.
 *
 * `serverUs`, `postgresUs` and `loadUs` are microseconds of processor time for each call: one worker's thread answers at most
 * 1e6 / serverUs calls a second.
 */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Server, serve } from '../helpers/command.ts'
import { bare, prepareBare } from './bare.ts'
import { benchDatabase, makeAccounts } from './bench-database.ts'
import { rounded } from './figures.ts'
import {
  countCosts,
  type LoadFigures,
  type LoadRequest,
  loadServer,
  medians,
  warmUp,
} from './load.ts'
import { makeMix } from './requests.ts'
import { startSteadyLoad } from './steady-load.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    'in-flight': { type: 'string', default: '1,4,16,32,64' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    steady: { type: 'string', default: '300' },
    workers: { type: 'string', default: '2' },
    out: { type: 'string', default: join(tmpdir(), 'chainkin-bench-http.json') },
  },
})
const SECONDS = Number(options.seconds)
const ROUNDS = Number(options.rounds)
const WORKERS = Number(options.workers)
const IN_FLIGHT = options['in-flight'].split(',').map(Number)
const ACCOUNTS = 10_000
const WARM_CONNECTIONS = 64
const WARM_SECONDS = 60
const FLOOD_CONNECTIONS = 16

interface Figures extends LoadFigures {
  name: string
  share200?: number
  p999Ms?: number
  longestMs?: number
}

const figures: Figures[] = []
const bench = await benchDatabase(Number(options.people), Number(options.companies))
try {
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  await prepareBare(bench.sql)
  const mix = await makeMix(bench.sql, keys, ACCOUNTS)
  const one = await serve({ DATABASE_URL: bench.url, LOG_LEVEL: 'error' })
  await measureSteady(one, mix, 'a new server')
  await warm(one, mix)
  for (const inFlight of IN_FLIGHT) await measureInTurns(one, mix, inFlight, 1)
  await measureSteady(one, mix, 'a warm server')
  await measureFlood(one, mix, keys[0] ?? '')
  const me = mix.map((request) => ({ ...request, path: '/v1/me' }))
  await warm(one, me)
  note(await load(one, 'GET /v1/me', me, WARM_CONNECTIONS))
  await one.stop()
  if (WORKERS > 1) {
    const arguments_ = ['--workers', options.workers]
    const several = await serve({ DATABASE_URL: bench.url, LOG_LEVEL: 'error' }, arguments_)
    await warm(several, mix)
    await measureInTurns(several, mix, WARM_CONNECTIONS, WORKERS)
    await several.stop()
  }
  console.table(figures)
  await writeFile(options.out, JSON.stringify({ options, figures }, null, 2))
  console.log(`written to ${options.out}`)
} finally {
  await bench.close()
}

function note(one: Figures): Figures {
  figures.push(one)
  console.log(`${one.name}: ${one.perSecond} a second, p50 ${rounded(one.p50Ms)} ms`)
  return one
}

function warm({ apiUrl, pid }: Server, requests: readonly LoadRequest[]): Promise<void> {
  const processes = { server: pid, postgres: bench.server.pid }
  return warmUp(apiUrl, processes, requests, WARM_CONNECTIONS, WARM_SECONDS)
}

async function load(
  { apiUrl, pid }: Server,
  name: string,
  requests: readonly LoadRequest[],
  connections: number,
): Promise<Figures> {
  const processes = { server: pid, postgres: bench.server.pid }
  const { requests: _, ...measured } = await loadServer(
    apiUrl,
    processes,
    requests,
    connections,
    SECONDS,
  )
  return { name, ...measured }
}

/** Rounds of the bare statement and of the mix in turns, so that other work of the machine falls on both. */
async function measureInTurns(
  server: Server,
  mix: readonly LoadRequest[],
  inFlight: number,
  workers: number,
): Promise<void> {
  const where = { url: bench.url, accounts: ACCOUNTS, postgresPid: bench.server.pid }
  const rounds: { bare: LoadFigures; mix: Figures }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      bare: await bare(where, inFlight, SECONDS),
      mix: await load(server, '', mix, inFlight),
    })
  }
  const how = `${inFlight} in flight, ${workers} worker${workers > 1 ? 's' : ''}`
  const floor = note({ name: `bare, ${how}`, ...medians(rounds.map((round) => round.bare)) })
  const mixed = note({ name: `mix, ${how}`, ...medians(rounds.map((round) => round.mix)) })
  const share = rounded(mixed.perSecond / floor.perSecond)
  console.log(
    `  ${share} of the bare rate, p50 ${rounded(mixed.p50Ms / floor.p50Ms)} times the bare one`,
  )
}

/** Calls at fixed times; a server that can't keep up answers later and later. */
async function measureSteady(
  { apiUrl, pid }: Server,
  mix: readonly LoadRequest[],
  what: string,
): Promise<void> {
  const costs = countCosts({ server: pid, postgres: bench.server.pid })
  const running = startSteadyLoad(apiUrl, mix, Number(options.steady))
  await pause(SECONDS * ROUNDS * 1_000)
  const { calls, failed, lateP99Ms, ...times } = await running.stop()
  note({
    name: `mix at fixed times, ${what}, sent ${rounded(lateP99Ms)} ms late (p99)`,
    perSecond: Math.round(calls / (SECONDS * ROUNDS)),
    ...times,
    share200: 1 - failed / calls,
    ...costs(calls),
  })
}

/** The others' calls without and with one account that calls as fast as it can. */
async function measureFlood(
  server: Server,
  mix: readonly LoadRequest[],
  floodingKey: string,
): Promise<void> {
  const authorization = `Bearer ${floodingKey}`
  const others = mix.filter(({ headers }) => headers.authorization !== authorization)
  const path = '/v1/projects?limit=1'
  const processes = { server: server.pid, postgres: bench.server.pid }
  note(await load(server, 'others, no flood', others, FLOOD_CONNECTIONS))
  const flooding = loadServer(
    server.apiUrl,
    processes,
    [{ method: 'GET', path, headers: { authorization } }],
    FLOOD_CONNECTIONS,
    SECONDS + 2,
  )
  await pause(1_000)
  note(await load(server, 'others, one account floods', others, FLOOD_CONNECTIONS))
  await flooding
}
