/** Input and outcome of the meter. The rules stand in `drizzle/functions/money/charge.sql`. */
import type { KeyCap } from '../../contract/keys.ts'
import type { Tier } from '../../contract/tiers.ts'
import type { PrivateChannels } from '../../contract/vocabulary.ts'

/** Fields have the names of the SQL type `meter_call`, which has all of them but `quote` and `isWanted`. */
export interface Call {
  /** Asks for the outcome without charging, unlocking or binding anything; it counts as a request. `quoted` means that the call would be charged. */
  quote?: boolean
  account: string
  key: string
  /** Credits; 0 for a call that is free. */
  price: number
  /** Credits for a first reveal. */
  reveal_price: number
  /** Failure of gate 5 or 6. `values` depends on today's records, so it doesn't refuse the repeat of a charged call. */
  refusal: 'parameters' | 'values' | 'scope' | null
  /** Gate 8 as the caller knows it; the database looks `person` up by itself. */
  record_exists: boolean
  /** The contact whose unlock sets the price. */
  person: string | null
  /** `include=private`. */
  reveal: boolean
  /** Ids of contacts in the answer. */
  contacts: readonly string[]
  /** Shows the channels of unlocked contacts. */
  channels: boolean
  /** Names the account (`/v1/me`). */
  identity: boolean
  idempotency_key: string | null
  /** Hash of path and query; null without an idempotency key. */
  fingerprint: string | null
  request_id: string
  endpoint: string
  /** False once the caller has disconnected; checked just before the call is sent to the database. */
  isWanted?: () => boolean
}

/** Disconnection before the call was sent to the database: nothing was charged. */
export class CallerLeft extends Error {
  override name = 'CallerLeft'
  override message = 'the connection was closed before the call was charged'
}

export type OutcomeName =
  | 'revoked'
  | 'rate_limited'
  | 'suspended'
  | 'refused'
  | 'key_reused'
  | 'key_exhausted'
  | 'free'
  | 'sample'
  | 'insufficient'
  | 'key_cap'
  | 'not_found'
  | 'replayed'
  | 'reveal_cap'
  | 'quoted'
  | 'charged'

/** An unlocked contact in the answer; channels are null unless the call has `channels`. */
export interface UnlockedContact extends PrivateChannels {
  id: string
}

/** Figures of `meta`, the headers and `/v1/me`, all from one committed row. */
export interface Outcome {
  outcome: OutcomeName
  /** Credits; 0 for a quote. */
  charged: number
  /** Price in credits, charged or not. */
  required: number
  balance: number
  tier: Tier
  rateLimit: number
  rateRemaining: number
  /** Epoch milliseconds of the database's clock. */
  rateResetMs: number
  revealResetMs: number | null
  /** The key's cap where it refused the call or `identity` was set; else null. */
  keyCap: KeyCap | null
  nowMs: number
  unlocked: UnlockedContact[] | null
  account: { name: string; email: string; organization: string | null } | null
}

/** Outcome where another transaction holds the account: nothing was decided or counted. */
export interface Busy {
  outcome: 'busy'
}

/** Whole seconds until `resetMs`, at least 1. */
export function secondsUntil(resetMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((resetMs - nowMs) / 1_000))
}
