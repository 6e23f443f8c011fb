/** Charges by the meter on a database of its own: how many a second, and how long each takes. */
import postgres from 'postgres'
import { connect } from '../../src/database/client.ts'
import type { TestAccount } from '../money/charge/calls.ts'
import { after, median, rounded, spread, timesUntil } from './figures.ts'
import { grouped } from './ways.ts'

export interface Charges {
  perSecond: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** Charges accounts in turn, so many at once, until `isOver`. */
export type ChargeUntil = (isOver: () => boolean, atOnce: number) => Promise<Charges>

/** Opens a meter on the database, all of whose accounts are below their rates for as long as a measurement takes. */
export async function openCharges(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const callers = await sql<TestAccount[]>`
    select distinct on (account_id) account_id as id, id as key from api_keys where environment = 'live' order by account_id, id`
  await sql`update accounts set rate_count = -1000000, rate_started_at = now()`
  await sql`vacuum accounts`
  await sql.end()
  const way = grouped(connect({ url, connections: 3 }))

  let turn = Math.floor(Math.random() * callers.length)
  const charge: ChargeUntil = async (isOver, atOnce) => {
    const beganMs = performance.now()
    const times = await timesUntil(isOver, atOnce, async () => {
      const account = callers[turn++ % callers.length]
      if (account) await way.charge(account)
    })
    const seconds = (performance.now() - beganMs) / 1_000
    return { perSecond: Math.round(times.length / seconds), ...spread(times) }
  }
  return { charge, close: way.close }
}

/**
 * Charges a second on two databases of one server in turns, each first in every other round: what else the machine does
 * meets both alike.
 * @returns of each round what the first makes of the second's, and the medians
 */
export async function compareCharges(
  urls: readonly [string, string],
  { rounds, forMs, atOnce }: { rounds: number; forMs: number; atOnce: number },
) {
  const ways = [await openCharges(urls[0]), await openCharges(urls[1])]
  const perSecond: [number[], number[]] = [[], []]
  // One round more, of which nothing is kept: caches and compilers.
  for (let round = -1; round < rounds; round++) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0]
    for (const place of order) {
      const charges = await ways[place]?.charge(after(forMs), atOnce)
      if (round >= 0) perSecond[place as 0 | 1].push(charges?.perSecond ?? Number.NaN)
    }
  }
  for (const way of ways) await way.close()
  const [ours, theirs] = perSecond
  const ratios = ours.map((charges, round) => charges / (theirs[round] ?? Number.NaN))
  return {
    perSecond: [median(ours), median(theirs)] as const,
    ratio: rounded(median(ratios)),
    ratios: ratios.map(rounded),
  }
}
