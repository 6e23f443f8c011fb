/** Batch of reveals: one charge for each contact, in turn, until something stops it. */
import { setTimeout } from 'node:timers/promises'
import { DatabaseUnavailable } from '../../database/client.ts'
import type { UnlockedContact } from '../charge/call.ts'
import type { Meter } from '../charge/meter.ts'
import { type WebOutcome, webReveal } from './web-calls.ts'
import type { RightEnd } from './web-runs.ts'

/** Contacts of one batch, at most. */
export const BATCH_MAX = 100

/** Longest wait for the account's rate, in seconds; a longer one ends the batch. */
const LONGEST_WAIT_SECONDS = 1
/** Waits for one contact, at most: another program may use up each new rate window. */
const WAITS_MAX = 5

/**
 * Reason why a batch stopped early. `unavailable`: the database did not answer, and nothing more was charged. `unknown`: a charge
 * was sent and its end is not known.
 */
export type BatchStop = RightEnd | 'credits' | 'rate' | 'reveals' | 'unavailable' | 'unknown'

export interface BatchEnd {
  /** Contacts that were charged, with their channels. */
  revealed: UnlockedContact[]
  /** Ids that cost nothing: unlocked meanwhile, or without a channel by now. */
  free: string[]
  /** Ids that are no longer in the directory. */
  gone: string[]
  /** Credits known to be charged for this batch. */
  charged: number
  /** Balance after the last charge; absent without one. */
  balance?: number
  /** Null if the batch was completed. */
  stopped: BatchStop | null
}

/**
 * Reveals contacts that the account has not unlocked. The same batch again charges those that it did not reach.
 * @param batch UUID, the request id of all its ledger entries
 * @param rightEnd checks the reader's rights before each charge; its error means that nothing was charged
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
        // A contact that was merged meanwhile is listed under both ids.
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

/** Reveals one contact; waits where the account's rate window is about to renew. */
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
