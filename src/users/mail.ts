/** Sends mails in the background, so that a response's time doesn't tell whether a mail was sent. */
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'

export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Whether a mail server is configured. Without one, an operator's commands replace the links in mails. */
  sends: boolean
  /** Begins to send a mail. A failure is logged. */
  send(mail: Mail): void
  /** Resolves when every mail was sent or has failed. */
  stop(): Promise<void>
}

const TIMEOUT_MS = 20_000
/** Mails that may be on their way at once. One more is dropped and logged. */
const MAX_SENDING = 100

export async function createMailer(
  { smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>,
  log: Log,
): Promise<Mailer> {
  if (!smtpUrl) return { sends: false, send: () => {}, stop: async () => {} }
  const { createTransport } = await import('nodemailer')
  const timeouts = {
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  }
  const transport = createTransport({ url: smtpUrl, ...timeouts }, { from: mailFrom })
  const sending = new Set<Promise<unknown>>()

  function send(mail: Mail) {
    if (sending.size >= MAX_SENDING) return log.error('a mail was dropped: too many are being sent')
    const sent: Promise<unknown> = transport
      .sendMail(mail)
      // Only the code is logged: an SMTP server's message may repeat the address.
      .catch((error: { code?: string }) => log.error('a mail was not sent', { code: error.code }))
      .finally(() => sending.delete(sent))
    sending.add(sent)
  }

  async function stop() {
    await Promise.all(sending)
    transport.close()
  }

  return { sends: true, send, stop }
}
