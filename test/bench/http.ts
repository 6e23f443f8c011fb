/**
 * `bun run bench:http [--people N] [--companies N] [--seconds S] [--rounds N] [--workers N] [--out F]`
 *
 * The whole server under load, on a PostgreSQL that this starts: a mix of 40 % search, 30 % lists with filters, 20 %
 * single reads and 10 % reads of unlocked contacts, in turns with the same by callers that take gzip, and with a bare
 * one-row UPDATE + INSERT per call at as many in flight; then one connection; steady loads of 30, 50 and 70 % of the mix's rate; GET /v1/me, and a static response of the mix's
 * mean size, to see what each layer costs; one account flooding while the others call; last, the mix on so many workers.
 *
 * Beside each figure stands what a call took of the processors, by which the limit can be computed: so many calls a
 * second at most as the cores have microseconds for, and one worker's thread no more than 1e6 over `serverUs`.
 */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { listen } from '../../src/runtime.ts'
import { type Server, serve } from '../helpers/command.ts'
import { type BareFigures, bare, bareByPgbench, prepareBare } from './bare.ts'
import { benchDatabase, makeAccounts } from './bench-database.ts'
import { type LoadRequest, loadServer } from './http-load.ts'
import { countCosts, measureLoad, warmUp } from './measured-load.ts'
import { medians, rounded } from './medians.ts'
import { makeMix } from './requests.ts'
import { startSteadyLoad } from './steady-load.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    workers: { type: 'string', default: '2' },
    out: { type: 'string', default: join(tmpdir(), 'chainkin-bench-http.json') },
  },
})
const SECONDS = Number(options.seconds)
const ROUNDS = Number(options.rounds)
const WORKERS = Number(options.workers)
const ACCOUNTS = 10_000
const CONNECTIONS = 64
/** Distinct requests that a run draws from: one of each account. */
const REQUESTS = 10_000
/** About the mean size of the mix's answers. */
const MEAN_BYTES = 12_000
/** At most, before figures count. */
const WARM_SECONDS = 60
/** Of the mix's rate, in the steady loads: where they share two cores with PostgreSQL, the last waits for a core most of all. */
const STEADY_SHARES = [0.3, 0.5, 0.7]

interface Figures extends BareFigures {
  name: string
  share200?: number
}

const bench = await benchDatabase(Number(options.people), Number(options.companies))
const { url, sql } = bench
try {
  const { keys, accounts } = await makeAccounts(sql, ACCOUNTS)
  await prepareBare(sql)
  const where = { url, sql, accounts, postgresPid: bench.server.pid }
  const mix = await makeMix(sql, keys, REQUESTS)
  const compressed = mix.map(({ headers, ...one }) => ({
    ...one,
    headers: { ...headers, 'accept-encoding': 'gzip' },
  }))
  const figures: Figures[] = []
  const note = (one: Figures) => {
    figures.push(one)
    console.log(`${one.name}: ${one.perSecond} a second`)
    return one
  }
  /** The bare statement and the mix in turns, so that whatever else the machine does falls on both. */
  const inTurns = async (server: Server, workers: number, connections: number) => {
    await warmUp(server.apiUrl, mix, CONNECTIONS, WARM_SECONDS)
    const rounds: { bare: BareFigures; mix: Figures; gzip: Figures }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({
        bare: await bare(where, connections, SECONDS),
        mix: await load('', server.apiUrl, server.pid, mix, connections),
        gzip: await load('', server.apiUrl, server.pid, compressed, connections),
      })
    }
    const how = `${connections} in flight, ${workers} worker${workers > 1 ? 's' : ''}`
    return {
      bare: note({ name: `bare statement, ${how}`, ...medians(rounds.map((one) => one.bare)) }),
      gzip: note({ name: `mix by gzip, ${how}`, ...medians(rounds.map((one) => one.gzip)) }),
      mix: note({ name: `mix, ${how}`, ...medians(rounds.map((one) => one.mix)) }),
    }
  }

  let api = await serve({ DATABASE_URL: url, LOG_LEVEL: 'error' })
  const many = await inTurns(api, 1, CONNECTIONS)
  const single = await inTurns(api, 1, 1)
  const steady: Figures[] = []
  for (const share of STEADY_SHARES)
    steady.push(note(await steadyLoad(api, mix, many.mix.perSecond, share)))
  const [quiet, flooded] = await flood(api, mix, keys)
  note(quiet)
  note(flooded)
  const me = mix.map((one) => ({ ...one, path: '/v1/me' }))
  await warmUp(api.apiUrl, me, CONNECTIONS, WARM_SECONDS)
  note(await load('GET /v1/me', api.apiUrl, api.pid, me, CONNECTIONS))
  await api.stop()
  note(await staticResponse(mix))
  const pgbench = await bareByPgbench(where, CONNECTIONS, SECONDS)
  if (pgbench) note({ name: `bare statement by pgbench, ${CONNECTIONS} in flight`, ...pgbench })

  const targets = [
    target('mix over bare, 64 in flight', many.mix.perSecond / many.bare.perSecond, 'least', 0.8),
    target('p50 with 1 connection over bare', single.mix.p50Ms / single.bare.p50Ms, 'most', 2),
    target("p99 at 70 % of the mix's rate, ms", steady.at(-1)?.p99Ms ?? Number.NaN, 'most', 5),
    target("others' p99 with a flood over without", flooded.p99Ms / quiet.p99Ms, 'most', 1.5),
  ]
  if (WORKERS > 1) {
    api = await serve({ DATABASE_URL: url, LOG_LEVEL: 'error' }, ['--workers', options.workers])
    const two = await inTurns(api, WORKERS, CONNECTIONS)
    await api.stop()
    const what = `mix over bare, 64 in flight, ${WORKERS} workers`
    targets.push(target(what, two.mix.perSecond / two.bare.perSecond, 'least', 1))
  }
  console.table(figures)
  console.table(targets)
  await writeFile(options.out, JSON.stringify({ options, figures, targets }, null, 2))
  console.log(`written to ${options.out}`)
} finally {
  await bench.close()
}

function target(what: string, figure: number, bound: 'least' | 'most', asked: number) {
  const met = bound === 'least' ? figure >= asked : figure <= asked
  return { what, figure: rounded(figure), asked: `at ${bound} ${asked}`, met }
}

async function load(
  name: string,
  base: string,
  serverPid: number,
  requests: readonly LoadRequest[],
  connections: number,
): Promise<Figures> {
  const processes = { server: serverPid, postgres: bench.server.pid }
  const measured = await measureLoad(base, processes, requests, connections, SECONDS)
  const { perSecond, p50Ms, p99Ms, share200, serverUs, postgresUs, loadUs } = measured
  return { name, perSecond, p50Ms, p99Ms, share200, serverUs, postgresUs, loadUs }
}

/** `perSecond` is what was asked, this share of the most; a server that can't keep up answers later and later. */
async function steadyLoad(
  { apiUrl, pid }: Server,
  requests: readonly LoadRequest[],
  most: number,
  share: number,
): Promise<Figures> {
  const costs = countCosts({ server: pid, postgres: bench.server.pid })
  const running = startSteadyLoad(apiUrl, requests, most * share)
  await pause(SECONDS * 1_000)
  const { asked, p50Ms, p99Ms, longestMs, lateP99Ms, failed } = await running.stop()
  return {
    name: `mix at ${share * 100} % of its rate, longest ${longestMs.toFixed(1)} ms, sent ${lateP99Ms.toFixed(1)} ms late (p99)`,
    perSecond: Math.round(asked / SECONDS),
    p50Ms: rounded(p50Ms),
    p99Ms: rounded(p99Ms),
    share200: 1 - failed / asked,
    ...costs(asked),
  }
}

async function staticResponse(requests: readonly LoadRequest[]): Promise<Figures> {
  const body = 'x'.repeat(MEAN_BYTES)
  const listener = listen({ host: '127.0.0.1', port: 0, fetch: () => new Response(body) })
  const base = `http://127.0.0.1:${listener.port}`
  const name = `static, ${MEAN_BYTES} bytes`
  const figures = await load(name, base, process.pid, requests, CONNECTIONS)
  await listener.stop()
  return figures
}

/** The others at a moderate load, without and with one account calling as fast as it can. */
async function flood(
  { apiUrl, pid }: Server,
  mix: readonly LoadRequest[],
  keys: readonly string[],
): Promise<[quiet: Figures, flooded: Figures]> {
  const connections = 16
  const authorization = `Bearer ${keys[0]}`
  const others = mix.filter(({ headers }) => headers.authorization !== authorization)
  const quiet = await load('others, no flood', apiUrl, pid, others, connections)
  const flooder: LoadRequest[] = [
    { method: 'GET', path: '/v1/projects?limit=1', headers: { authorization } },
  ]
  const flooding = loadServer(apiUrl, flooder, connections, SECONDS + 2)
  await pause(1_000)
  const flooded = await load('others, one account floods', apiUrl, pid, others, connections)
  await flooding
  return [quiet, flooded]
}
