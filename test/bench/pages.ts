/**
 * `bun run bench:pages [--people N] [--companies N] [--visits N]`
 *
 * How long the server takes for each kind of page, one visit after the other, on a PostgreSQL that
 * this starts: from the request to the last byte, without a socket. The target is 50 ms for any page.
 */
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { readConfig } from '../../src/config.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { inventCompanies, inventRounds } from '../../src/directory/demo-companies.ts'
import { inventPeople } from '../../src/directory/demo-people.ts'
import { Chance } from '../../src/directory/demo-random.ts'
import { importRows } from '../../src/directory/import/import.ts'
import { DIRECTORIES } from '../../src/directory/records.ts'
import { createLog } from '../../src/log.ts'
import { openService } from '../../src/service.ts'
import type { WebFetch } from '../../src/web/app.ts'
import { startPostgres } from '../helpers/postgres.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    visits: { type: 'string', default: '300' },
  },
})
const TARGET_MS = 50
let lastAddress = 0
const chance = new Chance(7)

const server = await startPostgres()
const admin = postgres(server.url('postgres'), { max: 1 })
await admin.unsafe('create database bench')
await admin.end()
const url = server.url('bench')
const database = connect({ url, connections: 4 })
const pools: Database[] = []
try {
  await migrate(database)
  const records = await fillDirectory()
  const pool = (connections: number) => {
    const opened = connect({ url, connections })
    pools.push(opened)
    return opened
  }
  const service = await openService(readConfig({}), { database, pool }, createLog('silent'))
  const { web } = await service.hosts('http://api.test', 'http://app.test')
  const figures = []
  for (const [kind, addressOf] of Object.entries(kindsOf(records))) {
    figures.push({ kind, ...(await measure(web, addressOf)) })
  }
  console.table(figures)
  const worst = Math.max(...figures.map(({ maxMs }) => maxMs))
  console.log(`slowest visit ${worst} ms, target ${TARGET_MS} ms`, service.directory.counts)
  await service.stop()
} finally {
  await Promise.all(pools.map((opened) => opened.close()))
  await database.close()
  await server.stop()
}

interface Records {
  people: string[]
  companies: { slug: string; directory: string }[]
  names: string[]
}

async function fillDirectory(): Promise<Records> {
  const companies = [...inventCompanies(Number(options.companies), 1)]
  const employers = companies.map(({ companyType }) => companyType)
  await importRows(database, 'companies', companies)
  await importRows(database, 'people', inventPeople(Number(options.people), 2, employers))
  await importRows(database, 'rounds', inventRounds(companies, 3))
  return database.use(async ({ sql }) => {
    const people = await sql<{ slug: string; name: string }[]>`
      select slug, last_name as name from people where slug is not null`
    const stored = await sql<{ slug: string; directory: string }[]>`
      select slug, case company_type when 'investor' then 'investors'
        when 'project' then 'projects' when 'institution' then 'projects' else 'services' end as directory
      from companies`
    return {
      people: people.map(({ slug }) => slug),
      names: people.map(({ name }) => name),
      companies: stored,
    }
  })
}

/** Addresses of each kind of page, drawn at random. */
function kindsOf({ people, companies, names }: Records): Record<string, () => string> {
  const slugsOf = (directory: string) =>
    companies.filter((it) => it.directory === directory).map(({ slug }) => slug)
  const [projects, funds, services] = DIRECTORIES.map(slugsOf) as [string[], string[], string[]]
  const page = (pages: number) => chance.between(1, pages)
  const begun = () => encodeURIComponent(chance.pick(names).slice(0, chance.between(1, 5)))
  return {
    'search as one types': () => `/search?q=${begun()}`,
    'people, any page': () => `/people?page=${page(1_000)}&limit=100`,
    'people, filtered': () =>
      `/people?roles=founder,legal&channels=email&sort=name&page=${page(50)}`,
    'people, searched': () => `/people?q=${begun()}`,
    'projects, any page': () => `/projects?page=${page(150)}&limit=100`,
    'investors by return': () => `/investors?sort=roi&limit=100&page=${page(30)}`,
    person: () => `/people/${chance.pick(people)}`,
    project: () => `/projects/${chance.pick(projects)}`,
    fund: () => `/investors/${chance.pick(funds)}`,
    service: () => `/services/${chance.pick(services)}`,
    reference: () => '/docs/reference',
  }
}

/** A new one each time: an address may see so many pages. */
function newAddress(): string {
  const [high, low] = [Math.floor(++lastAddress / 250), lastAddress % 250]
  return `10.${Math.floor(high / 250)}.${high % 250}.${low}`
}

async function measure(web: WebFetch, addressOf: () => string) {
  // The first visits run uncompiled.
  for (let visit = 0; visit < 20; visit++) {
    await web(new Request(`http://app.test${addressOf()}`), newAddress())
  }
  const times: number[] = []
  let bytes = 0
  for (let visit = 0; visit < Number(options.visits); visit++) {
    const request = new Request(`http://app.test${addressOf()}`)
    const startedAt = performance.now()
    const response = await web(request, newAddress())
    bytes += (await response.arrayBuffer()).byteLength
    times.push(performance.now() - startedAt)
    if (response.status !== 200) throw new Error(`${request.url}: ${response.status}`)
  }
  times.sort((a, b) => a - b)
  const at = (part: number) =>
    Math.round((times[Math.floor((times.length - 1) * part)] ?? 0) * 100) / 100
  return {
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    kBytes: Math.round(bytes / times.length / 1_000),
  }
}
