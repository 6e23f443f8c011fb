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
import { Chance } from '../../src/demo/random.ts'
import { listen } from '../../src/runtime.ts'
import { serve } from '../helpers/command.ts'
import { benchDatabase, makeAccounts, makeMix } from './bench-database.ts'
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
/** About the mean size of the mix's answers. */
const MEAN_BYTES = 12_000

interface Figures extends Omit<LoadResult, 'tool'> {
  name: string
}

const { url, sql, close } = await benchDatabase(Number(options.people), Number(options.companies))
try {
  const { keys, accounts } = await makeAccounts(sql, ACCOUNTS)
  const api = await serve({ DATABASE_URL: url, LOG_LEVEL: 'error' })
  const mix = await makeMix(sql, keys, REQUESTS)
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
  figures.push(await staticResponse(mix))
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
  await close()
}

function ratio(a = Number.NaN, b = Number.NaN): number {
  return Math.round((a / b) * 100) / 100
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
  const chance = new Chance(3)
  const until = performance.now() + SECONDS * 1_000
  const one = async () => {
    while (performance.now() < until) {
      const startedMs = performance.now()
      await sql`
        with charged as (update accounts set balance = balance - 5 where id = ${chance.pick(accounts)} returning id)
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

async function staticResponse(requests: LoadRequest[]): Promise<Figures> {
  const body = 'x'.repeat(MEAN_BYTES)
  const listener = listen({ host: '127.0.0.1', port: 0, fetch: () => new Response(body) })
  const figures = await loadWith(
    `static, ${MEAN_BYTES} bytes`,
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
