/** Why a call is not answered: the meter's refusals, and what was thrown, as errors of the contract. */
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../contract/errors.ts'
import { IDEMPOTENT_REPEATS } from '../contract/headers.ts'
import { DatabaseUnavailable, describeError } from '../database/client.ts'
import { type Outcome, secondsUntil } from '../money/charge/call.ts'
import { heldBack } from '../turns.ts'
import { addressOf, clientOf, type RequestContext } from './context.ts'
import { idempotencyKeyOf } from './idempotency.ts'

/** How long a refusal that needs no database is held back. */
export const REFUSAL_PAUSE_MS = 10

/**
 * Holds back a refusal from memory. A client that asks again as soon as it is refused then asks a hundred times a second
 * for each of its connections, and not as often as the one thread can refuse it, which all other calls wait for.
 */
export async function refusalPause(): Promise<void> {
  await heldBack(() => pause(REFUSAL_PAUSE_MS))
}

/**
 * Counts a request without a key that resolves, or with one that may not be used from there, and says so:
 * 401 or 403, or 429 past the address's limit (gate 3).
 */
export async function rejectedKeyRefusal(context: RequestContext): Promise<ApiError> {
  const { meter } = context.services
  const address = addressOf(context)
  if (meter.standing(address).over) await refusalPause()
  const standing = await heldBack(() => meter.reject(address)).catch((error: unknown) => {
    // Without a database nothing can be counted, but the key is no better for it.
    if (error instanceof DatabaseUnavailable) return meter.standing(address)
    throw error
  })
  context.rate = standing
  // The key resolved.
  if (!standing.over && context.caller) {
    const message = `The key may not be used from ${clientOf(context)}. Use it from one of the networks that it is allowed for.`
    return new ApiError('address_not_allowed', message)
  }
  // Whoever floods with somebody's key does not fill that account's log of requests.
  context.caller = undefined
  if (!standing.over) {
    const message = 'Send a valid API key as Authorization: Bearer <API_KEY>.'
    return new ApiError('unauthorized', message)
  }
  const retryAfter = secondsUntil(standing.resetMs, standing.nowMs)
  const message = `Too many requests of this address had no valid key. Wait ${retryAfter} s, or send a valid key.`
  return new ApiError('too_many_rejected_keys', message, { retryAfter })
}

/** The error of an outcome that is a refusal, or null where the call is answered. Nothing was charged. */
export function outcomeRefusal(outcome: Outcome): ApiError | null {
  const { balance: creditsBalance, required: creditsRequired, nowMs } = outcome
  switch (outcome.outcome) {
    case 'rate_limited': {
      const retryAfter = secondsUntil(outcome.rateResetMs, nowMs)
      const message = `The account's limit of ${outcome.rateLimit} requests per window is used up. Wait ${retryAfter} s.`
      return new ApiError('rate_limited', message, { retryAfter })
    }
    case 'suspended': {
      const message =
        'The account is suspended, so its calls get no answer. Every page of the application says why and whom to ask.'
      return new ApiError('account_suspended', message)
    }
    case 'key_reused': {
      const message = 'This Idempotency-Key was charged for another call.'
      return new ApiError('idempotency_key_reused', message, { parameter: 'Idempotency-Key' })
    }
    case 'key_exhausted': {
      const message = `The call of this Idempotency-Key was repeated ${IDEMPOTENT_REPEATS} times, the most that 24 hours allow. Send a new key: then the call is charged again.`
      return new ApiError('idempotency_key_exhausted', message, { parameter: 'Idempotency-Key' })
    }
    case 'insufficient': {
      const message = `The call costs ${creditsRequired} credits and the balance is ${creditsBalance}.`
      return new ApiError('insufficient_credits', message, { creditsRequired, creditsBalance })
    }
    case 'key_cap': {
      const { credits, period, spent, renewsAt } = outcome.keyCap!
      const message = `The call costs ${creditsRequired} credits, and the key has spent ${spent} of the ${credits} that it may spend in a ${period} of UTC. Wait until ${renewsAt}, or use another key.`
      return new ApiError('key_cap_exceeded', message, { creditsRequired, renewsAt })
    }
    case 'not_found':
      return new ApiError('not_found', 'There is no such record here.')
    case 'reveal_cap': {
      const retryAfter = secondsUntil(outcome.revealResetMs ?? nowMs, nowMs)
      const message = `The account has used up this hour's first reveals. Wait ${retryAfter} s.`
      return new ApiError('reveal_cap_exceeded', message, { retryAfter })
    }
    default:
      return null
  }
}

/** Turns whatever was thrown into an error of the contract. What nobody foresaw is logged, not shown. */
export function errorOf(context: RequestContext, thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const { requestId, services } = context
  if (thrown instanceof DatabaseUnavailable) {
    services.log.repeated('a call could not be decided', thrown.message, { requestId })
    const message = `The service can't answer right now. ${chargeAdvice(context)}`
    return new ApiError('unavailable', message, { retryAfter: 1, ...chargedOf(context) })
  }
  services.log.error('a call failed', { requestId, error: describeError(thrown) })
  const message = `The service failed. ${chargeAdvice(context)}`
  return new ApiError('internal_error', message, chargedOf(context))
}

/** null where it is not known whether the call was charged. */
function chargedOf({ mayBeCharged }: RequestContext) {
  return mayBeCharged ? { charged: null } : {}
}

/** Says whether the call was charged, or that nobody knows and what to do then. */
function chargeAdvice(context: RequestContext): string {
  const end = `Request id: ${context.requestId}.`
  if (!context.mayBeCharged) return `Nothing was charged: repeat the call. ${end}`
  const advice =
    idempotencyKeyOf(context) === null
      ? `The ledger will tell: ${context.services.appUrl}/balance. A repeat may be charged again; send an Idempotency-Key with calls that must not cost twice.`
      : 'Repeat it with the same Idempotency-Key: both together are charged once at most.'
  return `Whether the call was charged is not known. ${advice} ${end}`
}
