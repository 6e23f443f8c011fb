/** A request on its way through the API host: how it begins, and how it ends when it fails. */
import type { KeyCache } from '../accounts/key-cache.ts'
import { clientAddress, limitedAs } from '../client-address.ts'
import type { Config } from '../config.ts'
import { ApiError } from '../contract/errors.ts'
import { DatabaseUnavailable, describeError } from '../database/client.ts'
import type { Directory } from '../directory/directory.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../metering/meter.ts'
import { socketAddressOf } from '../runtime.ts'
import { errorResponse, type ResponseContext, rateOfAddress } from './responses.ts'

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

/** A client's own request id is echoed if it looks like this (D9). */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const UNAVAILABLE_RETRY_S = 1

export function openExchange(services: ApiServices, request: Request): Exchange {
  const { trustedProxies } = services.config
  const forwarded = request.headers.get('x-forwarded-for')
  const address = limitedAs(clientAddress(socketAddressOf(request), forwarded, trustedProxies))
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
  services.log.error('a call failed', { requestId, error: describeError(thrown) })
  return errorResponse(
    context,
    new ApiError('internal_error', `The service failed. Request id: ${requestId}.`),
  )
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
