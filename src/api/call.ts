/**
 * The way of a call through the gates of D1: read first, charge second, send third.
 *
 *   path → method → key → (rate) → parameters → scope → read → meter → body
 *
 * Parameters and scope are checked before the rate limit is, because the meter decides on all of
 * them in one statement; it answers in the order of D1, so a client never notices.
 */
import { createHash } from 'node:crypto'
import type { ResolvedKey } from '../accounts/key-cache.ts'
import { documentedPath, type Endpoint, type Scope } from '../contract/endpoints.ts'
import { ApiError } from '../contract/errors.ts'
import { DatabaseUnavailable } from '../database/client.ts'
import type { Call, Outcome } from '../metering/meter.ts'
import type { ApiServices, Exchange } from './exchange.ts'
import {
  errorResponse,
  headResponse,
  optionsResponse,
  type ResponseContext,
  rateOf,
  rateOfAddress,
  secondsUntil,
} from './responses.ts'

/** What a call asks the meter for, beyond who it is; and what follows from the meter's yes. */
export interface Prepared {
  refusal: ApiError | null
  call: Pick<
    Call,
    | 'price'
    | 'reveal_price'
    | 'record_exists'
    | 'person'
    | 'reveal'
    | 'contacts'
    | 'channels'
    | 'identity'
  >
  /** Answers a call that the meter let through: live, free or sample. */
  answer(outcome: Outcome, key: ResolvedKey, context: ResponseContext): Response
}

/** D20a. */
export const IDEMPOTENCY_KEY = /^[A-Za-z0-9._-]{1,64}$/
/** Answers a request to a live endpoint: gates 2 to 10. `prepare` is gates 5, 6 and the read. */
export async function answerCall(
  services: ApiServices,
  exchange: Exchange,
  price: Endpoint,
  prepare: (key: ResolvedKey) => Prepared,
): Promise<Response> {
  const { request, context } = exchange
  if (request.method === 'OPTIONS') return optionsResponse(context)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ApiError(
      'method_not_allowed',
      `${request.method} is not allowed: the API is read-only.`,
    )
  }
  const key = await authenticate(services, exchange)
  if (!key) return refuseKey(services, exchange)
  const refused = services.meter.refused(key.accountId)
  if (refused) {
    context.rate = rateOf(refused)
    throw refusalOf(refused, null)
  }
  const isHead = request.method === 'HEAD'
  const prepared = isHead ? withoutReading(prepare(key)) : prepare(key)
  const outcome = await services.meter.charge({
    ...prepared.call,
    ...retryOf(exchange, price, isHead),
    account: key.accountId,
    key: key.id,
    refusal:
      prepared.refusal && (prepared.refusal.code === 'missing_scope' ? 'scope' : 'parameters'),
    request_id: context.requestId,
    endpoint: documentedPath(price.path),
  })
  if (outcome.outcome === 'revoked') {
    services.keys.revoked(key)
    return refuseKey(services, exchange)
  }
  context.rate = rateOf(outcome)
  const error = refusalOf(outcome, prepared.refusal)
  if (error) throw error
  return isHead ? headResponse(context) : prepared.answer(outcome, key, context)
}

/** Throws what gate 6 says about a key without the scope. */
export function requireScope(key: ResolvedKey, scope: Scope): void {
  if (key.scopes.includes(scope)) return
  throw new ApiError('missing_scope', `The key lacks the scope ${scope}.`, { allowed: [scope] })
}

/** The key of the request, or undefined where none resolves (gate 3). */
async function authenticate(
  { keys }: ApiServices,
  { request }: Exchange,
): Promise<ResolvedKey | undefined> {
  // Two headers arrive joined by a comma, which no key contains (D8).
  const match = /^Bearer +([^\s,]+)$/i.exec(request.headers.get('authorization') ?? '')
  return match?.[1] ? keys.resolve(match[1]) : undefined
}

async function refuseKey(
  services: ApiServices,
  { request, context, address }: Exchange,
): Promise<Response> {
  const standing = await services.meter.reject(address).catch((error: unknown) => {
    // Without a database nothing can be counted, but the key is no better for it.
    if (error instanceof DatabaseUnavailable) return services.meter.standing(address)
    throw error
  })
  context.rate = rateOfAddress(standing)
  if (!standing.over) {
    throw new ApiError('unauthorized', 'Send a valid API key as Authorization: Bearer <API_KEY>.')
  }
  const retryAfter = secondsUntil(standing.resetMs, standing.nowMs)
  const message = `Too many requests of this address had no valid key. Wait ${retryAfter} s, or send a valid key.`
  return errorResponse(
    context,
    new ApiError('too_many_rejected_keys', message, { retryAfter }),
    request.headers.has('authorization'),
  )
}

/** HEAD passes gates 1 to 6, runs no query and costs nothing (D4). */
function withoutReading(prepared: Prepared): Prepared {
  return {
    ...prepared,
    call: {
      ...prepared.call,
      price: 0,
      reveal_price: 0,
      reveal: false,
      contacts: [],
      identity: false,
    },
  }
}

/** A retry's key, and what it may be used for (D20a). Only billed calls bind one. */
function retryOf({ request, query }: Exchange, price: Endpoint, isHead: boolean) {
  const key = request.headers.get('idempotency-key')
  if (key === null || price.credits === 0 || isHead || !IDEMPOTENCY_KEY.test(key)) {
    return { idempotency_key: null, fingerprint: null }
  }
  const path = new URL(request.url).pathname
  return {
    idempotency_key: key,
    fingerprint: createHash('sha256').update(`${path}?${query}`).digest('hex'),
  }
}

/** Gate 5's part of D20a: the form of the key. */
export function checkIdempotencyKey({ request }: Exchange): void {
  const key = request.headers.get('idempotency-key')
  if (key === null || IDEMPOTENCY_KEY.test(key)) return
  const allowed = '1 to 64 characters of [A-Za-z0-9._-]'
  throw new ApiError('invalid_parameter', `Idempotency-Key must have ${allowed}.`, {
    parameter: 'Idempotency-Key',
    allowed,
  })
}

function refusalOf(outcome: Outcome, refusal: ApiError | null): ApiError | null {
  const { balance: creditsBalance, required: creditsRequired, nowMs } = outcome
  switch (outcome.outcome) {
    case 'rate_limited': {
      const retryAfter = secondsUntil(outcome.rateResetMs, nowMs)
      const message = `The account's limit of ${outcome.rateLimit} requests per window is used up. Wait ${retryAfter} s.`
      return new ApiError('rate_limited', message, { retryAfter })
    }
    case 'refused':
      return refusal
    case 'key_reused':
      return new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key was charged for another call.',
        {
          parameter: 'Idempotency-Key',
        },
      )
    case 'insufficient': {
      const message = `The call costs ${creditsRequired} credits and the balance is ${creditsBalance}.`
      return new ApiError('insufficient_credits', message, { creditsRequired, creditsBalance })
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
