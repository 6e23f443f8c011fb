/**
 * `bun run bench:pages [--people N] [--companies N] [--visits N] [--rounds N] [--seconds S] [--look S] [--elsewhere]`
 *
 * How long the server takes for each kind of page, and how long that is, one request after the other, on a PostgreSQL that
 * this starts: from the request to the last byte, without a socket. The targets are 50 ms and 60 kB for any page; those that miss
 * one are named, and so are the routes of which no page was measured.
 * Then the API's latency with and without 50 people who browse from a process of their own, in
 * alternating rounds of S seconds (none with `--rounds 0`): the target is a p99 of at most 1.25 times. And how long exports and
 * bulk searches hold the event loop (`blocking.ts`).
 */
import { parseArgs } from 'node:util'
import { readConfig } from '../../src/config.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { inventCompanies, inventRounds } from '../../src/demo/companies.ts'
import { importRows } from '../../src/import/import.ts'
import { createLog } from '../../src/log.ts'
import { incoming } from '../../src/runtime.ts'
import { openService } from '../../src/service/service.ts'
import type { WebFetch } from '../../src/web/http/app.ts'
import { ROUTES } from '../../src/web/http/routes.ts'
import { serve } from '../helpers/command.ts'
import { benchDatabase, COMPANIES_SEED, makeAccounts } from './bench-database.ts'
import { blockingTimes, spreadOf } from './blocking.ts'
import { measureBrowsing } from './browsing.ts'
import { median, rounded } from './medians.ts'
import {
  fillAccount,
  type Kinds,
  makeReaders,
  personalKinds,
  publicKinds,
  type Reader,
  STRANGERS_KINDS,
} from './page-kinds.ts'
import { makeMix } from './requests.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    visits: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '20' },
    // Somebody who reads. With 1, fifty people who only click.
    look: { type: 'string', default: '5' },
    // What sharing the machine alone costs: they browse another server, on the same database.
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
const ROUNDS_SEED = 3
let lastAddress = 0

const [people, companies] = [Number(options.people), Number(options.companies)]
const bench = await benchDatabase(people, companies)
const database = connect({ url: bench.url, connections: 4 })
try {
  const rounds = inventRounds([...inventCompanies(companies, COMPANIES_SEED)], ROUNDS_SEED)
  await importRows(database, 'rounds', rounds)
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  const readers = await makeReaders(database, READERS)
  const [owner] = readers as [Reader]
  await fillAccount(bench.sql, owner.accountId)
  const everybodys = await publicKinds(bench.sql)
  const own = await personalKinds(bench.sql, owner.accountId)
  await measurePages(everybodys, own, owner)
  if (Number(options.rounds) > 0) await measureApi(keys, readers, { ...everybodys, ...own })
} finally {
  await database.close()
  await bench.close()
}

async function measurePages(everybodys: Kinds, own: Kinds, owner: Reader) {
  const pools: Database[] = []
  const pool = (connections: number) => {
    const opened = connect({ url: bench.url, connections })
    pools.push(opened)
    return opened
  }
  const service = await openService(readConfig(NO_LIMITS), { database, pool }, createLog('silent'))
  const { web } = await service.hosts('http://api.test', 'http://app.test')
  const figures: ({ kind: string } & Awaited<ReturnType<typeof measure>>)[] = []
  for (const [whose, kinds, headers] of [
    ['', STRANGERS_KINDS, {}],
    ['', everybodys, {}],
    [', signed in', everybodys, { cookie: owner.cookie }],
    ['', own, { cookie: owner.cookie }],
  ] as const) {
    for (const [kind, addressOf] of Object.entries(kinds)) {
      figures.push({ kind: kind + whose, ...(await measure(web, addressOf, headers)) })
    }
  }
  console.table(figures)
  const worst = Math.max(...figures.map(({ maxMs }) => maxMs))
  console.log(`slowest visit ${worst} ms, target ${TARGET_MS} ms`, service.directory.counts)
  const missing = figures.filter((it) => it.p99Ms > TARGET_MS || it.mostBytes > TARGET_BYTES)
  const told = missing.map((it) => `${it.kind}: p99 ${it.p99Ms} ms, ${it.mostBytes} bytes`)
  console.log(`pages that miss ${TARGET_MS} ms (p99) or ${TARGET_BYTES} bytes: ${told.length}`)
  for (const line of told) console.log(`  ${line}`)
  console.log(
    `not measured: ${routesWithout({ ...STRANGERS_KINDS, ...everybodys, ...own }).join(' ')}`,
  )
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

/** Paths of routes that none of the kinds lead to: those of files, and those that want what a mail holds. */
function routesWithout(kinds: Kinds): string[] {
  const asked = Object.values(kinds).map((addressOf) => addressOf().split('?')[0] ?? '')
  const isAsked = (path: string) => {
    const pattern = new RegExp(`^${path.replace(/:\w+/, '[^/]+')}$`)
    return asked.some((one) => pattern.test(one))
  }
  return ROUTES.map(({ path }) => path).filter((path) => !isAsked(path))
}

/** A new one each time: an address may see so many pages. */
function newAddress(): string {
  const [high, low] = [Math.floor(++lastAddress / 250), lastAddress % 250]
  return `10.${Math.floor(high / 250)}.${high % 250}.${low}`
}

async function measure(web: WebFetch, addressOf: () => string, headers: Record<string, string>) {
  async function visit() {
    const request = new Request(`http://app.test${addressOf()}`, { headers })
    const response = await web(incoming(request, newAddress()))
    if (response.status !== 200) throw new Error(`${request.url}: ${response.status}`)
    return (await response.arrayBuffer()).byteLength
  }
  // The first visits run uncompiled.
  for (let number = 0; number < 20; number++) await visit()
  const times: number[] = []
  let [sum, mostBytes] = [0, 0]
  const before = process.cpuUsage()
  for (let number = 0; number < Number(options.visits); number++) {
    const startedAt = performance.now()
    const bytes = await visit()
    times.push(performance.now() - startedAt)
    sum += bytes
    mostBytes = Math.max(mostBytes, bytes)
  }
  const { user, system } = process.cpuUsage(before)
  return {
    ...spreadOf(times),
    /** Of this process, all of its threads: what others do on the machine makes it no longer. */
    cpuMs: rounded((user + system) / times.length / 1_000),
    bytes: Math.round(sum / times.length),
    mostBytes,
  }
}

/** The kinds that this reader may open too: some ask for what another account has. */
async function kindsFor(reader: Reader | undefined, appUrl: string, kinds: Kinds): Promise<Kinds> {
  const headers = { cookie: reader?.cookie ?? '' }
  const asked = await Promise.all(
    Object.entries(kinds).map(async ([kind, addressOf]) => {
      const response = await fetch(appUrl + addressOf(), { headers })
      await response.arrayBuffer()
      return response.ok ? [[kind, addressOf] as const] : []
    }),
  )
  return Object.fromEntries(asked.flat())
}

async function measureApi(keys: readonly string[], readers: readonly Reader[], kinds: Kinds) {
  const environment = { DATABASE_URL: bench.url, LOG_LEVEL: 'error', ...NO_LIMITS }
  const server = await serve(environment)
  const browsed = options.elsewhere ? await serve(environment) : server
  const measured = await measureBrowsing({
    apiUrl: server.apiUrl,
    appUrl: browsed.appUrl,
    requests: await makeMix(bench.sql, keys, ACCOUNTS),
    perSecond: API_PER_SECOND,
    readers,
    kinds: await kindsFor(readers.at(-1), browsed.appUrl, kinds),
    lookMs: Number(options.look) * 1_000,
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
  })
  await Promise.all([server.stop(), browsed.stop()])
  console.table(
    measured.map(({ browsed, pages, asked, p50Ms, p99Ms, longestMs, failed }) => ({
      browsing: browsed ? READERS : 0,
      pages,
      calls: asked,
      p50Ms: rounded(p50Ms),
      p99Ms: rounded(p99Ms),
      longestMs: rounded(longestMs),
      failed,
    })),
  )
  const p99 = (browsed: boolean) =>
    median(measured.filter((it) => it.browsed === browsed).map(({ p99Ms }) => p99Ms))
  const [quiet, busy] = [p99(false), p99(true)]
  console.log(
    `p99 of the API: ${rounded(quiet)} ms with nobody else, ${rounded(busy)} ms with ${READERS} people browsing (medians of the rounds): ${rounded(busy / quiet)} times, target ${TARGET_TIMES}`,
  )
}
