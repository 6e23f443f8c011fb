/** Failures of calls: one class with a code. */
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
  /** The answer isn't this API's: a proxy's page, or a wrong address. */
  | 'unexpected_answer'
  /** A sample came, and samples are refused. */
  | 'sample_refused'
  /** The call could exceed `maxCredits`, and was not sent. */
  | 'credit_limit_reached'

export type ChainkinErrorCode = ApiErrorCode | ClientErrorCode

/** Fields of an error beside its code. */
export interface ErrorDetails {
  /** HTTP status of the last answer; null where none came or nothing was sent. */
  status: number | null
  /**
   * 0: no attempt was charged. null: unknown; the same call with this error's `idempotencyKey` within 24 hours is charged once at
   * most, both together.
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
  /** Codes of a newer service are passed on as they are. */
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

/** Details that an error with this code always has. */
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

/** An error whose code narrows its details. */
export type ChainkinFailure = {
  [Code in ChainkinErrorCode]: ChainkinError & { readonly code: Code } & (Code extends keyof Certain
      ? Certain[Code]
      : unknown)
}[ChainkinErrorCode]

/** Tells whether a thrown value is an error of a call, and narrows it by `error.code`. */
export function isChainkinError(error: unknown): error is ChainkinFailure {
  return error instanceof ChainkinError
}

/** Error of a call that was not sent because an argument is wrong. @param allowed allowed values, in words */
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

/** Error of a walk that got another page than the requested one: it would continue for ever, and pay for each page. */
export function notNext(call: CallInfo, page: unknown): ChainkinError {
  const message = `The answer has page ${page} and not the one that was asked for. Does something on the way keep answers? The walk has ended.`
  const { attempts, requestId, idempotencyKey } = call
  const details = { status: 200, charged: null, attempts, requestId, idempotencyKey }
  return new ChainkinError('unexpected_answer', message, details)
}
