/**
 * Reveals by users of the application, charged by the same meter; `web-runs.ts` has exports and bulk searches. The caller is the account's credential of the application, whose id is the
 * account's own (`drizzle/functions/people/users.sql`); the ledger shows it as `web`.
 */
import { hash } from 'node:crypto'
import { documentedPath, ENDPOINTS } from '../../contract/endpoints.ts'
import { type Call, type Outcome, secondsUntil, type UnlockedContact } from '../charge/call.ts'
import type { Meter } from '../charge/meter.ts'

export interface WebCallOptions {
  requestId: string
  /** `key`: a random value of the form; `fingerprint`: what was asked for. Both again cost once a day. */
  once?: { key: string; fingerprint: string } | undefined
}

export type WebOutcome =
  | { outcome: 'charged'; charged: number; balance: number; unlocked: readonly UnlockedContact[] }
  | { outcome: 'insufficient'; required: number; balance: number }
  /** An operator has suspended the account. */
  | { outcome: 'suspended' }
  /** The record is gone. */
  | { outcome: 'not_found' }
  /** The form's `key` was made for another page, or there is no such account. */
  | { outcome: 'form_reused' }
  /** The form was sent as often as a day allows. */
  | { outcome: 'form_exhausted' }
  /** Over the rate, or this hour's first reveals are used up. */
  | { outcome: 'limited'; reason: 'rate' | 'reveals'; retryAfter: number }

/**
 * Reveals a contact: charged the first time, by whomever of the account, and never again.
 * @param contacts those whose channels the answer has too, as far as they are unlocked
 * @throws DatabaseUnavailable, as `Meter.charge` does
 */
export async function webReveal(
  meter: Meter,
  accountId: string,
  { person, contacts = [person] }: { person: string; contacts?: readonly string[] },
  { requestId, once }: WebCallOptions,
): Promise<WebOutcome> {
  const { path, revealCredits } = ENDPOINTS.person
  const outcome = await meter.charge({
    ...callOf(accountId, requestId),
    person,
    reveal: true,
    contacts,
    channels: true,
    price: 0,
    reveal_price: revealCredits,
    record_exists: true,
    endpoint: documentedPath(path),
    // Hashed: whatever a form holds, and apart from the keys that API clients choose.
    idempotency_key: once ? hash('sha256', `web ${once.key}`) : null,
    fingerprint: once ? hash('sha256', once.fingerprint) : null,
  })
  return answerOf(outcome)
}

/** Who calls, for the meter. */
export function callOf(accountId: string, requestId: string) {
  const call = { account: accountId, key: accountId, refusal: null, identity: false }
  return { ...call, request_id: requestId } satisfies Partial<Call>
}

export function answerOf(outcome: Outcome): WebOutcome {
  const { charged, balance, required, nowMs, rateResetMs, revealResetMs } = outcome
  switch (outcome.outcome) {
    case 'charged':
    case 'replayed':
    // It is unlocked already.
    case 'free':
      return { outcome: 'charged', charged, balance, unlocked: outcome.unlocked ?? [] }
    case 'sample':
    case 'insufficient':
      return { outcome: 'insufficient', required, balance }
    case 'rate_limited':
      return { outcome: 'limited', reason: 'rate', retryAfter: secondsUntil(rateResetMs, nowMs) }
    case 'reveal_cap': {
      const retryAfter = secondsUntil(revealResetMs ?? nowMs, nowMs)
      return { outcome: 'limited', reason: 'reveals', retryAfter }
    }
    case 'suspended':
      return { outcome: 'suspended' }
    case 'not_found':
      return { outcome: 'not_found' }
    case 'key_exhausted':
      return { outcome: 'form_exhausted' }
    // `revoked` and `key_reused`: a form asks for nothing else that the meter refuses.
    default:
      return { outcome: 'form_reused' }
  }
}
