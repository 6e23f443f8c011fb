/**
 * How long the server takes for each kind of page, and what browsing costs the API, on a PostgreSQL that this starts.
 *
 *   bun run bench pages [--people N] [--companies N] [--visits N] [--rounds N] [--seconds S] [--look S] [--served N]
 *
 * Visits are made one after the other without a socket, from the request to the last byte. The targets are 50 ms (p99) and
 * 60 kB for any page; those that miss one are named. `turnP99Ms` is the longest turn of the event loop of a visit by the
 * thread's processor time: the longest wait of a call that arrives meanwhile.
 * Then the API's latency with and without 50 people who browse (none with `--rounds 0`): the target is a p99 of at most 1.6
 * times, after the server has served `--served` pages.
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
import { measureBrowsing, printRounds } from './browsing.ts'
import { rounded, spread } from './figures.ts'
import type { Reader } from './full-account.ts'
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
    look: { type: 'string', default: '5' },
    // As many as fifty people open in 17 minutes.
    served: { type: 'string', default: '10000' },
  },
})
const TARGET_MS = 50
const TARGET_BYTES = 60_000
const TARGET_TIMES = 1.6
const NO_LIMITS = { PAGES_PER_MINUTE: '1000000', PAGES_PER_DAY: '1000000' }
const READERS = 50
const API_PER_SECOND = 150
const ACCOUNTS = 1_000
/** Visits of each kind whose turns of the event loop are measured. */
const TURN_VISITS = 50
const WARM_VISITS = 20
/** A saved view redirects to its list; a made-up token of a mail is refused. */
const EXPECTED = [200, 303, 422]
/** An address may open only 60 invitations in a quarter of an hour, and all readers come from one. */
const LIMITED_KIND = 'invitation'
const visits = Number(options.visits)
let lastAddress = 0
const turns = { all: [] as number[], visits: 0 }

const companies = Number(options.companies)
const bench = await benchDatabase(Number(options.people), companies)
const database = connect({ url: bench.url, connections: 4 })
try {
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  const prepared = await prepareVisits(database, bench.sql, { companies, readers: READERS })
  if (visits > 0) await measurePages(prepared)
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
    for (const [kind, addressOf] of Object.entries(kinds))
      figures.push({ kind: kind + whose, ...(await measure(web, addressOf, headers, visits)) })
  }
  console.table(figures)
  const perSecond = READERS / Number(options.look)
  const waitMs = rounded(waitOf(turns.all, turns.visits, perSecond, 0.99))
  console.log(
    `p99 of a call's wait for a page's turn, at ${perSecond} pages a second: ${waitMs} ms`,
  )
  const headers = { cookie: owner.cookie }
  for (const [kind, addressOf] of Object.entries(files))
    console.log(kind, await measure(web, addressOf, headers, Math.ceil(visits / 20)))
  const missing = figures.filter((it) => it.p99Ms > TARGET_MS || it.mostBytes > TARGET_BYTES)
  console.log(`pages that miss ${TARGET_MS} ms (p99) or ${TARGET_BYTES} bytes: ${missing.length}`)
  for (const { kind, p99Ms, mostBytes } of missing)
    console.log(`  ${kind}: p99 ${p99Ms} ms, ${mostBytes} bytes`)
  await service.stop()
  await Promise.all(pools.map((opened) => opened.close()))
}

/** A new one for each visit, because an address may open only so many pages. */
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
    if (!EXPECTED.includes(response.status)) throw new Error(`${request.url}: ${response.status}`)
    return (await response.arrayBuffer()).byteLength
  }
  for (let number = 0; number < Math.min(WARM_VISITS, visits); number++) await visit()
  const times: number[] = []
  const bytes: number[] = []
  const before = process.cpuUsage()
  for (let number = 0; number < visits; number++) {
    const startedAt = performance.now()
    bytes.push(await visit())
    times.push(performance.now() - startedAt)
  }
  const { user, system } = process.cpuUsage(before)
  const longest: number[] = []
  for (let number = 0; number < Math.min(visits, TURN_VISITS); number++) {
    const ofVisit = await turnsOf(visit)
    longest.push(Math.max(0, ...ofVisit))
    turns.all.push(...ofVisit)
    turns.visits++
  }
  return {
    ...spread(times),
    turnP99Ms: spread(longest).p99Ms,
    /** Of all threads of this process. */
    cpuMs: rounded((user + system) / times.length / 1_000),
    mostBytes: Math.max(...bytes),
  }
}

/** The kinds that this reader may open, without the one that is limited: some show what another account has. */
async function kindsFor(reader: Reader | undefined, appUrl: string, kinds: Kinds): Promise<Kinds> {
  const headers = { cookie: reader?.cookie ?? '' }
  const open = await Promise.all(
    Object.entries(kinds).map(async ([kind, addressOf]) => {
      if (kind === LIMITED_KIND) return []
      const response = await fetch(appUrl + addressOf(), { headers })
      await response.arrayBuffer()
      return response.ok ? [[kind, addressOf] as const] : []
    }),
  )
  return Object.fromEntries(open.flat())
}

async function measureApi(keys: readonly string[], { readers, kinds }: Visits) {
  const server = await serve({ DATABASE_URL: bench.url, LOG_LEVEL: 'error', ...NO_LIMITS })
  const rounds = await measureBrowsing({
    apiUrl: server.apiUrl,
    appUrl: server.appUrl,
    requests: await makeMix(bench.sql, keys, ACCOUNTS),
    perSecond: API_PER_SECOND,
    readers,
    kinds: await kindsFor(readers.at(-1), server.appUrl, kinds),
    lookMs: Number(options.look) * 1_000,
    served: Number(options.served),
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
    pids: { server: server.pid, postgres: bench.server.pid },
  })
  await server.stop()
  printRounds(rounds, TARGET_TIMES)
}
