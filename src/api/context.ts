/** The context of a request, which its steps and its answer share. */
import { clientAddress, limitedAs } from '../client-address.ts'
import type { Config } from '../config.ts'
import type { Endpoint } from '../contract/endpoints.ts'
import { ApiError } from '../contract/errors.ts'
import { REQUEST_ID } from '../contract/headers.ts'
import type { DirectoryReads } from '../directory/records/directory.ts'
import type { Log } from '../log.ts'
import type { KeyCache, ResolvedKey } from '../money/accounts/key-cache.ts'
import { isAllowedFrom } from '../money/accounts/key-limits.ts'
import type { RequestLog } from '../money/accounts/request-log.ts'
import type { Outcome } from '../money/charge/call.ts'
import type { Meter } from '../money/charge/meter.ts'
import { socketAddressOf } from '../runtime.ts'

/** Services that the API host uses. */
export interface ApiServices {
  config: Pick<Config, 'corsOrigins' | 'serviceName' | 'trustedProxies'>
  /** Public addresses, without a trailing slash. */
  baseUrl: string
  appUrl: string
  directory: DirectoryReads
  meter: Meter
  keys: KeyCache
  /** Absent with REQUEST_LOG=off. */
  requests?: RequestLog | undefined
  log: Log
}

/** The services of one server, with the headers that all of its answers share. */
export interface ApiHost extends ApiServices {
  readonly fixedHeaders: Headers
  /** Keys of calls that the application sends for a signed-in person. */
  readonly chosenKeys: WeakMap<Request, ResolvedKey>
}

/** A limit, the rest of it, and the end of its window in epoch milliseconds. */
export interface RateState {
  limit: number
  remaining: number
  resetMs: number
}

export interface RequestContext {
  readonly services: ApiHost
  readonly request: Request
  readonly isHead: boolean
  /** The path as it was sent, and the query string without its `?`. */
  readonly path: string
  readonly query: string
  readonly requestId: string
  readonly startedMs: number
  /** The caller, once the key has resolved. */
  caller?: { key: ResolvedKey; contract: Endpoint } | undefined
  /** The account's rate, once the database has decided; before that see `rateOf`. */
  rate?: RateState
  /** The meter's decision, or the quote of a HEAD. */
  quoted?: Outcome
  /** True if the call was charged, or was sent with a price and its end is unknown. */
  mayBeCharged: boolean
}

/** Longest URL that is answered, and the largest headers, in bytes. */
const MAX_URL_BYTES = 8 * 1024
const MAX_HEADER_BYTES = 16 * 1024

/** @param path as it was sent: the framework's decoding turns bad percent-encoding into null. */
export function openContext(services: ApiHost, request: Request, path: string): RequestContext {
  const sentId = request.headers.get('x-request-id') ?? ''
  const queryStart = request.url.indexOf('?')
  return {
    services,
    request,
    isHead: request.method === 'HEAD',
    path,
    query: queryStart < 0 ? '' : request.url.slice(queryStart + 1),
    requestId: REQUEST_ID.test(sentId) ? sentId : crypto.randomUUID(),
    startedMs: performance.now(),
    mayBeCharged: false,
  }
}

/** The client's address, which is compared with the networks of a key. */
export function clientOf({ services, request }: RequestContext): string {
  const forwarded = request.headers.get('x-forwarded-for')
  const { trustedProxies } = services.config
  return clientAddress(socketAddressOf(request), forwarded, trustedProxies)
}

/** The address that rejected keys are counted for. */
export function addressOf(context: RequestContext): string {
  return limitedAs(clientOf(context))
}

/** The key in the header. Two headers arrive joined by a comma, which no key contains. */
export function sentKeyOf({ request }: RequestContext): string | undefined {
  return /^Bearer +([^\s,]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}

/**
 * The rate in an answer's headers: the account's where it is known, also of a call that is refused before its key is read;
 * else the address's.
 */
export function rateOf(context: RequestContext): RateState {
  if (context.rate) return context.rate
  const { services, request } = context
  const sent = sentKeyOf(context)
  const key = services.chosenKeys.get(request) ?? (sent && services.keys.cached(sent))
  const mayUse = key && (!key.networks || isAllowedFrom(key.networks, clientOf(context)))
  const rate = mayUse ? services.meter.rate(key.accountId) : undefined
  return rate ?? services.meter.standing(addressOf(context))
}

/** Refuses URLs and headers that are too long and that the runtime lets through. @throws ApiError */
export function checkSize({ request }: RequestContext): void {
  if (request.url.length > MAX_URL_BYTES) {
    throw new ApiError('uri_too_long', `The URL may have ${MAX_URL_BYTES} bytes.`)
  }
  let bytes = 0
  for (const [name, value] of request.headers) bytes += name.length + value.length + 4
  if (bytes > MAX_HEADER_BYTES) {
    throw new ApiError('headers_too_large', `The headers may have ${MAX_HEADER_BYTES} bytes.`)
  }
}
