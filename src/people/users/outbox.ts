/**
 * The one way by which mails leave: whatever asks for them, at most three of one kind an hour go to one address.
 * The counts are in the database, so that instances share them. Each kind has its own, so that nobody can use up the
 * links that an owner needs: a link to reset a password is good for as long as its count lasts.
 */
import type { Database } from '../../database/client.ts'
import type { Mail } from './mail.ts'
import type { Mailer, MailKind } from './mail-queue.ts'
import { countWindows } from './rate-limiter.ts'
import { hashToken } from './tokens.ts'

/** Mails of one kind to one address. */
export const MAIL_LIMIT = { limit: 3, seconds: 3_600 }

export type Outbox = ReturnType<typeof createOutbox>

export function createOutbox(database: Database, mailer: Mailer) {
  return {
    /** Whether a mail server is configured. */
    sends: mailer.sends,
    /**
     * Sends a mail in the background, unless the address has had three of its kind within the hour.
     * @param to as `validEmail` gives it @param write is called only for a mail that is sent
     * @param counted what is counted: the address, or the mailbox behind it. @throws DatabaseUnavailable
     */
    async send(
      kind: MailKind,
      to: string,
      write: () => Promise<Omit<Mail, 'to'>>,
      counted = to,
    ): Promise<void> {
      if (!mailer.sends) return
      const subject = `mail ${kind} ${hashToken(counted)}`
      const [sent] = await countWindows(database, [{ subject, ...MAIL_LIMIT }])
      if (sent && sent.count <= MAIL_LIMIT.limit)
        await mailer.send({ to, kind, ...(await write()) })
    },
  }
}
