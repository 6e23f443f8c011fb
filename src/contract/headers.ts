/** Headers of requests and responses beside `Authorization`. */
import { API_VERSION } from './version.ts'

/** The form of a client's `X-Request-Id`; another one is replaced. */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** The form of an `Idempotency-Key`. */
export const IDEMPOTENCY_KEY = /^[A-Za-z0-9._-]{1,64}$/

/** Repeats of a charged call that are answered within 24 hours; `charge.sql` has the same figure. */
export const IDEMPOTENT_REPEATS = 5

/**
 * Makes browsers use https alone for a year (RFC 6797), where the public address does. Subdomains decide for themselves.
 */
export function transportSecurity(publicAddress: string): Readonly<Record<string, string>> {
  return /^https:/i.test(publicAddress) ? { 'strict-transport-security': 'max-age=31536000' } : {}
}

export interface ResponseHeader {
  readonly description: string
  readonly example: string | number | true
}

/** Headers of every response. */
export const COMMON_HEADERS = {
  'Service-API-Version': {
    description: 'On every response: the version of the API that answered.',
    example: API_VERSION,
  },
  'Product-API-Version': {
    description: 'On every response: the version again, as `Service-API-Version` says it.',
    example: API_VERSION,
  },
  'X-Request-Id': {
    description: 'On every response: the name of the request, which the log has too.',
    example: 'import-2025-01-15.0042',
  },
  'X-RateLimit-Limit': {
    description: 'On every response: requests that the window allows.',
    example: 120,
  },
  'X-RateLimit-Remaining': {
    description: 'On every response: requests that are left in the window.',
    example: 119,
  },
  'X-RateLimit-Reset': {
    description: 'On every response: the epoch second at which the window ends.',
    example: 1_736_933_460,
  },
} as const satisfies Record<string, ResponseHeader>

/** Headers of some responses. */
export const OTHER_HEADERS = {
  'Service-Sample': { description: 'Only on a sample: the data is not real.', example: true },
  'Idempotent-Replayed': { description: 'Only on a repeat that cost nothing.', example: true },
  'Retry-After': {
    description: 'Only on a 429 or a 503: seconds to wait before the next try.',
    example: 42,
  },
} as const satisfies Record<string, ResponseHeader>

/** Headers of responses to HEAD, which quote the GET that follows. */
export const QUOTE_HEADERS = {
  'Service-Outcome': {
    description: 'How the GET would end: live, first_reveal, sample, replayed, or an error code.',
    example: 'first_reveal',
  },
  'Service-Credits-Required': {
    description: 'Credits that the call requires, where it gets as far as its price.',
    example: 10,
  },
  'Service-Credits-Balance': { description: 'Credits of the account now.', example: 245 },
} as const satisfies Record<string, ResponseHeader>
