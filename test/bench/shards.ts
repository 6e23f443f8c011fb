/**
 * Accounts over several databases: `bun run bench:shards [--shards 1,2,4] [--callers 64,256] [--seconds 2] [--rounds 5]`
 *
 * What `src/SCALE.md` says of charges there. Each database is a shard: it has a part of the accounts, by their ids, and one meter of
 * its own charges them in groups. All shards are databases of one PostgreSQL with its default settings, so every commit reaches
 * the disk: they share processor and disk here, and what this shows is what smaller groups cost, not what more machines give.
 * Numbers of shards take turns within each round; ratios are of one round.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { connect } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { type PostgresServer, startPostgres } from '../helpers/postgres.ts'
import { plainRead, type TestAccount } from '../money/charge/calls.ts'
import { createDatabase } from './bench-database.ts'
import { median, rounded } from './medians.ts'
import { prepare } from './ways.ts'

const { values: options } = parseArgs({
  options: {
    shards: { type: 'string', default: '1,2,4' },
    callers: { type: 'string', default: '64,256' },
    accounts: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
  },
})
const numbers = (list: string) => list.split(',').map(Number)
const COUNTS = numbers(options.shards)
const CALLERS = numbers(options.callers)
const FOR_MS = Number(options.seconds) * 1_000

interface Shard {
  accounts: readonly TestAccount[]
  meter: ReturnType<typeof createMeter>
  close(): Promise<void>
}

/** What a round measured. */
interface Figures {
  perSecond: number
  groupSize: number
  p99Ms: number
}

let groups = 0

const server = await startPostgres([], { durable: true })
try {
  const services: { count: number; shards: Shard[] }[] = []
  for (const count of COUNTS) services.push({ count, shards: await shardsOf(server, count) })
  const rows: object[] = []
  for (const callers of CALLERS) {
    const measured = new Map<number, Figures[]>()
    // The first round warms up.
    for (let round = -1; round < Number(options.rounds); round++) {
      for (const { count, shards } of services) {
        const figures = await measure(shards, callers)
        if (round >= 0) measured.set(count, [...(measured.get(count) ?? []), figures])
      }
    }
    rows.push(...rowsOf(callers, measured))
  }
  console.log(`${cpus().length} cores for all: shards, meters and callers`)
  console.table(rows)
  await Promise.all(services.flatMap(({ shards }) => shards.map((shard) => shard.close())))
} finally {
  await server.stop()
}

/** So many databases, which share the accounts evenly. */
async function shardsOf(on: PostgresServer, count: number): Promise<Shard[]> {
  const shards: Shard[] = []
  for (let number = 0; number < count; number++) {
    const url = await createDatabase(on, `shards_${count}_${number}`)
    const first = connect({ url, connections: 1 })
    await migrate(first)
    await first.close()
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    const accounts = await prepare(sql, Math.ceil(Number(options.accounts) / count))
    await sql`update accounts set rate_count = -100000000, rate_started_at = now()`
    await sql.unsafe('vacuum analyze accounts')
    await sql.end()
    // As an instance has: two groups in flight.
    const database = connect({ url, connections: 3 })
    const meter = createMeter(database, {
      onGroup: () => {
        groups++
      },
    })
    shards.push({ accounts, meter, close: () => database.close() })
  }
  return shards
}

/** `callers` at once, each with its next call as soon as its last is answered, of an account of any shard. */
async function measure(shards: readonly Shard[], callers: number): Promise<Figures> {
  const took: number[] = []
  let turn = Math.floor(Math.random() * 10_000)
  const groupsBefore = groups
  const beganMs = performance.now()
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let nowMs = performance.now(); nowMs < beganMs + FOR_MS; ) {
        const place = turn++
        const { accounts, meter } = shards[place % shards.length]!
        const account = accounts[Math.floor(place / shards.length) % accounts.length]!
        const { outcome } = await meter.charge(plainRead(account))
        if (outcome !== 'charged') throw new Error(`not charged: ${outcome}`)
        const endedMs = performance.now()
        took.push(endedMs - nowMs)
        nowMs = endedMs
      }
    }),
  )
  const seconds = (performance.now() - beganMs) / 1_000
  took.sort((a, b) => a - b)
  return {
    perSecond: took.length / seconds,
    groupSize: took.length / (groups - groupsBefore),
    p99Ms: took[Math.floor(took.length * 0.99)] ?? 0,
  }
}

/** A row for each number of shards, beside the first number. */
function rowsOf(callers: number, measured: ReadonlyMap<number, readonly Figures[]>): object[] {
  const [first = []] = measured.values()
  return [...measured].map(([shards, rounds]) => ({
    callers,
    shards,
    'calls/s': Math.round(median(rounds.map(({ perSecond }) => perSecond))),
    'of the first': rounded(
      median(rounds.map(({ perSecond }, n) => perSecond / (first[n]?.perSecond ?? Number.NaN))),
    ),
    'calls in a group': rounded(median(rounds.map(({ groupSize }) => groupSize))),
    'p99 ms': rounded(median(rounds.map(({ p99Ms }) => p99Ms))),
  }))
}
