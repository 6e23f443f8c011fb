/** A call that the meter decides, and what comes of it. The rules stand in `drizzle/functions/money/charge.sql`. */
import type { KeyCap } from '../../contract/keys.ts'
import type { Tier } from '../../contract/tiers.ts'
import type { PrivateChannels } from '../../contract/vocabulary.ts'

/** One call to decide. Names are those of the SQL type `meter_call`, which has all of them but `quote` and `isWanted`. */
export interface Call {
  /**
   * Only asks what would become of this call now: it counts as a request, and its outcome is that of the call
   * that follows, `quoted` where that would be charged. Nothing is charged, unlocked or bound.
   */
  quote?: boolean
  account: string
  key: string
  /** Credits; 0 for a call that is free. */
  price: number
  /** Credits where the call turns out to be a first reveal. */
  reveal_price: number
  /** Gate 5 or 6 has failed. `values`: by what the records have now, which refuses no repeat of a call that was charged. */
  refusal: 'parameters' | 'values' | 'scope' | null
  /** Gate 8, as far as the caller knows; the database looks `person` up by itself. */
  record_exists: boolean
  /** The one contact that is read, whose unlock sets the price. */
  person: string | null
  /** `include=private` was asked. */
  reveal: boolean
  /** Ids of the contacts in the answer. */
  contacts: readonly string[]
  /** Whether the answer shows the channels of those contacts that the account has unlocked. */
  channels: boolean
  /** Whether the answer names the account (`/v1/me`). */
  identity: boolean
  idempotency_key: string | null
  /** Of path and query, beside an idempotency key. */
  fingerprint: string | null
  request_id: string
  endpoint: string
  /** Whether the caller can still be answered, asked just before the call is sent to the database; nothing of it goes there. */
  isWanted?: () => boolean
}

/** The caller's connection was closed before the call was sent to the database: nothing was charged. */
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

/** A contact in the answer that the account has unlocked; its channels are null unless they were asked for. */
export interface UnlockedContact extends PrivateChannels {
  id: string
}

/** Everything that `meta`, the headers and `/v1/me` say, from the same committed row. */
export interface Outcome {
  outcome: OutcomeName
  /** Credits taken by this call; 0 for a quote. */
  charged: number
  /** Credits that this call costs, or would have cost. */
  required: number
  balance: number
  tier: Tier
  rateLimit: number
  rateRemaining: number
  /** Epoch milliseconds of the database's clock. */
  rateResetMs: number
  revealResetMs: number | null
  /** Of a key with a cap, where that is in the way, and for `identity`; else null. */
  keyCap: KeyCap | null
  nowMs: number
  unlocked: UnlockedContact[] | null
  account: { name: string; email: string; organization: string | null } | null
}

/** Another transaction holds the account: nothing was decided or counted. */
export interface Busy {
  outcome: 'busy'
}

/** Whole seconds until `resetMs`, at least 1. */
export function secondsUntil(resetMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((resetMs - nowMs) / 1_000))
}
