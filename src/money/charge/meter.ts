/** The meter: one call in, one outcome out. Calls go to the database in groups; known refusals don't go there again. */
import { TIER_RULES } from '../../contract/tiers.ts'
import type { Database } from '../../database/client.ts'
import { WAITS } from '../../database/waits.ts'
import { type Busy, type Call, CallerLeft, type Outcome } from './call.ts'
import { GroupCommit } from './group-commit.ts'
import { MAX_REFUSAL_MS, RecentAnswers } from './recent-answers.ts'
import { createRejectedAddresses } from './rejected-addresses.ts'
import { chargeGroup, throwOutcome } from './transport.ts'

export type Meter = ReturnType<typeof createMeter>

interface MeterOptions {
  groupsInFlight?: number
  /** Milliseconds until a call that was not sent is refused. */
  maxWaitMs?: number | undefined
  /** Called with the number of calls of each group that is sent. */
  onGroup?: ((calls: number) => void) | undefined
  /** Called when a whole group failed. */
  onFailure?: () => void
}

/** The account's rate window. */
export interface AccountRate {
  limit: number
  remaining: number
  resetMs: number
  windowMs: number
  nowMs: number
}

function rateIn({ tier, rateLimit, rateRemaining, rateResetMs, nowMs }: Outcome): AccountRate {
  const windowMs = TIER_RULES[tier].rateSeconds * 1_000
  return { limit: rateLimit, remaining: rateRemaining, resetMs: rateResetMs, windowMs, nowMs }
}

/** @param database pool with a connection for each group in flight; nothing else should use it. */
export function createMeter(
  database: Database,
  {
    groupsInFlight = 2,
    maxWaitMs = WAITS.queueMs,
    onGroup = () => {},
    onFailure = () => {},
  }: MeterOptions = {},
) {
  const overRate = new RecentAnswers<Outcome>()
  const rates = new RecentAnswers<AccountRate>()
  const { clear, ...addresses } = createRejectedAddresses(database)
  const refused = (account: string) => overRate.get(account, MAX_REFUSAL_MS)
  const group = new GroupCommit<Call, Outcome | Busy>({
    commit,
    isBusy: (outcome) => outcome.outcome === 'busy',
    known: ({ account }) => refused(account),
    unwanted: ({ isWanted }) => (isWanted && !isWanted() ? new CallerLeft() : undefined),
    maxGroupsInFlight: groupsInFlight,
    maxWaitMs,
  })

  async function commit(calls: readonly Call[]) {
    onGroup(calls.length)
    const askedMs = performance.now()
    const charging = database.use(({ sql }) => chargeGroup(sql, calls))
    const outcomes = await charging.catch((error: unknown) => {
      onFailure()
      throwOutcome(error)
    })
    calls.forEach(({ account }, position) => {
      const answer = outcomes[position]
      if (!answer || answer.outcome === 'busy' || answer.outcome === 'revoked') return
      rates.set(account, rateIn(answer), askedMs, Number.POSITIVE_INFINITY)
      if (answer.outcome !== 'rate_limited') return
      overRate.set(account, answer, askedMs, answer.rateResetMs - answer.nowMs)
    })
    return outcomes
  }

  return {
    /**
     * Decides and charges one call.
     * @throws CallerLeft, or DatabaseUnavailable: `isUnknown` means that the call may have been charged, once; else nothing was charged.
     */
    charge: async (call: Call) => refused(call.account) ?? ((await group.submit(call)) as Outcome),
    /** Remembered refusal of an account over its rate, for up to a second. */
    refused,
    /** The account's rate after its last call here, for headers of answers that the database doesn't decide. */
    rate(account: string): AccountRate | undefined {
      const last = rates.get(account)
      if (!last || last.nowMs < last.resetMs) return last
      return { ...last, remaining: last.limit, resetMs: last.nowMs + last.windowMs }
    },
    ...addresses,
    /** Forgets all refusals, for tests that move the clock or change a tier. */
    forget() {
      overRate.clear()
      rates.clear()
      clear()
    },
  }
}
