/** Errors of the contract, made of the meter's refusals and of thrown errors. */
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../contract/errors.ts'
import { IDEMPOTENT_REPEATS } from '../contract/headers.ts'
import { DatabaseUnavailable, describeError } from '../database/client.ts'
import { type Outcome, secondsUntil } from '../money/charge/call.ts'
import { addressOf, clientOf, type RequestContext } from './context.ts'
import { idempotencyKeyOf } from './idempotency.ts'

/** Delay of a refusal that needs no database. */
export const REFUSAL_PAUSE_MS = 10

/**
 * Holds back a refusal from memory, so that a client that repeats at once sends a hundred calls a second on each
 * connection, and doesn't keep the thread busy that all other calls wait for.
 */
export async function refusalPause(): Promise<void> {
  await pause(REFUSAL_PAUSE_MS)
}

/**
 * Counts a request without a resolvable key, or with one of other networks (gate 3).
 * @returns 401 or 403, or 429 past the address's limit
 */
export async function rejectedKeyRefusal(context: RequestContext): Promise<ApiError> {
  const { meter } = context.services
  const address = addressOf(context)
  if (meter.standing(address).over) await refusalPause()
  const standing = await meter.reject(address).catch((error: unknown) => {
    // Without a database nothing is counted, and the key is still refused.
    if (error instanceof DatabaseUnavailable) return meter.standing(address)
    throw error
  })
  context.rate = standing
  // The key resolved.
  if (!standing.over && context.caller) {
    const message = `The key may not be used from ${clientOf(context)}. Use it from one of the networks that it is allowed for.`
    return new ApiError('address_not_allowed', message)
  }
  // The flood of a stolen key must not fill the account's log of requests.
  context.caller = undefined
  if (!standing.over) {
    const message = 'Send a valid API key as Authorization: Bearer <API_KEY>.'
    return new ApiError('unauthorized', message)
  }
  const retryAfter = secondsUntil(standing.resetMs, standing.nowMs)
  const message = `Too many requests of this address had no valid key. Wait ${retryAfter} s, or send a valid key.`
  return new ApiError('too_many_rejected_keys', message, { retryAfter })
}

/** The error of a refusal, for which nothing was charged; null where the call is answered. */
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

/** Turns any thrown value into an error of the contract. Unforeseen ones are logged, not shown. */
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

/** `charged: null` where it is unknown whether the call was charged. */
function chargedOf({ mayBeCharged }: RequestContext) {
  return mayBeCharged ? { charged: null } : {}
}

/** Text that says whether the call was charged, and what to do where that is unknown. */
function chargeAdvice(context: RequestContext): string {
  const end = `Request id: ${context.requestId}.`
  if (!context.mayBeCharged) return `Nothing was charged: repeat the call. ${end}`
  const advice =
    idempotencyKeyOf(context) === null
      ? `The ledger will tell: ${context.services.appUrl}/balance. A repeat may be charged again; send an Idempotency-Key with calls that must not cost twice.`
      : 'Repeat it with the same Idempotency-Key: both together are charged once at most.'
  return `Whether the call was charged is not known. ${advice} ${end}`
}
