/**
 * The way of a call through the gates of D1: read first, charge second, send third.
 *
 *   path → method → key → (rate) → parameters → scope → read → meter → body
 *
 * Parameters and scope are checked before the rate limit is, because the meter decides on all of
 * them in one statement; it answers in the order of D1, so a client never notices.
 */
import { createHash } from 'node:crypto'
import type { KeyCache, ResolvedKey } from '../accounts/key-cache.ts'
import type { Config } from '../config.ts'
import { DatabaseUnavailable } from '../database/client.ts'
import type { Directory } from '../directory/directory.ts'
import type { Log } from '../log.ts'
import type { Call, Meter, Outcome } from '../metering/meter.ts'
import type { Endpoint, Scope } from '../metering/prices.ts'
import { clientAddress, limitedAs } from './client-address.ts'
import { ApiError } from './errors.ts'
import {
  errorResponse,
  headResponse,
  optionsResponse,
  type ResponseContext,
  rateOf,
  rateOfAddress,
  secondsUntil,
} from './responses.ts'

/** What the API host works with. */
export interface ApiServices {
  config: Pick<Config, 'corsOrigins' | 'serviceName' | 'trustedProxies'>
  /** Public addresses, without a trailing slash. */
  baseUrl: string
  appUrl: string
  directory: Directory
  meter: Meter
  keys: KeyCache
  log: Log
}

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

/** One request on its way, with what its answer needs whatever becomes of it. */
export interface Exchange {
  request: Request
  /** The query string without its `?`. */
  query: string
  context: ResponseContext
  address: string
}

/** Longest URL that is answered, in bytes (D12). */
const MAX_URL_BYTES = 8 * 1024
const MAX_HEADER_BYTES = 16 * 1024

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const IDEMPOTENCY_KEY = /^[A-Za-z0-9._-]{1,64}$/
const UNAVAILABLE_RETRY_S = 1

export function openExchange(
  services: ApiServices,
  request: Request,
  socketAddress: string,
): Exchange {
  const { trustedProxies } = services.config
  const forwarded = request.headers.get('x-forwarded-for')
  const address = limitedAs(clientAddress(socketAddress, forwarded, trustedProxies))
  const sentId = request.headers.get('x-request-id') ?? ''
  const queryStart = request.url.indexOf('?')
  const query = queryStart < 0 ? '' : request.url.slice(queryStart + 1)
  const context: ResponseContext = {
    requestId: REQUEST_ID.test(sentId) ? sentId : crypto.randomUUID(),
    rate: rateOfAddress(services.meter.standing(address)),
    cors: corsHeaders(services.config.corsOrigins, request.headers.get('origin')),
    appUrl: services.appUrl,
  }
  return { request, query, context, address }
}

/** D12, where the runtime lets such a request through. */
export function refuseOversized({ request }: Exchange): void {
  if (request.url.length > MAX_URL_BYTES) {
    throw new ApiError('uri_too_long', `The URL may have ${MAX_URL_BYTES} bytes.`)
  }
  let bytes = 0
  for (const [name, value] of request.headers) bytes += name.length + value.length + 4
  if (bytes > MAX_HEADER_BYTES) {
    throw new ApiError('headers_too_large', `The headers may have ${MAX_HEADER_BYTES} bytes.`)
  }
}

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
    endpoint: price.path,
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

/** Turns whatever was thrown into an answer of the contract; what nobody foresaw is logged, not shown. */
export function answerError(services: ApiServices, exchange: Exchange, thrown: unknown): Response {
  const { context, request } = exchange
  const keySent = request.headers.has('authorization')
  if (thrown instanceof ApiError) return errorResponse(context, thrown, keySent)
  const { requestId } = context
  if (thrown instanceof DatabaseUnavailable) {
    services.log.warn('a call could not be decided', { requestId, reason: thrown.message })
    const message = `The service can't answer right now; nothing was answered, so repeat the call. Request id: ${requestId}.`
    return errorResponse(
      context,
      new ApiError('unavailable', message, { retryAfter: UNAVAILABLE_RETRY_S }),
    )
  }
  services.log.error('a call failed', { requestId, error: describe(thrown) })
  return errorResponse(
    context,
    new ApiError('internal_error', `The service failed. Request id: ${requestId}.`),
  )
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

function corsHeaders(allowed: readonly string[], origin: string | null): Record<string, string> {
  if (allowed.length === 0) return {}
  const any = allowed.includes('*')
  if (!any && !(origin && allowed.includes(origin))) return { vary: 'Origin' }
  return {
    'access-control-allow-origin': any ? '*' : (origin ?? ''),
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-allow-headers': 'Authorization, Idempotency-Key, X-Request-Id',
    'access-control-expose-headers':
      'Idempotent-Replayed, Product-API-Version, Retry-After, Service-API-Version, Service-Sample, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id',
    vary: 'Origin',
  }
}

/** An unforeseen error for the log: name, code and stack, but not what a database says of the values it was given. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown
  const code = 'code' in thrown ? ` ${String(thrown.code)}` : ''
  const frames = thrown.stack?.split('\n').filter((line) => /^\s*at /.test(line)) ?? []
  return `${thrown.name}${code}\n${frames.slice(0, 10).join('\n')}`
}
