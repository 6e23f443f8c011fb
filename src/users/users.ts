/**
 * People and their sessions: signing up, in and out, and changing what one signs in with.
 *
 * A known and an unknown address are answered alike and in about the same time: the same hash is
 * computed, and mails are sent beside the answer. What costs a hash or a mail takes a turn first.
 *
 * Why no library: those there are keep session tokens as they are, know no absolute end, take the
 * instance's time for the database's, and write a person in several statements. The hard part, the
 * hash, is the runtime's own.
 */
import type { Database } from '../database/client.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { emailOf, FieldError, isEmail, lineOf, newPasswordOf } from './fields.ts'
import { confirmLetter, knownLetter, movedLetter, resetLetter, type Sender } from './letters.ts'
import { confirmByLink, newLink, resetByLink } from './links.ts'
import type { Mailer } from './mail.ts'
import type { Passwords } from './passwords.ts'
import { giveTurnBack, takeTurn } from './rate-limiter.ts'
import { findUser, insertUser, setEmail, setName, setPassword } from './repository.ts'
import {
  beginSession,
  endSession,
  findSession,
  SESSION_LASTS_SECONDS,
  type Session,
} from './sessions.ts'

/** Too often; the whole seconds to wait. */
export interface Limited {
  outcome: 'limited'
  retryAfter: number
}

/** `cookies` are values of `Set-Cookie`. */
export type SignIn =
  | { outcome: 'signed_in'; cookies: string[] }
  | { outcome: 'wrong' }
  | { outcome: 'unverified' }
  | Limited

/** Methods throw `DatabaseUnavailable`, those that take a password `PasswordsBusy`: both are a 503. */
export interface Users {
  /** Whether links are sent by mail; where not, an operator's command does what they would. */
  sendsMail: boolean
  /** Who the request's cookie belongs to. @throws DatabaseUnavailable */
  session(request: Request): Promise<Session | undefined>
  /** Makes a person, unless the address is taken: the answer is the same. @throws FieldError */
  signUp(
    form: { name: string; email: string; password: string; referral?: string | undefined },
    address: string,
  ): Promise<{ outcome: 'done' } | Limited>
  /** `unverified`: the password is right, and a link was sent to the address once more. */
  signIn(
    form: { email: string; password: string },
    request: Request,
    address: string,
  ): Promise<SignIn>
  signOut(request: Request): Promise<{ cookies: string[] }>
  /** Ends every session of the person; this browser gets a new one. @throws FieldError */
  changePassword(
    session: Session,
    form: { current: string; password: string },
    address: string,
  ): Promise<{ outcome: 'changed'; cookies: string[] } | { outcome: 'wrong' } | Limited>
  /** With mail, a link to the new address changes it; without, it is changed at once. @throws FieldError */
  changeEmail(
    session: Session,
    form: { password: string; email: string },
    address: string,
  ): Promise<{ outcome: 'done' | 'wrong' | 'taken' } | Limited>
  /** @throws FieldError */
  changeName(session: Session, name: string): Promise<void>
  /** Sends a link for a new password, if the address is somebody's: the answer is the same. @throws FieldError */
  requestReset(email: string, address: string): Promise<{ outcome: 'done' } | Limited>
  /** @throws FieldError */
  resetPassword(
    form: { token: string; password: string },
    address: string,
  ): Promise<{ outcome: 'changed' | 'expired' } | Limited>
  confirmEmail(
    token: string,
    address: string,
  ): Promise<{ outcome: 'confirmed' | 'expired' } | Limited>
}

export interface UserSettings extends Sender {
  database: Database
  mailer: Mailer
  passwords: Passwords
  trialCredits: number
}

export function createUsers(settings: UserSettings): Users {
  const { database, mailer, passwords, trialCredits } = settings
  const cookies: Cookies = createCookies(settings.appUrl)
  const wait = (retryAfter: number): Limited => ({ outcome: 'limited', retryAfter })

  async function sendConfirmation(userId: string, email: string) {
    const token = await newLink(database, 'confirm', userId, email)
    mailer.send({ to: email, ...confirmLetter(settings, token) })
  }

  /** Whether the password is the one of this address: takes a turn, which only a right one gets back. */
  async function check(email: string, password: string, address: string) {
    const turn = await takeTurn(database, 'signIn', address, email)
    if (!turn.allowed) return wait(turn.retryAfter)
    // What can't be an address is nobody's, and answered as slowly.
    const user = isEmail(email) ? await findUser(database, email) : undefined
    if (!(await passwords.verify(password, user?.password)) || !user) return undefined
    await giveTurnBack(database, 'signIn', address, email)
    return { outcome: 'right' as const, user }
  }

  async function begin(userId: string, password: string): Promise<string[] | undefined> {
    const token = await beginSession(database, userId, password)
    return token === undefined ? undefined : [cookies.setSession(token, SESSION_LASTS_SECONDS)]
  }

  return {
    sendsMail: mailer.sends,

    async session(request) {
      const token = cookies.session(request)
      return token === undefined ? undefined : findSession(database, token)
    },

    async signUp(form, address) {
      const email = emailOf('email', form.email)
      const name = lineOf('name', form.name)
      const password = newPasswordOf('password', form.password)
      const turn = await takeTurn(database, 'signUp', address)
      if (!turn.allowed) return wait(turn.retryAfter)
      const referral = isReferralCode(form.referral) ? form.referral : undefined
      const hash = await passwords.hash(password)
      const id = await insertUser(database, { email, name, password: hash, trialCredits, referral })
      if (mailer.sends) {
        if (id) await sendConfirmation(id, email)
        else mailer.send({ to: email, ...knownLetter(settings) })
      }
      return { outcome: 'done' }
    },

    async signIn(form, request, address) {
      const checked = await check(form.email.trim().toLowerCase(), form.password, address)
      if (checked?.outcome !== 'right') return checked ?? { outcome: 'wrong' }
      const { user } = checked
      if (mailer.sends && !user.emailVerifiedAt) {
        const turn = await takeTurn(database, 'reset', address, user.email)
        if (turn.allowed) await sendConfirmation(user.id, user.email)
        return { outcome: 'unverified' }
      }
      const begun = await begin(user.id, user.password)
      if (!begun) return { outcome: 'wrong' }
      // Rotated: what the browser had before opens nothing any more.
      const before = cookies.session(request)
      if (before) await endSession(database, before)
      return { outcome: 'signed_in', cookies: begun }
    },

    async signOut(request) {
      const token = cookies.session(request)
      if (token) await endSession(database, token)
      return { cookies: [cookies.clearSession()] }
    },

    async changePassword(session, form, address) {
      const password = newPasswordOf('password', form.password)
      const checked = await check(session.user.email, form.current, address)
      if (checked?.outcome !== 'right') return checked ?? { outcome: 'wrong' }
      const hash = await passwords.hash(password)
      await setPassword(database, session.user.id, hash)
      return { outcome: 'changed', cookies: (await begin(session.user.id, hash)) ?? [] }
    },

    async changeEmail(session, form, address) {
      const email = emailOf('email', form.email)
      if (email === session.user.email) throw new FieldError('email', 'This is your address now.')
      const checked = await check(session.user.email, form.password, address)
      if (checked?.outcome !== 'right') return checked ?? { outcome: 'wrong' }
      const { id } = session.user
      if (!mailer.sends)
        return { outcome: (await setEmail(database, id, email, false)) ? 'done' : 'taken' }
      const turn = await takeTurn(database, 'reset', address, email)
      if (!turn.allowed) return wait(turn.retryAfter)
      if (await findUser(database, email)) mailer.send({ to: email, ...knownLetter(settings) })
      else await sendConfirmation(id, email)
      return { outcome: 'done' }
    },

    async changeName(session, name) {
      await setName(database, session.user.id, lineOf('name', name))
    },

    async requestReset(given, address) {
      const email = emailOf('email', given)
      const turn = await takeTurn(database, 'reset', address, email)
      if (!turn.allowed) return wait(turn.retryAfter)
      const user = mailer.sends ? await findUser(database, email) : undefined
      if (user) {
        const token = await newLink(database, 'reset', user.id, email)
        mailer.send({ to: email, ...resetLetter(settings, token) })
      }
      return { outcome: 'done' }
    },

    async resetPassword(form, address) {
      const password = newPasswordOf('password', form.password)
      const turn = await takeTurn(database, 'link', address)
      if (!turn.allowed) return wait(turn.retryAfter)
      const changed = await resetByLink(database, form.token, await passwords.hash(password))
      return { outcome: changed ? 'changed' : 'expired' }
    },

    async confirmEmail(token, address) {
      const turn = await takeTurn(database, 'link', address)
      if (!turn.allowed) return wait(turn.retryAfter)
      const moved = await confirmByLink(database, token)
      if (!moved) return { outcome: 'expired' }
      if (moved.before !== moved.email) mailer.send({ to: moved.before, ...movedLetter(settings) })
      return { outcome: 'confirmed' }
    },
  }
}

/** What can't be a code is nobody's link: whoever came by it is welcome all the same. */
function isReferralCode(code: string | undefined): boolean {
  return /^[0-9a-f]{12}$/.test(code ?? '')
}
