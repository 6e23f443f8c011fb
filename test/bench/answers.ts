/**
 * `bun run bench:answers [--people N] [--companies N] [--rounds N]`
 *
 * What an answer of the API host costs in CPU time, from a request to the bytes of its body: asked for once
 * before (hit), for the first time (miss), and by a caller who has unlocked somebody in it; each also by one who
 * takes gzip. The meter is a double that charges at once, so that records, text and HTTP are what is measured.
 */
import { parseArgs } from 'node:util'
import { createApi } from '../../src/api/app.ts'
import type { ApiServices } from '../../src/api/context.ts'
import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/client.ts'
import { openDirectory } from '../../src/directory/records/open.ts'
import { silentLog } from '../../src/log.ts'
import type { Call, Outcome } from '../../src/money/charge/call.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { incoming } from '../../src/runtime.ts'
import { benchDatabase } from './bench-database.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    rounds: { type: 'string', default: '3' },
  },
})
const ROUNDS = Number(options.rounds)
/** With those before the first round, no path of `KINDS` comes twice: a miss would be a hit. */
const CALLS = 100

const { url, sql, close } = await benchDatabase(Number(options.people), Number(options.companies))
const database = connect({ url, connections: 2 })
const directory = await openDirectory(database, { log: silentLog })

let unlocks = false
let encoding = 'identity'

/** Charges, and says that the first contact is unlocked where `unlocks` is set. */
async function charge({ contacts: [first] }: Call): Promise<Outcome> {
  const channels = { email: 'a@example.com', phone: null, telegram: null, linkedinUrl: null }
  return {
    outcome: 'charged',
    charged: 5,
    required: 5,
    balance: 1_000_000,
    tier: 'team',
    rateLimit: 300,
    rateRemaining: 299,
    rateResetMs: Date.now() + 60_000,
    revealResetMs: null,
    keyCap: null,
    nowMs: Date.now(),
    unlocked: unlocks && first !== undefined ? [{ id: first, ...channels }] : null,
    account: null,
  }
}

const keys: ApiServices['keys'] = {
  resolve: async () => ({
    id: 'key',
    accountId: 'account',
    hash: '',
    label: 'bench',
    prefix: '',
    scopes: ['read:metadata', 'read:contacts'],
    environment: 'live',
    expiresAt: null,
    networks: null,
  }),
  cached: () => undefined,
  revoked() {},
}
const { fetch } = createApi({
  config: readConfig({}),
  baseUrl: 'http://api.example',
  appUrl: 'http://app.example',
  directory,
  meter: { ...createMeter(database), charge },
  keys,
  log: silentLog,
})

const people = await sql<{ id: string; name: string }[]>`
  select id, first_name || ' ' || last_name as name from people order by id limit 5000`
const companies = await sql<{ slug: string }[]>`select slug from companies order by id limit 5000`

/** The path of each call, by its number. */
const KINDS: Record<string, (call: number) => string> = {
  'people, 50': (n) => `/v1/people?sort=name&limit=50&page=${1 + (n % 1_900)}`,
  'people, 50, filtered': (n) => `/v1/people?roles=founder&limit=50&page=${1 + (n % 400)}`,
  'projects, 30': (n) => `/v1/projects?sort=name&page=${1 + (n % 600)}`,
  search: (n) => `/v1/search?q=${encodeURIComponent(people[n % people.length]?.name ?? '')}`,
  'one person': (n) => `/v1/people/${people[n % people.length]?.id}`,
  'one project': (n) => `/v1/projects/${companies[n % companies.length]?.slug}`,
}

/** @returns the body's bytes. */
async function ask(path: string): Promise<number> {
  const headers = { authorization: 'Bearer bench', 'accept-encoding': encoding }
  const request = new Request(`http://api.example${path}`, { headers })
  const response = await fetch(incoming(request, '127.0.0.1'))
  const { byteLength } = await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return byteLength
}

/** @returns microseconds of CPU time per call: the median of the rounds. */
async function cost(path: (call: number) => string): Promise<number> {
  const rounds: number[] = []
  let call = CALLS
  for (let round = 0; round < ROUNDS; round++) {
    Bun.gc(true)
    const before = process.cpuUsage()
    for (const end = call + CALLS; call < end; call++) await ask(path(call))
    const { user, system } = process.cpuUsage(before)
    rounds.push((user + system) / CALLS)
  }
  return Math.round(rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0)
}

const figures: Record<string, Record<string, number>> = {}
for (const [kind, path] of Object.entries(KINDS)) {
  const same = () => path(3)
  const gzip = { bytes: 0, hit: 0, unlocked: 0 }
  // The first calls are of code that is not compiled yet.
  for (let call = 0; call < CALLS; call++) await ask(path(call))
  const miss = await cost(path)
  const hit = await cost(same)
  unlocks = true
  const unlocked = await cost(same)
  encoding = 'gzip'
  gzip.unlocked = await cost(same)
  unlocks = false
  gzip.hit = await cost(same)
  gzip.bytes = await ask(same())
  encoding = 'identity'
  figures[kind] = {
    bytes: await ask(same()),
    'hit µs': hit,
    'unlocked µs': unlocked,
    'miss µs': miss,
    'gzip bytes': gzip.bytes,
    'gzip hit µs': gzip.hit,
    'gzip unlocked µs': gzip.unlocked,
  }
}
console.table(figures)
console.log(directory.answers)
await directory.stop()
await database.close()
await close()
