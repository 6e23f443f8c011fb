/** Checks the passwords of people who sign in or confirm what they do, within the limits of `password-limits.ts`. */
import type { Database } from '../../database/client.ts'
import type { Cookies } from './cookies.ts'
import { isKnownBrowser, KNOWN_BROWSER_SECONDS, knownBrowserToken } from './known-browser.ts'
import { countPasswordAttempt } from './password-limits.ts'
import type { Passwords } from './passwords.ts'
import { type FoundUser, findUser } from './repository.ts'
import type { Session } from './sessions.ts'
import { hashToken } from './tokens.ts'
import { TooBusy } from './too-busy.ts'
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
      const given = { email: storedEmail(email), password }
      return check(given, address, (user) => knownAs(user, request))
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
