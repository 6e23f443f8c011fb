/** Whatever a call can end with but an answer: one class, told apart by its code. */
import type { CallInfo } from './answer.ts'
import type { ApiErrorCode } from './generated/errors.ts'

/** Why a call failed without an error of the API's own. */
export type ClientErrorCode =
  /** No connection, or it broke before the answer was whole. */
  | 'no_answer'
  /** An attempt took longer than `timeoutMs`. */
  | 'timed_out'
  /** The caller's signal was aborted; `cause` is its reason. */
  | 'aborted'
  /** What came is no answer of this API: a proxy's page, or an address that is not the API's. */
  | 'unexpected_answer'
  /** A sample came, and samples are refused. */
  | 'sample_refused'
  /** The call could cost more than is left of `maxCredits`: it was not sent. */
  | 'credit_limit_reached'

export type ChainkinErrorCode = ApiErrorCode | ClientErrorCode

/** What an error says beside its code. */
export interface ErrorDetails {
  /** HTTP status of the last answer; null where none came or nothing was sent. */
  status: number | null
  /**
   * 0: the call, with all its attempts, was not charged. null: it is not known; the same call with this error's
   * `idempotencyKey` within 24 hours is charged once at most, both together.
   */
  charged: 0 | null
  /** How often the call was sent. */
  attempts: number
  /** `X-Request-Id` of the last attempt, which the service's log and ledger have too; null where nothing was sent. */
  requestId: string | null
  /** The key that all attempts carried; null for calls that are free. */
  idempotencyKey: string | null
  /** Seconds to wait before the next try. */
  retryAfter?: number
  /** The parameter that was refused, and what is allowed. */
  parameter?: string
  allowed?: string | readonly string[]
  creditsRequired?: number
  creditsBalance?: number
  /** When the key's cap begins anew: ISO 8601 in UTC. */
  renewsAt?: string
  /** The code's section of the documentation. */
  docs?: string
}

/** A call that was not answered. `message` is for people, `code` for programs. */
export class ChainkinError extends Error implements ErrorDetails {
  override readonly name = 'ChainkinError'
  /** A newer service may have codes that this client doesn't know: they are passed on as they are. */
  readonly code: ChainkinErrorCode
  declare readonly status: number | null
  declare readonly charged: 0 | null
  declare readonly attempts: number
  declare readonly requestId: string | null
  declare readonly idempotencyKey: string | null
  declare readonly retryAfter?: number
  declare readonly parameter?: string
  declare readonly allowed?: string | readonly string[]
  declare readonly creditsRequired?: number
  declare readonly creditsBalance?: number
  declare readonly renewsAt?: string
  declare readonly docs?: string

  constructor(code: ChainkinErrorCode, message: string, details: ErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    Object.assign(this, details)
  }
}

/** What is certain to be there with some of the codes. */
interface Certain {
  rate_limited: { readonly retryAfter: number }
  reveal_cap_exceeded: { readonly retryAfter: number }
  too_many_rejected_keys: { readonly retryAfter: number }
  unavailable: { readonly retryAfter: number }
  insufficient_credits: { readonly creditsRequired: number; readonly creditsBalance: number }
  key_cap_exceeded: { readonly creditsRequired: number; readonly renewsAt: string }
  sample_refused: { readonly creditsRequired: number; readonly creditsBalance: number }
  credit_limit_reached: { readonly creditsRequired: number }
  invalid_parameter: { readonly parameter: string; readonly allowed: string | readonly string[] }
  unknown_parameter: { readonly parameter: string; readonly allowed: string | readonly string[] }
  missing_parameter: { readonly parameter: string }
}

/** An error whose code tells the compiler which of its details are there. */
export type ChainkinFailure = {
  [Code in ChainkinErrorCode]: ChainkinError & { readonly code: Code } & (Code extends keyof Certain
      ? Certain[Code]
      : unknown)
}[ChainkinErrorCode]

/** Whether something that was thrown is an error of a call; after it, `error.code` can be switched by. */
export function isChainkinError(error: unknown): error is ChainkinFailure {
  return error instanceof ChainkinError
}

/** The error of a call that can't be written: it was not sent. @param allowed what the parameter may be */
export function badArgument(parameter: string, allowed: string): ChainkinError {
  const message = `${parameter}: expected ${allowed}. Nothing was sent.`
  const nothing = {
    status: null,
    charged: 0,
    attempts: 0,
    requestId: null,
    idempotencyKey: null,
  } as const
  return new ChainkinError('invalid_parameter', message, { ...nothing, parameter, allowed })
}

/** The error of a walk whose answer has another page than was asked for: it would go on for ever, and pay for each. */
export function notNext(call: CallInfo, page: unknown): ChainkinError {
  const message = `The answer has page ${page} and not the one that was asked for. Does something on the way keep answers? The walk has ended.`
  const { attempts, requestId, idempotencyKey } = call
  const details = { status: 200, charged: null, attempts, requestId, idempotencyKey }
  return new ChainkinError('unexpected_answer', message, details)
}
