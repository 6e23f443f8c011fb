/** What is done by links in mails: a forgotten password is reset, an address is confirmed. */
import type { Database } from '../database/client.ts'
import { type Answer, overLimit, type WithCookies } from './answers.ts'
import type { Background } from './background.ts'
import * as emails from './email-templates.ts'
import { validNewPassword } from './new-password.ts'
import type { Outbox } from './outbox.ts'
import type { createPasswordCheck } from './password-check.ts'
import type { Passwords } from './passwords.ts'
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
  check: ReturnType<typeof createPasswordCheck>
}

/** Methods throw `DatabaseUnavailable`, and `TooBusy` where too many wait. `address` is the client's. */
export function createMailLinks(services: LinkServices) {
  const { database, passwords, background, outbox, check, serviceName } = services
  return {
    /** Sends a link for a new password if the address is a user's. Answers alike where it is not. @throws FieldError */
    async requestReset(given: string, address: string): Promise<Answer<'done'>> {
      const email = validEmail('email', given)
      const limited = await overLimit(database, { kind: 'reset', address })
      if (limited) return limited
      await background.begin(async () => {
        const user = await findUser(database, email)
        if (!user) return
        await outbox.send('reset', email, async () =>
          emails.passwordResetEmail(
            services,
            await newOneTimeToken(database, 'reset', user.id, email),
          ),
        )
      })
      return { outcome: 'done' }
    },

    /** Sets a password by a link from a mail. The account knows the browser from then on. @throws FieldError */
    async resetPassword(
      form: { token: string; password: string },
      address: string,
    ): Promise<WithCookies<'changed'> | Answer<'expired'>> {
      const limited = await overLimit(database, { kind: 'link', address })
      if (limited) return limited
      const owner = await ownerOfReset(database, form.token)
      if (!owner) return { outcome: 'expired' }
      const { email } = owner
      const password = await validNewPassword('password', form.password, { email, serviceName })
      const place = { address, account: hashToken(email), isKnown: true, failures: 0 }
      const hash = await passwords.hash(password, place)
      const isChanged = await resetPasswordByToken(database, form.token, hash)
      if (!isChanged) return { outcome: 'expired' }
      return {
        outcome: 'changed',
        cookies: [check.knownBrowserCookie({ ...owner, password: hash })],
      }
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
