/**
 * Checks the passwords of people who sign in or confirm what they do, within limits on wrong ones. What strangers do to an
 * account slows strangers down and never its owner: a browser that the account knows is counted by itself, and there is no
 * limit that attackers could use up for everybody.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../database/client.ts'
import { type Limited, TooBusy } from './answers.ts'
import type { Cookies } from './cookies.ts'
import type { Place } from './password-queue.ts'
import type { Passwords } from './passwords.ts'
import { countWindows, firstOver, refundWindows, type Window } from './rate-limiter.ts'
import { type FoundUser, findUser } from './repository.ts'
import type { Session } from './sessions.ts'
import { hashToken } from './tokens.ts'
import { FieldError, isEmail, storedEmail } from './validation.ts'

export interface Credentials {
  email: string
  password: string
}

interface PasswordCheckSettings {
  database: Database
  passwords: Passwords
  cookies: Cookies
}

/** A user as the database has them at the time `foundAt`. */
type KnownNow = Pick<FoundUser, 'id' | 'password' | 'foundAt'>

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

export function createPasswordCheck({ database, passwords, cookies }: PasswordCheckSettings) {
  /** @param known what the account knows who asks by, see `PasswordAttempt` */
  async function check(
    { email, password }: Credentials,
    address: string,
    known: (user: FoundUser) => string | undefined,
  ) {
    // The hash is computed for a malformed address too, so that it takes as long.
    const user = isEmail(email) ? await findUser(database, email) : undefined
    const by = { email, address, knownAs: user && known(user) }
    const attempt = await countPasswordAttempt(database, by)
    if (attempt.outcome === 'limited') return attempt
    try {
      const isRight = await passwords.verify(password, user?.password, attempt.place)
      if (!isRight || !user) return { outcome: 'wrong' as const }
    } catch (error) {
      // Attempts of strangers count, so that whoever keeps trying goes behind newcomers.
      if (error instanceof TooBusy && attempt.place.isKnown) await attempt.refund()
      throw error
    }
    await attempt.refund()
    return { outcome: 'right' as const, user, place: attempt.place }
  }

  /** Known browser of the user; undefined for strangers. */
  function knownAs(user: KnownNow, request: Request): string | undefined {
    const token = cookies.browser(request)
    const isKnown = token && isKnownBrowser(user, token, Date.parse(user.foundAt))
    return isKnown ? hashToken(token) : undefined
  }

  return {
    /** Checks the password of somebody who signs in. Only wrong ones count as attempts. */
    ofVisitor({ email, password }: Credentials, request: Request, address: string) {
      const credentials = { email: storedEmail(email), password }
      return check(credentials, address, (user) => knownAs(user, request))
    },

    knownAs,

    /** Checks the password of somebody who is signed in. Only wrong ones count as attempts. @throws FieldError where it is wrong */
    async ofSession(field: string, { id, user }: Session, password: string, address: string) {
      const verified = await check({ email: user.email, password }, address, () => id)
      if (verified.outcome === 'wrong') throw new FieldError(field, 'Wrong password.')
      return verified
    },

    /** From now on the user's account knows the browser that gets this cookie. @returns a value of `Set-Cookie` */
    knownBrowserCookie(user: KnownNow): string {
      const token = knownBrowserToken(user, Date.parse(user.foundAt))
      return cookies.setBrowser(token, KNOWN_BROWSER_SECONDS)
    },
  }
}

const LIMIT_SECONDS = 900

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

interface PasswordAttempt {
  /** The e-mail address, in lower case; whether anybody has it makes no difference here. */
  email: string
  /** The client's, as `limitedAs` gives it. */
  address: string
  /** Known browser, hashed or an id; undefined for strangers. */
  knownAs: string | undefined
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
  const counts = await countWindows(database, windows)
  const over = firstOver(windows, counts)
  if (over) return { outcome: 'limited', retryAfter: over.endsIn }
  const [first, , strangers] = counts
  const place = {
    account,
    isKnown: knownAs !== undefined,
    failures: (first?.count ?? 1) - 1,
    isSlowed: (strangers?.count ?? 0) > WRONG_PASSWORDS.strangers,
  }
  const subjects = windows.map(({ subject }) => subject)
  return { outcome: 'allowed', place, refund: () => refundWindows(database, subjects) }
}

function windowOf(subject: string, limit: number | null): Window {
  return { subject, limit, seconds: LIMIT_SECONDS }
}

/** Half a year after the browser last signed in. */
const KNOWN_BROWSER_SECONDS = 180 * 86_400

/** When it ends in epoch milliseconds, what tells one browser from another, and the signature: 32 bytes together. */
const END_BYTES = 6
const NONCE_BYTES = 6
const SIGNATURE_BYTES = 20

interface KnownUser {
  id: string
  /** The hash of the password. */
  password: string
}

/**
 * The value of the cookie by which an account knows a browser: one that has signed in to it, or has set its password by a
 * link from a mail. It opens nothing; it only lets the browser past the limits on strangers. It is signed with the hash of
 * the account's password. So it speaks for one account, ends with the password, and leaves nothing in the database that
 * could be stolen. @param now the database's time, epoch milliseconds
 */
function knownBrowserToken(user: KnownUser, now: number): string {
  const end = Buffer.alloc(END_BYTES)
  end.writeUIntBE(now + KNOWN_BROWSER_SECONDS * 1_000, 0, END_BYTES)
  const body = Buffer.concat([end, randomBytes(NONCE_BYTES)])
  return Buffer.concat([body, signatureOf(user, body)]).toString('base64url')
}

/** True if the user's account knows the browser that sent this token. @param now as above */
function isKnownBrowser(user: KnownUser, token: string, now: number): boolean {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== END_BYTES + NONCE_BYTES + SIGNATURE_BYTES) return false
  const body = bytes.subarray(0, END_BYTES + NONCE_BYTES)
  const signature = bytes.subarray(END_BYTES + NONCE_BYTES)
  return timingSafeEqual(signature, signatureOf(user, body)) && body.readUIntBE(0, END_BYTES) > now
}

function signatureOf({ id, password }: KnownUser, body: Buffer): Buffer {
  const signature = createHmac('sha256', password).update(`known browser ${id} `).update(body)
  return signature.digest().subarray(0, SIGNATURE_BYTES)
}
