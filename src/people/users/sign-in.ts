/** Signing in: by a password, and by a code after it for people who have a second factor. And signing out. */
import type { Database } from '../../database/client.ts'
import { createHashCheck } from '../../database/hash-lookup.ts'
import type { Answer, WithCookies } from './answers.ts'
import type { Cookies } from './cookies.ts'
import * as emails from './email-templates.ts'
import { sendConfirmation } from './mail-links.ts'
import type { Outbox } from './mail-queue.ts'
import type { Credentials, PasswordCheck } from './password-check.ts'
import { countCodeAttempt, readCode } from './second-factor-codes.ts'
import {
  beginSignIn,
  finishSignIn,
  matchCode,
  PENDING_SECONDS,
  pendingUser,
  secondFactorOf,
} from './second-factor-store.ts'
import { endSession, SESSION_LASTS_SECONDS } from './sessions.ts'
import { hashToken, newToken } from './tokens.ts'
import { FieldError } from './validation.ts'

interface SignInServices extends emails.Sender {
  database: Database
  cookies: Cookies
  outbox: Outbox
  check: PasswordCheck
}

/** Message for a wrong, old or used code; it doesn't tell which. */
export const WRONG_CODE = 'Wrong code, or one that was used already. Wait for the next one.'

/** Message for a form whose session ended. */
export const SIGNED_OUT = 'You were signed out meanwhile. Sign in again.'

/** Methods throw `DatabaseUnavailable`, and `TooBusy` where too many wait. `address` is the client's. */
export function createSignIn(services: SignInServices) {
  const { database, cookies, outbox, check } = services
  return {
    ...createCodeStep(services),

    /**
     * `code`: the password is right, and the browser is to show a code next. `unverified`: the password is right, and another
     * confirmation link was sent to the address.
     */
    async signIn(
      form: Credentials & { returnUrl?: string | undefined },
      request: Request,
      address: string,
    ): Promise<WithCookies<'signed_in' | 'code'> | Answer<'wrong' | 'unverified'>> {
      const verified = await check.ofVisitor(form, request, address)
      if (verified.outcome !== 'right') return verified
      const { user } = verified
      if (outbox.sends && !user.emailVerifiedAt) {
        await sendConfirmation(services, user.id, user.email, form.returnUrl)
        return { outcome: 'unverified' }
      }
      const { token } = newToken()
      const next = await beginSignIn(database, user.id, user.password, token)
      if (next === 'code')
        return { outcome: 'code', cookies: [cookies.setPending(token, PENDING_SECONDS)] }
      if (next !== 'session') return { outcome: 'wrong' }
      await endSessionBefore(services, request)
      return { outcome: 'signed_in', cookies: sessionCookies(services, user, token) }
    },

    async signOut(request: Request): Promise<{ cookies: string[] }> {
      const token = cookies.session(request)
      if (token) await endSession(database, token)
      // Who signs in next in this browser opens nothing that was written before.
      return { cookies: [cookies.clearSession(), cookies.clearForm()] }
    },
  }
}

/** The second step, for people who have a second factor. */
function createCodeStep(services: SignInServices) {
  const { database, cookies, outbox, check } = services
  const isPendingHash = createHashCheck(database, 'pending_sign_ins')

  /** The user whose code this browser has to show next. */
  async function pendingUserOf(request: Request) {
    const token = cookies.pending(request)
    if (token === undefined || !(await isPendingHash(hashToken(token)))) return undefined
    return pendingUser(database, token)
  }

  const isPending = async (request: Request) => (await pendingUserOf(request)) !== undefined

  return {
    /** True if the browser is to show a code. */
    isPending,

    /** `expired`: the browser begins again. @throws FieldError, `code` where it is wrong */
    async finishSignIn(
      typed: string,
      request: Request,
      address: string,
    ): Promise<WithCookies<'signed_in'> | Answer<'expired'>> {
      const pending = cookies.pending(request)
      const user = await pendingUserOf(request)
      if (!user || !pending) return { outcome: 'expired' }
      const code = validCode('code', typed)
      const isRecovery = 'recovery' in code
      const knownAs = check.knownAs(user, request)
      const by = { userId: user.id, address, knownAs, isRecovery }
      const attempt = await countCodeAttempt(database, by)
      if (attempt.outcome === 'limited') {
        if (!knownAs && !isRecovery)
          await outbox.send('guesses', user.email, async () => emails.codeGuessesEmail(services))
        return attempt
      }
      const { token } = newToken()
      const match = await matchCode(database, user.id, code)
      if (!match || !(await finishSignIn(database, pending, match, token))) {
        // Somebody else's new password has ended it meanwhile, or a form that was sent twice.
        if (!(await isPending(request))) return { outcome: 'expired' }
        throw new FieldError('code', WRONG_CODE)
      }
      await attempt.refund()
      await endSessionBefore(services, request)
      if (isRecovery) await mailCodesLeft(services, user)
      return {
        outcome: 'signed_in',
        cookies: [...sessionCookies(services, user, token), cookies.clearPending()],
      }
    },
  }
}

/** @param user whose session the token is of */
function sessionCookies(
  { cookies, check }: SignInServices,
  user: Parameters<PasswordCheck['knownBrowserCookie']>[0],
  token: string,
): string[] {
  return [cookies.setSession(token, SESSION_LASTS_SECONDS), check.knownBrowserCookie(user)]
}

/** The browser's old session ends, so that no session outlives a sign-in (session fixation). */
async function endSessionBefore({ database, cookies }: SignInServices, request: Request) {
  const token = cookies.session(request)
  if (token) await endSession(database, token)
}

/** Tells somebody who used a recovery code how many are left. */
async function mailCodesLeft(
  services: SignInServices,
  { id, email }: { id: string; email: string },
) {
  const codesLeft = (await secondFactorOf(services.database, id))?.recoveryCodesLeft ?? 0
  await services.outbox.send('recovery', email, async () =>
    emails.recoveryCodeUsedEmail(services, codesLeft),
  )
}

/** @throws FieldError where the text has the form of no code: nothing is counted then */
export function validCode(field: string, typed: string) {
  const code = readCode(typed)
  if (!code)
    throw new FieldError(
      field,
      'Six digits of your app, or a recovery code of 16 letters and digits.',
    )
  return code
}
