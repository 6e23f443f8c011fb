/** Several contacts revealed at once: one charge each by the meter, one after the other, until something ends it. */
import { setTimeout } from 'node:timers/promises'
import { DatabaseUnavailable } from '../../database/client.ts'
import type { UnlockedContact } from '../charge/call.ts'
import type { Meter } from '../charge/meter.ts'
import { type WebOutcome, webReveal } from './web-calls.ts'
import type { RightEnd } from './web-runs.ts'

/** People in one batch, at most. */
export const BATCH_MAX = 100

/** The longest wait for a rate that holds a batch up, in seconds; where it is longer the batch ends. */
const LONGEST_WAIT_SECONDS = 1
/** Waits for one person, at most: another program may use up each rate window as it begins. */
const WAITS_MAX = 5

/**
 * Why a batch ended before its last contact. `unavailable`: the database did not answer, and nothing more was charged.
 * `unknown`: a charge was sent and its end is not known.
 */
export type BatchStop = RightEnd | 'credits' | 'rate' | 'reveals' | 'unavailable' | 'unknown'

export interface BatchEnd {
  /** Those that this batch was charged for, with their channels. */
  revealed: UnlockedContact[]
  /** Those that cost nothing: unlocked meanwhile, or without a channel by now. */
  free: string[]
  /** Those that are not in the directory any more. */
  gone: string[]
  /** Credits that this batch is known to have been charged. */
  charged: number
  /** The account's credits after its last charge; undefined where it made none. */
  balance?: number
  /** Null where it came to its end. */
  stopped: BatchStop | null
}

/**
 * Reveals each of these people, whom the account has not unlocked. The same batch again charges those that it did not come to.
 * @param batch its id, a UUID: the ledger's request id of all its charges
 * @param rightEnd asks before each charge whether the reader's right has ended; what it throws says that nothing was charged
 */
export async function revealAll(
  meter: Meter,
  accountId: string,
  personIds: readonly string[],
  batch: string,
  rightEnd: () => Promise<RightEnd | null>,
): Promise<BatchEnd> {
  const end: BatchEnd = { revealed: [], free: [], gone: [], charged: 0, stopped: null }
  try {
    for (const person of personIds) {
      const outcome = await revealOne(meter, accountId, person, batch, rightEnd)
      if (outcome.outcome === 'charged') {
        end.balance = outcome.balance
        end.charged += outcome.charged
        // Somebody who was merged meanwhile is among them by both ids.
        const revealed = outcome.unlocked.filter(({ id }) => id === person)
        if (outcome.charged > 0) end.revealed.push(...revealed)
        else end.free.push(person)
      } else if (outcome.outcome === 'limited') {
        return { ...end, stopped: outcome.reason }
      } else if (outcome.outcome === 'insufficient') {
        return { ...end, stopped: 'credits' }
      } else if (outcome.outcome === 'ended') {
        return { ...end, stopped: outcome.reason }
      } else if (outcome.outcome === 'suspended') {
        return { ...end, stopped: 'suspended' }
      } else {
        end.gone.push(person)
      }
    }
    return end
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
    return { ...end, stopped: error.isUnknown ? 'unknown' : 'unavailable' }
  }
}

/** One of them; waits a moment where the account is over a rate that is about to begin anew. */
async function revealOne(
  meter: Meter,
  accountId: string,
  person: string,
  batch: string,
  rightEnd: () => Promise<RightEnd | null>,
): Promise<WebOutcome | { outcome: 'ended'; reason: RightEnd }> {
  for (let waits = 0; ; waits++) {
    const reason = await rightEnd()
    if (reason) return { outcome: 'ended', reason }
    const outcome = await webReveal(meter, accountId, { person }, { requestId: batch })
    const mustWait = outcome.outcome === 'limited' && outcome.reason === 'rate'
    if (!mustWait || outcome.retryAfter > LONGEST_WAIT_SECONDS || waits === WAITS_MAX)
      return outcome
    await setTimeout(outcome.retryAfter * 1_000)
  }
}
