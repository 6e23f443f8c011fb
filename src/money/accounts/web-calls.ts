/**
 * Reveals by users of the application, charged by the same meter (exports and bulk searches are in `web-runs.ts`). Their key is the
 * account's `web` credential, which has the account's id.
 */
import { hash } from 'node:crypto'
import { documentedPath, ENDPOINTS } from '../../contract/endpoints.ts'
import { type Call, type Outcome, secondsUntil, type UnlockedContact } from '../charge/call.ts'
import type { Meter } from '../charge/meter.ts'

export interface WebCallOptions {
  requestId: string
  /** Random value and content of the form: the same pair is charged once a day. */
  once?: { key: string; fingerprint: string } | undefined
}

export type WebOutcome =
  | { outcome: 'charged'; charged: number; balance: number; unlocked: readonly UnlockedContact[] }
  | { outcome: 'insufficient'; required: number; balance: number }
  | { outcome: 'suspended' }
  | { outcome: 'not_found' }
  /** The form's key belongs to another page, or there is no such account. */
  | { outcome: 'form_reused' }
  /** The form was sent too often in a day. */
  | { outcome: 'form_exhausted' }
  /** The rate, or the hour's first reveals, are used up. */
  | { outcome: 'limited'; reason: 'rate' | 'reveals'; retryAfter: number }

/**
 * Reveals a contact. The first reveal by anybody of the account is charged, later ones are free.
 * @param contacts ids whose channels the answer has too, if they are unlocked
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
    // Hashed with a prefix, so that a form's value can't be the key of an API client.
    idempotency_key: once ? hash('sha256', `web ${once.key}`) : null,
    fingerprint: once ? hash('sha256', once.fingerprint) : null,
  })
  return answerOf(outcome)
}

/** Caller's part of a `Call`. */
export function callOf(accountId: string, requestId: string) {
  const call = { account: accountId, key: accountId, refusal: null, identity: false }
  return { ...call, request_id: requestId } satisfies Partial<Call>
}

export function answerOf(outcome: Outcome): WebOutcome {
  const { charged, balance, required, nowMs, rateResetMs, revealResetMs } = outcome
  switch (outcome.outcome) {
    case 'charged':
    case 'replayed':
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
