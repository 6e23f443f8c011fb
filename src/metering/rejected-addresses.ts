/** Counts failed authentications per client address (D23). */
import { REJECTED_KEYS_LIMIT, REJECTED_KEYS_SECONDS } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import { RecentAnswers } from './recent-answers.ts'

/** How an address stands with its failed authentications (D23). */
export interface RejectedAddress {
  /** More than the limit: the answer is 429, not 401. */
  over: boolean
  limit: number
  remaining: number
  resetMs: number
  nowMs: number
}

export class RejectedAddresses {
  readonly #database: Database
  readonly #known = new RecentAnswers<RejectedAddress>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Counts a failed authentication; without the database where the address is over its limit. @throws DatabaseUnavailable */
  async reject(address: string): Promise<RejectedAddress> {
    const known = this.#known.get(address)
    if (known?.over) return known
    const askedMs = performance.now()
    const answer = await count(this.#database, address)
    this.#known.set(address, answer, askedMs, answer.resetMs - answer.nowMs)
    return answer
  }

  /** What this instance knows of an address without asking. */
  standing(address: string): RejectedAddress {
    const nowMs = Date.now()
    const resetMs = nowMs + REJECTED_KEYS_SECONDS * 1_000
    return this.#known.get(address) ?? standingAfter(0, resetMs, nowMs)
  }

  clear() {
    this.#known.clear()
  }
}

async function count(database: Database, address: string): Promise<RejectedAddress> {
  const [row] = await database.use(
    ({ sql }) => sql<{ answer: { count: number; resetMs: number; nowMs: number } }[]>`
      select meter_reject(${address}, ${REJECTED_KEYS_SECONDS}::integer) as answer`,
  )
  if (!row) throw new Error('the database did not count a rejected key')
  return standingAfter(row.answer.count, row.answer.resetMs, row.answer.nowMs)
}

function standingAfter(rejected: number, resetMs: number, nowMs: number): RejectedAddress {
  const limit = REJECTED_KEYS_LIMIT
  return { over: rejected > limit, limit, remaining: Math.max(0, limit - rejected), resetMs, nowMs }
}
