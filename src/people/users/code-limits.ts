/**
 * Limits on wrong codes of a second factor. A code has six digits, so a limit holds for all who try one person's, unlike
 * with passwords: strangers get here by that person's password alone. Browsers that the account knows have a limit
 * of their own, which strangers can't use up: one that has signed in to it, or has reset its password by a link. A recovery
 * code is too long to be guessed, so it counts for its client address alone, and gets in whatever others have tried.
 */
import type { Database } from '../../database/client.ts'
import type { Limited } from './password-limits.ts'
import { countWindows, firstOver, refundWindows, type Window } from './rate-limiter.ts'

const QUARTER = 900
const DAY = 86_400

/** Wrong codes. Right ones don't count. */
export const WRONG_CODES = {
  /** From one client address, whomever they are of, in 15 minutes. Browsers that the account knows don't count here. */
  address: 30,
  /** Codes for one person from all strangers, in 15 minutes and in a day. */
  strangers: 10,
  strangersDay: 30,
  /** Codes for one person from one known browser or session in 15 minutes, and from all of them in a day. */
  known: 10,
  knownDay: 30,
} as const

export interface CodeAttempt {
  userId: string
  /** The client's, as `limitedAs` gives it. */
  address: string
  /** Known browser or session, hashed or an id; undefined for strangers. */
  knownAs: string | undefined
  isRecovery: boolean
}

/** @returns how to take the attempt back, because the code was right. */
type Allowed = { outcome: 'allowed'; refund(): Promise<void> }

/** Counts an attempt before its code is looked at. @throws DatabaseUnavailable */
export async function countCodeAttempt(
  database: Database,
  attempt: CodeAttempt,
): Promise<Allowed | Limited> {
  const windows = windowsOf(attempt)
  const over = firstOver(windows, await countWindows(database, windows))
  if (over) return { outcome: 'limited', retryAfter: over.endsIn }
  const subjects = windows.map(({ subject }) => subject)
  return { outcome: 'allowed', refund: () => refundWindows(database, subjects) }
}

function windowsOf({ userId, address, knownAs, isRecovery }: CodeAttempt): Window[] {
  const ofAddress = {
    subject: `code address ${address}`,
    limit: WRONG_CODES.address,
    seconds: QUARTER,
  }
  if (isRecovery) return [ofAddress]
  if (knownAs) {
    return [
      { subject: `code known ${knownAs}`, limit: WRONG_CODES.known, seconds: QUARTER },
      { subject: `code known day ${userId}`, limit: WRONG_CODES.knownDay, seconds: DAY },
    ]
  }
  return [
    ofAddress,
    { subject: `code strangers ${userId}`, limit: WRONG_CODES.strangers, seconds: QUARTER },
    { subject: `code strangers day ${userId}`, limit: WRONG_CODES.strangersDay, seconds: DAY },
  ]
}
