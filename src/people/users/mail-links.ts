/** Links in mails: password resets and confirmations of addresses. */
import type { Database } from '../../database/client.ts'
import { type Answer, overLimit, type WithCookies } from './answers.ts'
import type { Background } from './background.ts'
import * as emails from './email-templates.ts'
import type { Outbox } from './mail-queue.ts'
import { validNewPassword } from './new-password.ts'
import type { PasswordCheck } from './password-check.ts'
import type { Passwords } from './passwords.ts'
import { countWindows, isCounted } from './rate-limiter.ts'
import { findUser } from './repository.ts'
import {
  confirmEmailByToken,
  hashToken,
  newOneTimeToken,
  ownerOfReset,
  resetPasswordByToken,
} from './tokens.ts'
import { validEmail } from './validation.ts'

interface LinkServices extends emails.Sender {
  database: Database
  passwords: Passwords
  background: Background
  outbox: Outbox
  check: PasswordCheck
}

/** Sends a link that confirms an address. @param returnUrl where one goes on afterwards */
export function sendConfirmation(
  services: Pick<LinkServices, 'database' | 'outbox' | keyof emails.Sender>,
  userId: string,
  email: string,
  returnUrl?: string,
): Promise<void> {
  const { database, outbox } = services
  return outbox.send('confirm', email, async () =>
    emails.confirmationEmail(
      services,
      await newOneTimeToken(database, 'confirm', userId, email),
      returnUrl,
    ),
  )
}

/** How long it is known of a link that it was used. */
const USED = { limit: null, seconds: 30 * 86_400 }

const useOf = (token: string) => `used link ${hashToken(token)}`

/** Methods throw `DatabaseUnavailable`, and `TooBusy` where too many wait. `address` is the client's. */
export function createMailLinks(services: LinkServices) {
  const { database, passwords, background, outbox, check, serviceName } = services

  /** Why a link is not in force. */
  const endOf = async (token: string) =>
    (await isCounted(database, useOf(token))) ? ('used' as const) : ('expired' as const)

  return {
    /** Sends a link for a new password if the address is a user's. Answers alike where it is not. @throws FieldError */
    async requestReset(
      typedEmail: string,
      address: string,
      returnUrl?: string,
    ): Promise<Answer<'done'>> {
      const email = validEmail('email', typedEmail)
      const limited = await overLimit(database, { kind: 'reset', address })
      if (limited) return limited
      await background.begin(async () => {
        const user = await findUser(database, email)
        if (!user) return
        await outbox.send('reset', email, async () =>
          emails.passwordResetEmail(
            services,
            await newOneTimeToken(database, 'reset', user.id, email),
            returnUrl,
          ),
        )
      })
      return { outcome: 'done' }
    },

    /** Sets a password by a link from a mail. The account knows the browser from then on. @throws FieldError */
    async resetPassword(
      form: { token: string; password: string },
      address: string,
    ): Promise<WithCookies<'changed'> | Answer<'expired' | 'used'>> {
      const limited = await overLimit(database, { kind: 'link', address })
      if (limited) return limited
      const owner = await ownerOfReset(database, form.token)
      if (!owner) return { outcome: await endOf(form.token) }
      const { email } = owner
      const password = await validNewPassword('password', form.password, { email, serviceName })
      const place = { address, account: hashToken(email), isKnown: true, failures: 0 }
      const hash = await passwords.hash(password, place)
      const isChanged = await resetPasswordByToken(database, form.token, hash)
      if (!isChanged) return { outcome: await endOf(form.token) }
      await countWindows(database, [{ subject: useOf(form.token), ...USED }])
      return {
        outcome: 'changed',
        cookies: [check.knownBrowserCookie({ ...owner, password: hash })],
      }
    },

    /** State of a reset link. Reading it changes nothing. */
    async stateOfReset(token: string): Promise<'open' | 'used' | 'expired'> {
      return (await ownerOfReset(database, token)) ? 'open' : endOf(token)
    },

    async confirmEmail(token: string, address: string): Promise<Answer<'confirmed' | 'expired'>> {
      const limited = await overLimit(database, { kind: 'link', address })
      if (limited) return limited
      const change = await confirmEmailByToken(database, token)
      if (!change) return { outcome: 'expired' }
      const { before, email } = change
      if (before !== email)
        await outbox.send('changed', before, async () => emails.addressChangedEmail(services))
      return { outcome: 'confirmed' }
    },
  }
}
