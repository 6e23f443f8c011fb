/** Error codes: status, and cause and cure for the section of the documentation that `error.docs` names. */
import { IDEMPOTENT_REPEATS } from './headers.ts'

export interface ErrorEntry {
  status: number
  /** One sentence. */
  cause: string
  /** The client's remedy. */
  cure: string
}

export const ERRORS = {
  invalid_parameter: {
    status: 400,
    cause:
      'A parameter has a value that is not allowed. `parameter` names it, `allowed` says what is.',
    cure: 'Send an allowed value. The call cost nothing.',
  },
  unknown_parameter: {
    status: 400,
    cause: 'The endpoint has no parameter of this name, so the filter would silently not apply.',
    cure: 'Use the name in `allowed` that was meant; the message gives the nearest.',
  },
  missing_parameter: {
    status: 400,
    cause: 'A required parameter is absent or empty.',
    cure: 'Add the parameter that `parameter` names.',
  },
  idempotency_key_reused: {
    status: 400,
    cause: 'This `Idempotency-Key` was charged within the last 24 hours for another path or query.',
    cure: 'Use a new key for a new call, and the same key only to repeat the same one.',
  },
  idempotency_key_exhausted: {
    status: 400,
    cause: `The call of this \`Idempotency-Key\` has been repeated ${IDEMPOTENT_REPEATS} times, the most that 24 hours allow.`,
    cure: 'Use the answer of an earlier repeat. To read again, send a new key: the call is charged as any other.',
  },
  unauthorized: {
    status: 401,
    cause: 'The API key is missing, malformed, unknown, revoked or past its end.',
    cure: 'Send `Authorization: Bearer <API_KEY>` once, with a key that is in force.',
  },
  insufficient_credits: {
    status: 402,
    cause: 'The balance is below the price of the call. Nothing was charged.',
    cure: 'Top up by at least `creditsRequired - creditsBalance`, then repeat the call.',
  },
  key_cap_exceeded: {
    status: 402,
    cause:
      'The call costs more than the key’s own cap leaves for this day or month (UTC). The account may have credits. Nothing was charged.',
    cure: 'Wait until `renewsAt`, or use another key. `apiKey.cap` of `/v1/me` says what is spent.',
  },
  missing_scope: {
    status: 403,
    cause:
      'The key lacks the scope that the call needs: `read:contacts` for a reveal, else `read:metadata`.',
    cure: 'Use a key with the scope that `allowed` names.',
  },
  address_not_allowed: {
    status: 403,
    cause:
      'The key may be used from certain networks only, and the call came from another address, which the message names.',
    cure: 'Call from an allowed network, or create a key for this one. Such calls count like those with a rejected key.',
  },
  account_suspended: {
    status: 403,
    cause:
      'Whoever runs the service has suspended the account: no call with any of its keys is answered, not even a repeat. Nothing was charged, and credits and keys are as they were.',
    cure: 'Sign in to the application: its pages say why and whom to ask. Once that is settled the same keys work again.',
  },
  not_found: {
    status: 404,
    cause: 'There is no such path, or no such record in this directory. Nothing was charged.',
    cure: 'Check the path or the id. For a company, `/v1/projects/{id}` finds every kind.',
  },
  not_live: {
    status: 404,
    cause: 'The endpoint is planned and does not answer yet.',
    cure: 'Watch the endpoint list of `/v1/me`: it holds what is live.',
  },
  method_not_allowed: {
    status: 405,
    cause: 'The API is read-only: GET, HEAD and OPTIONS are what there is.',
    cure: 'Send a GET.',
  },
  uri_too_long: {
    status: 414,
    cause: 'The URL is longer than 8 KiB.',
    cure: 'Send fewer or shorter parameters.',
  },
  rate_limited: {
    status: 429,
    cause: 'The account has made as many requests as its window allows; its keys share one limit.',
    cure: 'Wait `retryAfter` seconds. `X-RateLimit-*` on every response tells how much is left.',
  },
  reveal_cap_exceeded: {
    status: 429,
    cause:
      'The account has revealed as many contacts as an hour allows. Contacts already unlocked can still be read.',
    cure: 'Wait `retryAfter` seconds before the next first reveal.',
  },
  too_many_rejected_keys: {
    status: 429,
    cause: 'More than 20 requests of this address within a minute had no key that resolves.',
    cure: 'Correct the key. A request with a key in force is answered at once; others wait `retryAfter` seconds.',
  },
  headers_too_large: {
    status: 431,
    cause: 'The request headers are larger than 16 KiB.',
    cure: 'Send fewer or shorter headers.',
  },
  unknown_method: {
    status: 501,
    cause: 'The method is none that the service knows. GET, HEAD and OPTIONS are what there is.',
    cure: 'Send a GET.',
  },
  internal_error: {
    status: 500,
    cause: 'The service failed. `charged` says whether it is known that the call cost nothing.',
    cure: 'Where `charged` is 0, repeat with growing pauses; where it is null, repeat with the same `Idempotency-Key`, or look into the ledger first. If it stays, report the request id in the message.',
  },
  unavailable: {
    status: 503,
    cause:
      'The database did not answer in time, or too many calls wait for it. `charged` says whether it is known that the call cost nothing.',
    cure: 'Repeat after `retryAfter` seconds: where `charged` is null, with the same `Idempotency-Key`, or look into the ledger first.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

export function isErrorCode(text: string | null): text is ErrorCode {
  return text !== null && Object.hasOwn(ERRORS, text)
}

/** Fields beside `code`, `message` and `docs` that a program can act on. */
export interface ErrorFields {
  parameter?: string
  allowed?: readonly string[] | string
  creditsRequired?: number
  creditsBalance?: number
  /** Start of the key's next period: ISO 8601 in UTC. */
  renewsAt?: string
  /** Seconds, at least 1. */
  retryAfter?: number
  /** null where it is unknown whether the call was charged; absent where nothing was. */
  charged?: null
}

/** An error of the contract; the message tells people what to do. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly fields: ErrorFields

  constructor(code: ErrorCode, message: string, fields: ErrorFields = {}) {
    super(message)
    this.code = code
    this.fields = fields
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}

/** The body of an error; `appUrl` is where the documentation is. */
export function errorBody(error: ApiError, appUrl: string): string {
  const { code, message, fields } = error
  return JSON.stringify({
    error: { code, message, docs: docsOf(code, appUrl), charged: 0, ...fields },
  })
}

/** The code's own section of the documentation. */
export function docsOf(code: ErrorCode, appUrl: string): string {
  return `${appUrl}/docs/errors#${code}`
}
