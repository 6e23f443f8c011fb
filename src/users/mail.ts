/** Mails to people. They are sent beside the request that asked for one, so that its time tells nothing. */
import type { Log } from '../log.ts'

export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Whether mails can be sent at all; where they can't, an operator's command does what a link would. */
  sends: boolean
  /** Hands a mail over. What becomes of it stands in the log. */
  send(mail: Mail): void
  /** Resolves once nothing is on its way. */
  stop(): Promise<void>
}

export interface MailSettings {
  smtpUrl: string | undefined
  /** Who they are from, like `Chainkin <mail@example.com>`. */
  mailFrom: string | undefined
}

const TIMEOUT_MS = 20_000
/** Mails that may be on their way; one more is dropped, and logged. */
const MAX_SENDING = 100

export async function createMailer({ smtpUrl, mailFrom }: MailSettings, log: Log): Promise<Mailer> {
  if (!smtpUrl) return { sends: false, send: () => {}, stop: async () => {} }
  const { createTransport } = await import('nodemailer')
  const timeouts = {
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  }
  const transport = createTransport({ url: smtpUrl, ...timeouts }, { from: mailFrom })
  const sending = new Set<Promise<void>>()

  function send(mail: Mail) {
    if (sending.size >= MAX_SENDING) return log.error('a mail was dropped: too many are being sent')
    const sent: Promise<void> = transport
      .sendMail(mail)
      // An SMTP server's own words may repeat the address.
      .catch((error: { code?: string }) => log.error('a mail was not sent', { code: error.code }))
      .then(() => {
        sending.delete(sent)
      })
    sending.add(sent)
  }

  async function stop() {
    await Promise.all(sending)
    transport.close()
  }

  return { sends: true, send, stop }
}
