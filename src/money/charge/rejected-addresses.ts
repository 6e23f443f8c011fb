/** Counts failed authentications per client address. */
import { REJECTED_KEYS_LIMIT, REJECTED_KEYS_SECONDS } from '../../contract/tiers.ts'
import { Batches } from '../../database/batches.ts'
import type { Database } from '../../database/client.ts'
import { textArray } from '../../database/text-array.ts'
import { MAX_REFUSAL_MS, RecentAnswers } from './recent-answers.ts'

/** Window of failed authentications of an address. */
export interface RejectedAddress {
  /** Above the limit: the answer is 429 instead of 401. */
  over: boolean
  limit: number
  remaining: number
  resetMs: number
  nowMs: number
}

interface Counted {
  count: number
  resetMs: number
  nowMs: number
}

export function createRejectedAddresses(database: Database) {
  const known = new RecentAnswers<RejectedAddress>()
  // One at a time, so that charges of the same pool never wait for many.
  const rejections = new Batches({ run: countAll, maxInFlight: 1 })

  /** Counts failures in the order of their addresses, so that two instances lock rows in one order. */
  async function countAll(addresses: readonly string[]): Promise<Counted[]> {
    const order = addresses.map((_, at) => at)
    order.sort((one, other) => (addresses[one]! < addresses[other]! ? -1 : 1))
    const rows = await database.use(
      ({ sql }) => sql<{ counted: Counted }[]>`
        select meter_reject(address, ${REJECTED_KEYS_SECONDS}::integer) as counted
          from unnest(${textArray(order.map((at) => addresses[at]!))}::text::text[]) as address`,
    )
    const answers: Counted[] = []
    for (const [place, at] of order.entries()) {
      const row = rows[place]
      if (!row) throw new Error('the database did not count a rejected key')
      answers[at] = row.counted
    }
    return answers
  }

  /** Counts a failed authentication. An address over its limit is answered from memory for up to a second. @throws DatabaseUnavailable */
  async function reject(address: string): Promise<RejectedAddress> {
    const before = known.get(address, MAX_REFUSAL_MS)
    if (before?.over) return before
    const askedMs = performance.now()
    const counted = await rejections.submit(address)
    const answer = standingAfter(counted.count, counted.resetMs, counted.nowMs)
    known.set(address, answer, askedMs, answer.resetMs - answer.nowMs)
    return answer
  }

  /** The window as this instance knows it, for headers of answers that read no key. */
  function standing(address: string): RejectedAddress {
    const nowMs = Date.now()
    const resetMs = nowMs + REJECTED_KEYS_SECONDS * 1_000
    return known.get(address) ?? standingAfter(0, resetMs, nowMs)
  }

  return { reject, standing, clear: () => known.clear() }
}

function standingAfter(rejected: number, resetMs: number, nowMs: number): RejectedAddress {
  const limit = REJECTED_KEYS_LIMIT
  return { over: rejected > limit, limit, remaining: Math.max(0, limit - rejected), resetMs, nowMs }
}
