/**
 * The cost of a charge beside the least possible and the usual way.
 *
 *   bun run bench meter [--seconds S] [--rounds N] [--out FILE]
 *
 * All ways run in one process on one PostgreSQL with its default settings (so every commit reaches the disk), in short
 * interleaved rounds, so that a noisy moment of the machine falls on all. `BENCH_DATABASE_URL` names an empty database to use
 * instead of the PostgreSQL that this starts.
 */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { connect } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { startPostgres } from '../helpers/postgres.ts'
import type { TestAccount } from '../money/charge/calls.ts'
import { after, median, percentile, timesUntil } from './figures.ts'
import { CONNECTIONS, prepare, type Way, ways } from './ways.ts'

const ACCOUNTS = 10_000
const IN_FLIGHT = [1, 8, 64, 256]

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(tmpdir(), 'chainkin-bench-meter.json') },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
  },
})
const MEASURE_MS = Number(options.seconds) * 1_000
const ROUNDS = Number(options.rounds)

interface Figures {
  way: string
  inFlight: number
  /** Medians of the rounds. */
  perSecond: number
  p50Ms: number
  p99Ms: number
}

const server = process.env.BENCH_DATABASE_URL
  ? undefined
  : await startPostgres([], { durable: true })
const url = process.env.BENCH_DATABASE_URL ?? server?.url('postgres') ?? ''
try {
  const figures = await measureAll(url)
  report(figures)
} finally {
  await server?.stop()
}

async function measureAll(url: string): Promise<Figures[]> {
  const database = connect({ url, connections: 1 })
  await migrate(database)
  await database.close()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const accounts = await prepare(sql, ACCOUNTS)
  const all = ways(url)
  const samples = new Map<string, Figures[]>()
  for (const way of all) await measure(way, accounts, 64, MEASURE_MS / 2)
  for (let round = 0; round < ROUNDS; round++) {
    for (const inFlight of IN_FLIGHT) {
      // A window that holds for all of them: requests a minute are not what is measured.
      await sql`update accounts set rate_count = -1000000, rate_started_at = now()`
      await sql.unsafe('vacuum accounts')
      for (const way of all) {
        const sample = await measure(way, accounts, inFlight, MEASURE_MS)
        const key = `${way.name} ${inFlight}`
        samples.set(key, [...(samples.get(key) ?? []), sample])
      }
    }
  }
  await Promise.all(all.map((way) => way.close()))
  await sql.end()
  for (const way of all) console.log(`(${way.name}) ${way.does}`)
  return [...samples.values()].map((rounds) => ({
    way: rounds[0]!.way,
    inFlight: rounds[0]!.inFlight,
    perSecond: median(rounds.map((round) => round.perSecond)),
    p50Ms: median(rounds.map((round) => round.p50Ms)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
  }))
}

/** `inFlight` callers, each with its next call as soon as its last is answered. */
async function measure(
  way: Way,
  accounts: TestAccount[],
  inFlight: number,
  forMs: number,
): Promise<Figures> {
  let turn = Math.floor(Math.random() * accounts.length)
  const beganMs = performance.now()
  const times = await timesUntil(after(forMs), inFlight, () =>
    way.charge(accounts[turn++ % accounts.length]!),
  )
  const seconds = (performance.now() - beganMs) / 1_000
  return {
    way: way.name,
    inFlight,
    perSecond: times.length / seconds,
    p50Ms: median(times),
    p99Ms: percentile(times, 0.99),
  }
}

function report(figures: Figures[]) {
  console.table(
    Object.fromEntries(
      IN_FLIGHT.flatMap((inFlight) =>
        figures
          .filter((one) => one.inFlight === inFlight)
          .map((one) => [
            `${one.way} @ ${inFlight}`,
            {
              'charges/s': Math.round(one.perSecond),
              'p50 ms': one.p50Ms.toFixed(2),
              'p99 ms': one.p99Ms.toFixed(2),
            },
          ]),
      ),
    ),
  )
  const of = (way: string, inFlight: number) =>
    figures.find((one) => one.way === way && one.inFlight === inFlight)!
  const targets = [
    ...[64, 256].flatMap((inFlight) => {
      const [bare, textbook, meter] = [of('a', inFlight), of('b', inFlight), of('d', inFlight)]
      const at = `(d) @ ${inFlight} over`
      return [
        target(`${at} (b), charges/s`, meter.perSecond / textbook.perSecond, 6, 'least'),
        target(`${at} (a), charges/s`, meter.perSecond / bare.perSecond, 2.5, 'least'),
        target(`${at} (b), p99`, meter.p99Ms / textbook.p99Ms, 1 / 3, 'most'),
      ]
    }),
    target('(d) @ 1 over (a), p50', of('d', 1).p50Ms / of('a', 1).p50Ms, 2, 'most'),
  ]
  for (const { what, ratio, limit, bound, met } of targets) {
    console.log(
      `${met ? 'met   ' : 'MISSED'} ${what}: ${ratio.toFixed(2)} (at ${bound} ${limit.toFixed(2)})`,
    )
  }
  const json = { accounts: ACCOUNTS, connections: CONNECTIONS, rounds: ROUNDS, figures, targets }
  void writeFile(options.out, `${JSON.stringify(json, null, 2)}\n`).then(() =>
    console.log(options.out),
  )
}

function target(what: string, ratio: number, limit: number, bound: 'least' | 'most') {
  return { what, ratio, limit, bound, met: bound === 'least' ? ratio >= limit : ratio <= limit }
}
