/**
 * Limits on wrong passwords. What strangers do to an account slows strangers down and never its owner: a browser that
 * the account knows is counted by itself, and there is no limit that attackers could use up for everybody.
 */
import type { Database } from '../../database/client.ts'
import type { Place } from './password-queue.ts'
import { countWindows, firstOver, refundWindows, type Window } from './rate-limiter.ts'
import { hashToken } from './tokens.ts'

const SECONDS = 900

/** Wrong passwords in 15 minutes. Right ones don't count. */
export const WRONG_PASSWORDS = {
  /** From one client address, whomever they are on. */
  address: 30,
  /** From one client address on one account. */
  account: 10,
  /** From one browser or session that the account knows. */
  known: 10,
  /** From all strangers on one account. After it they go one at a time, some time apart. */
  strangers: 10,
} as const

export interface PasswordAttempt {
  /** The e-mail address, in lower case; whether anybody has it makes no difference here. */
  email: string
  /** The client's, as `limitedAs` gives it. */
  address: string
  /** Known browser, hashed or an id; undefined for strangers. */
  knownAs: string | undefined
}

/** The attempt is over a limit. `retryAfter` is in whole seconds. */
export interface Limited {
  outcome: 'limited'
  retryAfter: number
}

interface Allowed {
  outcome: 'allowed'
  /** Where the password waits for its turn. */
  place: Place
  /** Takes the attempt back, because it wasn't a wrong password. */
  refund(): Promise<void>
}

/** Counts an attempt before its password is looked at. @throws DatabaseUnavailable */
export async function countPasswordAttempt(
  database: Database,
  { email, address, knownAs }: PasswordAttempt,
): Promise<Allowed | Limited> {
  // Hashed, so that an address that somebody mistyped isn't stored.
  const account = hashToken(email)
  const windows = knownAs
    ? [windowOf(`password known ${knownAs}`, WRONG_PASSWORDS.known)]
    : [
        windowOf(`password address ${address}`, WRONG_PASSWORDS.address),
        windowOf(`password account ${account} ${address}`, WRONG_PASSWORDS.account),
        windowOf(`password strangers ${account}`, null),
      ]
  const counted = await countWindows(database, windows)
  const over = firstOver(windows, counted)
  if (over) return { outcome: 'limited', retryAfter: over.endsIn }
  const [own, , strangers] = counted
  const place = {
    address,
    account,
    isKnown: knownAs !== undefined,
    failures: (own?.count ?? 1) - 1,
    isSlowed: (strangers?.count ?? 0) > WRONG_PASSWORDS.strangers,
  }
  const subjects = windows.map(({ subject }) => subject)
  return { outcome: 'allowed', place, refund: () => refundWindows(database, subjects) }
}

function windowOf(subject: string, limit: number | null): Window {
  return { subject, limit, seconds: SECONDS }
}
