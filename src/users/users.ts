/**
 * Users: signing up, in and out, and changing what they sign in with. A known and an unknown address are answered alike
 * and in about the same time: the same hash is computed, and mails are sent in the background.
 *
 * Why no library: those there are store session tokens in plain text, have no absolute end of a session, take the
 * instance's time instead of the database's, and write a user in several statements.
 */
import type { Database } from '../database/client.ts'
import { type Cookies, createCookies } from './cookies.ts'
import * as emails from './email-templates.ts'
import type { Mailer } from './mail.ts'
import type { Passwords } from './passwords.ts'
import { type Attempt, countAttempt, refundAttempt } from './rate-limiter.ts'
import { findUser, insertUser, setEmail, setName, setPassword } from './repository.ts'
import {
  beginSession,
  endSession,
  findSession,
  SESSION_LASTS_SECONDS,
  type Session,
} from './sessions.ts'
import { confirmEmailByToken, newOneTimeToken, resetPasswordByToken } from './tokens.ts'
import { FieldError, isEmail, validEmail, validLine, validNewPassword } from './validation.ts'

/** The rate limiter refused the attempt. `retryAfter` is in whole seconds. */
type Limited = { outcome: 'limited'; retryAfter: number }

/** An outcome without details, or the rate limiter's refusal. */
type Answer<Outcome extends string> = { outcome: Outcome } | Limited

/** `cookies` are values of `Set-Cookie`. */
type NewSession<Outcome extends string> = { outcome: Outcome; cookies: string[] }

interface Credentials {
  email: string
  password: string
}

interface UserSettings extends emails.Sender {
  database: Database
  mailer: Mailer
  passwords: Passwords
  trialCredits: number
}

export type Users = ReturnType<typeof createUsers>

/** Methods throw `DatabaseUnavailable`, those that take a password `PasswordsBusy`. `address` is the client's. */
export function createUsers(settings: UserSettings) {
  const { database, mailer, passwords, trialCredits } = settings
  const cookies: Cookies = createCookies(settings.appUrl)

  /** @returns undefined where the attempt is allowed. */
  async function overLimit(attempt: Attempt): Promise<Limited | undefined> {
    const { allowed, retryAfter } = await countAttempt(database, attempt)
    return allowed ? undefined : { outcome: 'limited', retryAfter }
  }

  async function sendConfirmation(userId: string, email: string) {
    const token = await newOneTimeToken(database, 'confirm', userId, email)
    mailer.send({ to: email, ...emails.confirmationEmail(settings, token) })
  }

  /** Checks an address's password. Only wrong ones count as attempts. */
  async function verify(email: string, password: string, address: string) {
    const attempt: Attempt = { kind: 'signIn', address, email }
    const limited = await overLimit(attempt)
    if (limited) return limited
    // The hash is computed for a malformed address too, so that it takes as long.
    const user = isEmail(email) ? await findUser(database, email) : undefined
    const isRight = await passwords.verify(password, user?.password)
    if (!isRight || !user) return { outcome: 'wrong' as const }
    await refundAttempt(database, attempt)
    return { outcome: 'right' as const, user }
  }

  /** @returns the cookies, or undefined where the password has changed since. */
  async function newSession(userId: string, password: string): Promise<string[] | undefined> {
    const token = await beginSession(database, userId, password)
    return token === undefined ? undefined : [cookies.setSession(token, SESSION_LASTS_SECONDS)]
  }

  return {
    /** Whether links are sent by mail. If not, an operator's commands replace them. */
    sendsMail: mailer.sends,

    /** The session of the request's cookie. */
    async session(request: Request): Promise<Session | undefined> {
      const token = cookies.session(request)
      return token === undefined ? undefined : findSession(database, token)
    },

    /** Makes a user. Answers alike where the address is taken. @throws FieldError */
    async signUp(
      form: Credentials & { name: string; referral?: string | undefined },
      address: string,
    ): Promise<Answer<'done'>> {
      const email = validEmail('email', form.email)
      const name = validLine('name', form.name)
      const password = validNewPassword('password', form.password)
      const limited = await overLimit({ kind: 'signUp', address })
      if (limited) return limited
      // A link with a malformed code signs up all the same, without a referral.
      const referral = /^[0-9a-f]{12}$/.test(form.referral ?? '') ? form.referral : undefined
      const hash = await passwords.hash(password)
      const id = await insertUser(database, { email, name, password: hash, trialCredits, referral })
      if (mailer.sends) {
        if (id) await sendConfirmation(id, email)
        else mailer.send({ to: email, ...emails.accountExistsEmail(settings) })
      }
      return { outcome: 'done' }
    },

    /** `unverified`: the password is right, and another confirmation link was sent to the address. */
    async signIn(
      form: Credentials,
      request: Request,
      address: string,
    ): Promise<NewSession<'signed_in'> | Answer<'wrong' | 'unverified'>> {
      const verified = await verify(form.email.trim().toLowerCase(), form.password, address)
      if (verified.outcome !== 'right') return verified
      const { user } = verified
      if (mailer.sends && !user.emailVerifiedAt) {
        const limited = await overLimit({ kind: 'reset', address, email: user.email })
        if (!limited) await sendConfirmation(user.id, user.email)
        return { outcome: 'unverified' }
      }
      const setCookies = await newSession(user.id, user.password)
      if (!setCookies) return { outcome: 'wrong' }
      // The browser's old session ends, so that no session outlives a sign-in (session fixation).
      const before = cookies.session(request)
      if (before) await endSession(database, before)
      return { outcome: 'signed_in', cookies: setCookies }
    },

    async signOut(request: Request): Promise<{ cookies: string[] }> {
      const token = cookies.session(request)
      if (token) await endSession(database, token)
      return { cookies: [cookies.clearSession()] }
    },

    /** Ends every session of the user and gives this browser a new one. @throws FieldError */
    async changePassword(
      { user }: Session,
      form: { current: string; password: string },
      address: string,
    ): Promise<NewSession<'changed'> | Answer<'wrong'>> {
      const password = validNewPassword('password', form.password)
      const verified = await verify(user.email, form.current, address)
      if (verified.outcome !== 'right') return verified
      const hash = await passwords.hash(password)
      await setPassword(database, user.id, hash)
      return { outcome: 'changed', cookies: (await newSession(user.id, hash)) ?? [] }
    },

    /** Sends a link to the new address, which changes it; without mail, changes it at once. @throws FieldError */
    async changeEmail(
      { user }: Session,
      form: Credentials,
      address: string,
    ): Promise<Answer<'done' | 'wrong' | 'taken'>> {
      const email = validEmail('email', form.email)
      if (email === user.email) throw new FieldError('email', 'This is your address now.')
      const verified = await verify(user.email, form.password, address)
      if (verified.outcome !== 'right') return verified
      if (!mailer.sends)
        return { outcome: (await setEmail(database, user.id, email, false)) ? 'done' : 'taken' }
      const limited = await overLimit({ kind: 'reset', address, email })
      if (limited) return limited
      const isTaken = await findUser(database, email)
      if (isTaken) mailer.send({ to: email, ...emails.accountExistsEmail(settings) })
      else await sendConfirmation(user.id, email)
      return { outcome: 'done' }
    },

    /** @throws FieldError */
    async changeName({ user }: Session, name: string): Promise<void> {
      await setName(database, user.id, validLine('name', name))
    },

    /** Sends a link for a new password if the address is a user's. Answers alike where it is not. @throws FieldError */
    async requestReset(given: string, address: string): Promise<Answer<'done'>> {
      const email = validEmail('email', given)
      const limited = await overLimit({ kind: 'reset', address, email })
      if (limited) return limited
      const user = mailer.sends ? await findUser(database, email) : undefined
      if (user) {
        const token = await newOneTimeToken(database, 'reset', user.id, email)
        mailer.send({ to: email, ...emails.passwordResetEmail(settings, token) })
      }
      return { outcome: 'done' }
    },

    /** @throws FieldError */
    async resetPassword(
      form: { token: string; password: string },
      address: string,
    ): Promise<Answer<'changed' | 'expired'>> {
      const password = validNewPassword('password', form.password)
      const limited = await overLimit({ kind: 'link', address })
      if (limited) return limited
      const hash = await passwords.hash(password)
      const isChanged = await resetPasswordByToken(database, form.token, hash)
      return { outcome: isChanged ? 'changed' : 'expired' }
    },

    async confirmEmail(token: string, address: string): Promise<Answer<'confirmed' | 'expired'>> {
      const limited = await overLimit({ kind: 'link', address })
      if (limited) return limited
      const change = await confirmEmailByToken(database, token)
      if (!change) return { outcome: 'expired' }
      const { before, email } = change
      if (before !== email) mailer.send({ to: before, ...emails.addressChangedEmail(settings) })
      return { outcome: 'confirmed' }
    },
  }
}
