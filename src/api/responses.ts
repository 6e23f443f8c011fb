/** Responses and the headers that each one carries (D8, D9). */

import { type ApiError, errorBody } from '../contract/errors.ts'
import { API_VERSION } from '../contract/version.ts'
import type { Outcome, RejectedAddress } from '../metering/meter.ts'

/** How much of a limit is left; of the account where one is known, else of the address. */
export interface RateState {
  limit: number
  remaining: number
  /** Epoch milliseconds at which the window ends, and the database's time now. */
  resetMs: number
  nowMs: number
}

export interface ResponseContext {
  requestId: string
  rate: RateState
  cors: Readonly<Record<string, string>>
  appUrl: string
}

const METHODS = 'GET, HEAD, OPTIONS'

export function rateOf(outcome: Outcome): RateState {
  return {
    limit: outcome.rateLimit,
    remaining: outcome.rateRemaining,
    resetMs: outcome.rateResetMs,
    nowMs: outcome.nowMs,
  }
}

export function rateOfAddress({ limit, remaining, resetMs, nowMs }: RejectedAddress): RateState {
  return { limit, remaining, resetMs, nowMs }
}

/** Whole seconds until `resetMs`, at least 1 (D8). */
export function secondsUntil(resetMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((resetMs - nowMs) / 1_000))
}

function commonHeaders({ requestId, rate, cors }: ResponseContext): Record<string, string> {
  return {
    'service-api-version': API_VERSION,
    'product-api-version': API_VERSION,
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-ratelimit-limit': String(rate.limit),
    'x-ratelimit-remaining': String(rate.remaining),
    'x-ratelimit-reset': String(Math.ceil(rate.resetMs / 1_000)),
    ...cors,
  }
}

/** A 200 with a body that is JSON already. */
export function jsonResponse(
  context: ResponseContext,
  body: string,
  extra: Readonly<Record<string, string>> = {},
): Response {
  const headers = commonHeaders(context)
  headers['content-type'] = 'application/json; charset=utf-8'
  return new Response(body, { headers: Object.assign(headers, extra) })
}

/** What HEAD answers: the headers that a GET would begin with (D4). */
export function headResponse(context: ResponseContext): Response {
  const headers = commonHeaders(context)
  headers['content-type'] = 'application/json; charset=utf-8'
  return new Response(null, { headers })
}

/** What OPTIONS answers (D4). */
export function optionsResponse(context: ResponseContext): Response {
  const headers = commonHeaders(context)
  headers.allow = METHODS
  return new Response(null, { status: 204, headers })
}

/** @param keySent whether an `Authorization` header came with the request: it decides the challenge. */
export function errorResponse(
  context: ResponseContext,
  error: ApiError,
  keySent = false,
): Response {
  const headers = commonHeaders(context)
  headers['content-type'] = 'application/json; charset=utf-8'
  if (error.status === 401) {
    headers['www-authenticate'] = keySent ? 'Bearer error="invalid_token"' : 'Bearer'
  }
  if (error.code === 'missing_scope')
    headers['www-authenticate'] = 'Bearer error="insufficient_scope"'
  if (error.status === 405) headers.allow = METHODS
  if (error.fields.retryAfter !== undefined)
    headers['retry-after'] = String(error.fields.retryAfter)
  return new Response(errorBody(error, context.appUrl), { status: error.status, headers })
}
