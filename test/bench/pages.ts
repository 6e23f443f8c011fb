/**
 * `bun run bench:pages [--people N] [--companies N] [--visits N] [--rounds N] [--seconds S] [--look S] [--elsewhere]`
 *
 * How long the server takes for each kind of page, one request after the other, on a PostgreSQL that
 * this starts: from the request to the last byte, without a socket. The target is 50 ms for any page.
 * Then the API's latency with and without 50 people who browse from a process of their own, in
 * alternating rounds of S seconds: the target is that its p99 is no worse. And how long exports and
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
  await measureApi(keys, readers, { ...everybodys, ...own })
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
  const figures = []
  for (const [whose, kinds, headers] of [
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
  let bytes = 0
  for (let number = 0; number < Number(options.visits); number++) {
    const startedAt = performance.now()
    bytes += await visit()
    times.push(performance.now() - startedAt)
  }
  return { ...spreadOf(times), kBytes: Math.round(bytes / times.length / 1_000) }
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
    kinds,
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
    `p99 of the API: ${rounded(quiet)} ms with nobody else, ${rounded(busy)} ms with ${READERS} people browsing (medians of the rounds): ${rounded(busy / quiet)} times`,
  )
}
