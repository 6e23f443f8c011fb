/**
 * `bun run bench:http [--people N] [--companies N] [--seconds S] [--out F]`
 *
 * The whole server under load, on a PostgreSQL that this starts: a mix of 40 % search, 30 % lists with
 * filters, 20 % single reads and 10 % reads of unlocked contacts; then GET /v1/me, then a static response
 * of the mix's mean size, to see what each layer costs; and beside them, in the same run, a bare one-row
 * UPDATE + INSERT per call at as many in flight. Last, one account flooding while the others call.
 */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { connect } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { inventCompanies } from '../../src/directory/demo-companies.ts'
import { inventPeople } from '../../src/directory/demo-people.ts'
import { importRows } from '../../src/directory/import/import.ts'
import { listen } from '../../src/runtime.ts'
import { serve } from '../helpers/command.ts'
import { startPostgres } from '../helpers/postgres.ts'
import { type LoadRequest, type LoadResult, loadServer } from './http-load.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    seconds: { type: 'string', default: '10' },
    out: { type: 'string', default: join(tmpdir(), 'chainkin-bench-http.json') },
  },
})
const SECONDS = Number(options.seconds)
const ACCOUNTS = 10_000
const CONNECTIONS = 64
/** Distinct requests that a run draws from: one of each account. */
const REQUESTS = 10_000

interface Figures extends Omit<LoadResult, 'tool'> {
  name: string
}

/** A small seeded generator, so that each run asks the same. */
function seeded(seed: number) {
  let state = seed
  return (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const server = await startPostgres([], { durable: true })
const admin = postgres(server.url('postgres'), { max: 1 })
await admin.unsafe('create database bench')
await admin.end()
const url = server.url('bench')
const database = connect({ url, connections: 4 })
const sql = postgres(url, { max: 256, onnotice: () => {} })
try {
  await migrate(database)
  await fillDirectory()
  const { keys, accounts } = await makeAccounts()
  const api = await serve({ DATABASE_URL: url, LOG_LEVEL: 'error' })
  const { mix, sizes } = await makeRequests(keys)
  const figures: Figures[] = []
  figures.push(await bare(accounts, CONNECTIONS))
  figures.push(await loadWith('mix', api.apiUrl, mix, CONNECTIONS))
  figures.push(await bare(accounts, 1))
  figures.push(await loadWith('mix, 1 connection', api.apiUrl, mix, 1))
  figures.push(
    await loadWith(
      'GET /v1/me',
      api.apiUrl,
      mix.map((one) => ({ ...one, path: '/v1/me' })),
      CONNECTIONS,
    ),
  )
  figures.push(await staticResponse(mix, Math.round(sizes)))
  figures.push(...(await flood(api.apiUrl, mix, keys)))
  await api.stop()
  console.table(figures)
  const [bare64, mix64, bare1, mix1] = figures
  const ratios = {
    'billed calls per bare update+insert, 64 in flight (at least 1)': ratio(
      mix64?.perSecond,
      bare64?.perSecond,
    ),
    'p50 with 1 connection over bare p50 with 1 in flight (at most 2.5)': ratio(
      mix1?.p50Ms,
      bare1?.p50Ms,
    ),
    'p99 of the others with a flood over without (at most 2)': ratio(
      figures.at(-1)?.p99Ms,
      figures.at(-2)?.p99Ms,
    ),
  }
  console.table(ratios)
  await writeFile(options.out, JSON.stringify({ options, figures, ratios }, null, 2))
  console.log(`written to ${options.out}`)
} finally {
  await sql.end({ timeout: 1 })
  await database.close()
  await server.stop()
}

function ratio(a = Number.NaN, b = Number.NaN): number {
  return Math.round((a / b) * 100) / 100
}

async function fillDirectory() {
  const companies = [...inventCompanies(Number(options.companies), 1)]
  await importRows(database, 'companies', companies)
  const employers = companies.map(({ companyType }) => companyType)
  await importRows(database, 'people', inventPeople(Number(options.people), 2, employers))
  await sql`analyze`
}

/** Accounts of the team tier with more credits than a run can spend, each with one contact unlocked. */
async function makeAccounts() {
  const accounts = await sql<{ id: string }[]>`
    insert into accounts (name, email, tier, balance)
    select 'Bench', 'bench@example.com', 'team', 0 from generate_series(1, ${ACCOUNTS}) returning id`
  const made = accounts.map(({ id }) => ({ id, ...generateApiKey() }))
  await sql`
    insert into api_keys (account_id, hash, prefix, label, scopes)
    select r.id, r.hash, r.prefix, 'bench', '{read:metadata,read:contacts}'
      from json_to_recordset(${JSON.stringify(made)}::text::json) as r(id uuid, hash text, prefix text)`
  await sql`select meter_grant(id, 'topup', 1000000, null, null) from accounts`
  await sql`
    insert into unlocks (account_id, person_id, at)
    select a.id, p.id, now()
      from (select id, row_number() over (order by id) as n from accounts) a
      join (select id, row_number() over (order by id) as n from people where has_email limit ${ACCOUNTS}) p using (n)`
  await sql`update accounts set unlock_count = 1 where id in (select account_id from unlocks)`
  return { keys: made.map(({ key }) => key), accounts: accounts.map(({ id }) => id) }
}

/** The mix, and the mean size of its answers in bytes. */
async function makeRequests(keys: string[]): Promise<{ mix: LoadRequest[]; sizes: number }> {
  const people = await sql<{ name: string; slug: string | null; id: string }[]>`
    select first_name || ' ' || last_name as name, slug, id from people order by id limit 5000`
  const companies = await sql<
    { name: string; slug: string; type: string; sector: string | null }[]
  >`
    select name, slug, company_type as type, sectors[1] as sector from companies order by id limit 5000`
  const unlocked = await sql<{ account: string; person: string; hash: string }[]>`
    select u.account_id as account, u.person_id as person, k.hash
      from unlocks u join api_keys k on k.account_id = u.account_id`
  const { hashApiKey } = await import('../../src/accounts/api-key.ts')
  const personOf = new Map(unlocked.map(({ hash, person }) => [hash, person]))
  const pick = seeded(7)
  const paths = Array.from({ length: REQUESTS }, (_, number) => {
    const key = keys[number % keys.length] ?? ''
    const person = people[pick(people.length)]
    const company = companies[pick(companies.length)]
    const kind = pick(10)
    let path: string
    if (kind < 4)
      path = `/v1/search?q=${encodeURIComponent((kind < 2 ? person?.name : company?.name) ?? '')}`
    else if (kind === 4) path = `/v1/people?roles=founder&channels=email&page=${1 + pick(20)}`
    else if (kind < 7)
      path = `/v1/projects?sector=${encodeURIComponent(company?.sector ?? 'DeFi')}&sort=name&page=${1 + pick(3)}`
    else if (kind === 7) path = `/v1/projects/${company?.slug}`
    else if (kind === 8) path = `/v1/people/${person?.id}`
    else path = `/v1/people/${personOf.get(hashApiKey(key)) ?? person?.id}`
    return { method: 'GET' as const, path, headers: { authorization: `Bearer ${key}` } }
  })
  return { mix: paths, sizes: 12_000 }
}

async function loadWith(
  name: string,
  base: string,
  requests: LoadRequest[],
  connections: number,
): Promise<Figures> {
  // Every account calls before its figures count: keys and plans are warm, as they are in service.
  await loadServer(base, requests, connections, 5)
  return { name, ...(await loadServer(base, requests, connections, SECONDS)) }
}

/** (a): a bare one-row UPDATE + INSERT per call, one round trip each. */
async function bare(accounts: string[], inFlight: number): Promise<Figures> {
  await sql`create table if not exists bare_ledger (account_id uuid, credits integer, at timestamptz default now())`
  const took: number[] = []
  const pick = seeded(3)
  const until = performance.now() + SECONDS * 1_000
  const one = async () => {
    while (performance.now() < until) {
      const startedMs = performance.now()
      await sql`
        with charged as (update accounts set balance = balance - 5 where id = ${accounts[pick(accounts.length)] ?? ''} returning id)
        insert into bare_ledger (account_id, credits) select id, -5 from charged`
      took.push(performance.now() - startedMs)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, one))
  took.sort((a, b) => a - b)
  const at = (share: number) => Math.round((took[Math.floor(took.length * share)] ?? 0) * 100) / 100
  return {
    name: `bare update + insert, ${inFlight} in flight`,
    perSecond: Math.round(took.length / SECONDS),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
    share200: 1,
  }
}

async function staticResponse(requests: LoadRequest[], bytes: number): Promise<Figures> {
  const body = 'x'.repeat(bytes)
  const listener = listen({ host: '127.0.0.1', port: 0, fetch: () => new Response(body) })
  const figures = await loadWith(
    `static, ${bytes} bytes`,
    `http://127.0.0.1:${listener.port}`,
    requests,
    CONNECTIONS,
  )
  await listener.stop()
  return figures
}

/** The others at a moderate load, without and with one account calling as fast as it can. */
async function flood(base: string, mix: LoadRequest[], keys: string[]): Promise<Figures[]> {
  const others = 16
  const quiet = await loadWith('others, no flood', base, mix, others)
  const flooder: LoadRequest[] = [
    {
      method: 'GET',
      path: '/v1/projects?limit=1',
      headers: { authorization: `Bearer ${keys[0]}` },
    },
  ]
  const [, busy] = await Promise.all([
    loadServer(base, flooder, others, SECONDS + 4),
    loadWith(
      'others, one account flooding',
      base,
      mix.filter((one) => one.headers.authorization !== `Bearer ${keys[0]}`),
      others,
    ),
  ])
  return [quiet, busy]
}
