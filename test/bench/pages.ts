/**
 * `bun run bench:pages [--people N] [--companies N] [--visits N] [--rounds N] [--seconds S] [--look S] [--served N] [--elsewhere]`
 *
 * How long the server takes for each kind of page, and how long that is, one request after the other, on a PostgreSQL that
 * this starts: from the request to the last byte, without a socket. The targets are 50 ms and 60 kB for any page; those that miss
 * one are named. `turn` is the longest turn of the event loop that a visit takes, by the processor time of the thread: what a call
 * of the API waits at worst that comes meanwhile.
 * Then the API's latency with and without 50 people who browse from a process of their own, in
 * alternating rounds of S seconds (none with `--rounds 0`): the target is a p99 of at most 1.25 times. The server has served N pages
 * by then; with `--served 0` only those of the four rounds that are not counted, and it still compiles. With `--elsewhere` also while
 * they browse another server of the machine. Where the disk stalls, `TMPDIR=/dev/shm` has PostgreSQL's files in memory, which gives other figures. And how long exports and
 * bulk searches hold the event loop (`blocking.ts`).
 */
import { parseArgs } from 'node:util'
import { readConfig } from '../../src/config.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { createLog } from '../../src/log.ts'
import { incoming } from '../../src/runtime.ts'
import { openService } from '../../src/server/service/service.ts'
import type { WebFetch } from '../../src/site/frame/app.ts'
import { serve } from '../helpers/command.ts'
import { benchDatabase, makeAccounts } from './bench-database.ts'
import { tellBeside } from './beside.ts'
import { blockingTimes, spreadOf } from './blocking.ts'
import { measureBrowsing } from './browsing.ts'
import type { Reader } from './full-account.ts'
import { rounded } from './medians.ts'
import type { Kinds } from './page-kinds.ts'
import { makeMix } from './requests.ts'
import { turnsOf, waitOf } from './turns.ts'
import { prepareVisits, type Visits } from './visited.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    visits: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '20' },
    // Somebody who reads. With 1, fifty people who only click.
    look: { type: 'string', default: '5' },
    // What fifty people who read open in 17 minutes.
    served: { type: 'string', default: '10000' },
    // Rounds between, in which they browse another server on the same database: what sharing the machine costs.
    elsewhere: { type: 'boolean', default: false },
  },
})
const TARGET_MS = 50
const TARGET_BYTES = 60_000
const TARGET_TIMES = 1.25
/** The readers here are few and quick: no limit on pages is in their way. */
const NO_LIMITS = { PAGES_PER_MINUTE: '1000000', PAGES_PER_DAY: '1000000' }
const READERS = 50
const API_PER_SECOND = 150
const ACCOUNTS = 1_000
/** Of each kind, with a look at each turn of the event loop. */
const TURN_VISITS = 50
/** An address may open only 60 invitations in a quarter of an hour, and all readers come from one. */
const LIMITED_KIND = 'invitation'
const visits = Number(options.visits)
const served = Number(options.served)
if (!Number.isSafeInteger(served) || served < 0) {
  throw new Error(`--served is ${options.served}; it takes a whole number, 0 for none`)
}
let lastAddress = 0
/** The turns of all visits that were looked at. */
const seen = { turns: [] as number[], visits: 0 }

const [people, companies] = [Number(options.people), Number(options.companies)]
const bench = await benchDatabase(people, companies)
const database = connect({ url: bench.url, connections: 4 })
try {
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  const prepared = await prepareVisits(database, bench.sql, { companies, readers: READERS })
  if (Number(options.visits) > 0) await measurePages(prepared)
  if (Number(options.rounds) > 0) await measureApi(keys, prepared)
} finally {
  await database.close()
  await bench.close()
}

async function measurePages({ visited, files, readers: [owner] }: Visits) {
  const pools: Database[] = []
  const pool = (connections: number) => {
    const opened = connect({ url: bench.url, connections })
    pools.push(opened)
    return opened
  }
  const service = await openService(readConfig(NO_LIMITS), { database, pool }, createLog('silent'))
  const { web } = await service.hosts('http://api.test', 'http://app.test')
  const figures: ({ kind: string } & Awaited<ReturnType<typeof measure>>)[] = []
  for (const { whose, kinds, headers } of visited) {
    for (const [kind, addressOf] of Object.entries(kinds)) {
      figures.push({ kind: kind + whose, ...(await measure(web, addressOf, headers, visits)) })
    }
  }
  console.table(figures)
  console.log(turnsTold(figures.map(({ turnP99Ms }) => turnP99Ms)))
  const perSecond = READERS / Number(options.look)
  const waitMs = rounded(waitOf(seen.turns, seen.visits, perSecond, 0.99))
  console.log(
    `p99 of what a call waits for a turn of a page, at ${perSecond} pages a second: ${waitMs} ms`,
  )
  // Files take as long as their rows, so that fewer visits have to do.
  const ofFiles = Object.entries(files).map(async ([kind, addressOf]) => {
    const headers = { cookie: owner.cookie }
    return { kind, ...(await measure(web, addressOf, headers, Math.ceil(visits / 20))) }
  })
  console.table(await Promise.all(ofFiles))
  const worst = Math.max(...figures.map(({ maxMs }) => maxMs))
  console.log(`slowest visit ${worst} ms, target ${TARGET_MS} ms`, service.directory.counts)
  const missing = figures.filter((it) => it.p99Ms > TARGET_MS || it.mostBytes > TARGET_BYTES)
  const told = missing.map((it) => `${it.kind}: p99 ${it.p99Ms} ms, ${it.mostBytes} bytes`)
  console.log(`pages that miss ${TARGET_MS} ms (p99) or ${TARGET_BYTES} bytes: ${told.length}`)
  for (const line of told) console.log(`  ${line}`)
  const people = await bench.sql<{ name: string }[]>`
    select last_name as name from people order by id limit 200`
  console.table(
    blockingTimes(
      service.directory,
      people.map(({ name }) => name),
    ),
  )
  await service.stop()
  await Promise.all(pools.map((opened) => opened.close()))
}

/** How many kinds of pages hold the event loop for how long. */
function turnsTold(turns: readonly number[]): string {
  const over = (ms: number) => turns.filter((one) => one > ms).length
  const steps = [1, 2, 3, 5, 10].map((ms) => `${over(ms)} over ${ms} ms`)
  return `longest turns (p99) of ${turns.length} kinds: ${steps.join(', ')}`
}

/** A new one each time: an address may see so many pages. */
function newAddress(): string {
  const [high, low] = [Math.floor(++lastAddress / 250), lastAddress % 250]
  return `10.${Math.floor(high / 250)}.${high % 250}.${low}`
}

async function measure(
  web: WebFetch,
  addressOf: () => string,
  headers: Record<string, string>,
  visits: number,
) {
  async function visit() {
    const request = new Request(`http://app.test${addressOf()}`, { headers })
    const response = await web(incoming(request, newAddress()))
    // A saved view redirects to its list.
    if (response.status !== 200 && response.status !== 303)
      throw new Error(`${request.url}: ${response.status}`)
    return (await response.arrayBuffer()).byteLength
  }
  // The first visits run uncompiled.
  for (let number = 0; number < Math.min(20, visits); number++) await visit()
  const times: number[] = []
  let [sum, mostBytes] = [0, 0]
  const before = process.cpuUsage()
  for (let number = 0; number < visits; number++) {
    const startedAt = performance.now()
    const bytes = await visit()
    times.push(performance.now() - startedAt)
    sum += bytes
    mostBytes = Math.max(mostBytes, bytes)
  }
  const { user, system } = process.cpuUsage(before)
  const longest: number[] = []
  for (let number = 0; number < Math.min(visits, TURN_VISITS); number++) {
    const turns = await turnsOf(visit)
    longest.push(Math.max(0, ...turns))
    seen.turns.push(...turns)
    seen.visits++
  }
  const turn = spreadOf(longest)
  return {
    ...spreadOf(times),
    turnP50Ms: turn.p50Ms,
    turnP99Ms: turn.p99Ms,
    /** Of this process, all of its threads: what others do on the machine makes it no longer. */
    cpuMs: rounded((user + system) / times.length / 1_000),
    bytes: Math.round(sum / times.length),
    mostBytes,
  }
}

/** The kinds that this reader may open too: some ask for what another account has. Without the one that is limited. */
async function kindsFor(reader: Reader | undefined, appUrl: string, kinds: Kinds): Promise<Kinds> {
  const headers = { cookie: reader?.cookie ?? '' }
  const asked = await Promise.all(
    Object.entries(kinds).map(async ([kind, addressOf]) => {
      if (kind === LIMITED_KIND) return []
      const response = await fetch(appUrl + addressOf(), { headers })
      await response.arrayBuffer()
      return response.ok ? [[kind, addressOf] as const] : []
    }),
  )
  return Object.fromEntries(asked.flat())
}

async function measureApi(keys: readonly string[], { readers, kinds }: Visits) {
  const environment = { DATABASE_URL: bench.url, LOG_LEVEL: 'error', ...NO_LIMITS }
  const server = await serve(environment)
  const elsewhere = options.elsewhere ? await serve(environment) : undefined
  const measured = await measureBrowsing({
    apiUrl: server.apiUrl,
    appUrl: server.appUrl,
    elsewhereUrl: elsewhere?.appUrl,
    requests: await makeMix(bench.sql, keys, ACCOUNTS),
    perSecond: API_PER_SECOND,
    readers,
    kinds: await kindsFor(readers.at(-1), server.appUrl, kinds),
    lookMs: Number(options.look) * 1_000,
    served,
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
    pids: { server: server.pid, postgres: bench.server.pid },
  })
  await Promise.all([server.stop(), elsewhere?.stop()])
  tellBeside(measured, `${READERS} people browsing`, TARGET_TIMES)
}
