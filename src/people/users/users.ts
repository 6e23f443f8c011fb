/**
 * Users: signing up, and changing what they sign in with. Signing in is in `sign-in.ts`, links of mails are in
 * `mail-links.ts`, codes in `second-factor.ts`. A known and an unknown address are answered alike and in the same time: the
 * same hash is computed, and what differs is done when the form has been answered.
 *
 * Why no library: those there are store session tokens in plain text, have no absolute end of a session, take the
 * instance's time instead of the database's, and write a user in several statements.
 */
import type { Database } from '../../database/client.ts'
import { isReferralCode } from '../../money/payments/referrals.ts'
import { type Answer, type Limited, overLimit, type WithCookies } from './answers.ts'
import type { Background } from './background.ts'
import { type Cookies, createCookies } from './cookies.ts'
import * as emails from './email-templates.ts'
import { createMailLinks, sendConfirmation } from './mail-links.ts'
import type { Mailer } from './mail-queue.ts'
import { createOutbox, type Outbox } from './mail-queue.ts'
import { isThrowaway } from './mailbox.ts'
import { validNewPassword } from './new-password.ts'
import { type Credentials, createPasswordCheck, type PasswordCheck } from './password-check.ts'
import type { Passwords } from './passwords.ts'
import { countAttempt } from './rate-limiter.ts'
import { findUser, insertUser, setEmail, setName } from './repository.ts'
import { SecondFactors } from './second-factor.ts'
import {
  changePassword,
  createSessionLookup,
  SESSION_LASTS_SECONDS,
  type Session,
} from './sessions.ts'
import { createSignIn, SIGNED_OUT } from './sign-in.ts'
import { hashToken } from './tokens.ts'
import { FieldError, validEmail, validFields, validLine } from './validation.ts'

interface UserSettings extends emails.Sender {
  database: Database
  mailer: Mailer
  passwords: Passwords
  background: Background
  trialCredits: number
}

export type Users = ReturnType<typeof createUsers>

interface UserServices extends UserSettings {
  cookies: Cookies
  outbox: Outbox
  check: PasswordCheck
}

/** Methods throw `DatabaseUnavailable`, and `TooBusy` where too many wait. `address` is the client's. */
export function createUsers(settings: UserSettings) {
  const { database, mailer, passwords } = settings
  const cookies = createCookies(settings.appUrl)
  const outbox = createOutbox(database, mailer)
  const check = createPasswordCheck({ database, passwords, cookies })
  const services: UserServices = { ...settings, cookies, outbox, check }
  return {
    /** True if links are sent by mail. If not, an operator's commands replace them. */
    sendsMail: mailer.sends,
    ...createSessionReader(services),
    ...createSignUp(services),
    ...createSignIn(services),
    ...createMailLinks(services),
    ...createChanges(services),
    secondFactor: new SecondFactors(services),

    /** Tells somebody by mail that they were removed from a workspace. */
    tellRemoved(email: string, workspace: string): Promise<void> {
      return services.outbox.send('removed', email, async () =>
        emails.memberRemovedEmail(services, workspace),
      )
    },
  }
}

function createSessionReader({ database, cookies }: UserServices) {
  const sessions = createSessionLookup(database)
  return {
    /** The session of the request's cookie. */
    async session(request: Request): Promise<Session | undefined> {
      const token = cookies.session(request)
      return token === undefined ? undefined : sessions.find(token)
    },

    /** Why the session of the request's cookie is none any more; undefined where it has no cookie. */
    async sessionEnd(request: Request): Promise<'removed' | 'ended' | undefined> {
      const token = cookies.session(request)
      return token === undefined ? undefined : sessions.endOf(token)
    },

    /** True if the request's cookie is of an operator's session, which may have ended. */
    async wasOperator(request: Request): Promise<boolean> {
      const token = cookies.session(request)
      return token !== undefined && sessions.isOperators(token)
    },
  }
}

function createSignUp(services: UserServices) {
  const { database, mailer, passwords, background, serviceName, trialCredits } = services
  return {
    /** Makes a user; `throwaway`: without a trial. Answers alike where the address is taken. @throws FieldError */
    async signUp(
      form: Credentials & {
        name: string
        referral?: string | undefined
        returnUrl?: string | undefined
      },
      address: string,
    ): Promise<Answer<'done' | 'throwaway'>> {
      const { name, email, password } = await validFields({
        name: () => validLine('name', form.name),
        email: () => validEmail('email', form.email),
        password: () =>
          validNewPassword('password', form.password, { email: form.email, serviceName }),
      })
      const { allowed, count, retryAfter } = await countAttempt(database, {
        kind: 'signUp',
        address,
      })
      if (!allowed) return { outcome: 'limited', retryAfter }
      const referral = isReferralCode(form.referral ?? '') ? form.referral : undefined
      const place = { address, account: hashToken(email), isKnown: false, failures: count - 1 }
      const hash = await passwords.hash(password, place)
      const user = { email, name, trialCredits, confirms: mailer.sends, referral }
      const insert = () => insertUser(database, { ...user, password: hash })
      // Without mail, whoever signs up signs in next, and learns then whether the address was free.
      if (!mailer.sends) await insert()
      else {
        await background.begin(async () => {
          const id = await insert()
          await (id
            ? sendConfirmation(services, id, email, form.returnUrl)
            : sendAccountExists(services, email))
        })
      }
      return { outcome: trialCredits > 0 && (await isThrowaway(email)) ? 'throwaway' : 'done' }
    },
  }
}

/** Changes of the name, address and password that somebody has. */
function createChanges(services: UserServices) {
  const { database, mailer, passwords, background, serviceName, cookies, check } = services
  return {
    /** Ends every session of the user and gives this browser a new one. @throws FieldError, `current` where it is wrong */
    async changePassword(
      session: Session,
      form: { current: string; password: string },
      address: string,
    ): Promise<WithCookies<'changed'> | Limited> {
      const { email } = session.user
      const { verified, password } = await validFields({
        verified: () => check.ofSession('current', session, form.current, address),
        password: () => validNewPassword('password', form.password, { email, serviceName }),
      })
      if (verified.outcome !== 'right') return verified
      const hash = await passwords.hash(password, verified.place)
      const token = await changePassword(database, session, hash)
      if (token === undefined) throw new FieldError('current', SIGNED_OUT)
      const browserCookie = check.knownBrowserCookie({ ...verified.user, password: hash })
      return {
        outcome: 'changed',
        cookies: [cookies.setSession(token, SESSION_LASTS_SECONDS), browserCookie],
      }
    },

    /** Sends a link to the new address, which changes it; without mail, changes it at once. @throws FieldError, `confirmation` where the password is wrong */
    async changeEmail(
      session: Session,
      form: Credentials,
      address: string,
    ): Promise<Answer<'done' | 'taken'>> {
      const { user } = session
      const { email, verified } = await validFields({
        email: () => otherEmail('email', form.email, user.email),
        verified: () => check.ofSession('confirmation', session, form.password, address),
      })
      if (verified.outcome !== 'right') return verified
      const limited = await overLimit(database, { kind: 'reset', address })
      if (limited) return limited
      if (!mailer.sends)
        return { outcome: (await setEmail(database, user.id, email, false)) ? 'done' : 'taken' }
      await background.begin(async () => {
        const isTaken = await findUser(database, email)
        await (isTaken
          ? sendAccountExists(services, email)
          : sendConfirmation(services, user.id, email))
      })
      return { outcome: 'done' }
    },

    /** @throws FieldError */
    async changeName({ user }: Session, name: string): Promise<void> {
      await setName(database, user.id, validLine('name', name))
    },
  }
}

/** Tells an address that it has an account: only the mail says so, never a page. */
function sendAccountExists(services: UserServices, email: string): Promise<void> {
  return services.outbox.send('exists', email, async () => emails.accountExistsEmail(services))
}

/** An address that is not the one of now. @throws FieldError */
function otherEmail(field: string, text: string, now: string): string {
  const email = validEmail(field, text)
  if (email === now) throw new FieldError(field, 'This is your address now.')
  return email
}
