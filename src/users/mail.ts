/** Sends mails in the background, so that a response's time doesn't tell whether a mail was sent. */
import type { Config } from '../config.ts'
import { errorCode } from '../database/client.ts'
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
/** Mails that may be on their way at once. */
const MAX_SENDING = 100
/** Mails that may wait for those, so that strangers' mails take nobody else's away. One more is dropped and logged. */
const MAX_WAITING = 5_000
/** How long waiting mails go on being sent at the end: with the last ones' time it is less than a supervisor waits. */
const LAST_MS = 5_000

type MailConfig = Pick<Config, 'smtpUrl' | 'mailFrom'>

/** A mail server did not take a mail. The message is its code: what it says may repeat the address. */
export class MailNotSent extends Error {
  override name = 'MailNotSent'
}

export async function createMailer(
  config: MailConfig,
  log: Log,
  lastMs = LAST_MS,
): Promise<Mailer> {
  const transport = await openTransport(config)
  if (!transport) return { sends: false, send: () => {}, stop: async () => {} }
  return mailerOf(transport, log, lastMs)
}

type Transport = NonNullable<Awaited<ReturnType<typeof openTransport>>>

function mailerOf(transport: Transport, log: Log, lastMs: number): Mailer {
  const sending = new Set<Promise<unknown>>()
  const waiting: Mail[] = []
  let isStopping = false

  function send(mail: Mail) {
    if (sending.size < MAX_SENDING) return begin(mail)
    if (waiting.length >= MAX_WAITING) return log.error('a mail was dropped: too many wait')
    waiting.push(mail)
  }

  function begin(mail: Mail) {
    const sent: Promise<unknown> = transport
      .sendMail(mail)
      // Only the code is logged: an SMTP server's message may repeat the address.
      .catch((error) => {
        log.error('a mail was not sent', { code: errorCode(error) })
        // A server that takes none holds up no end: each would take its time to fail.
        if (isStopping) dropWaiting()
      })
      .finally(() => {
        sending.delete(sent)
        const next = waiting.shift()
        if (next) begin(next)
      })
    sending.add(sent)
  }

  function dropWaiting() {
    const mails = waiting.splice(0).length
    if (mails > 0) log.error('mails were dropped at the end', { mails })
  }

  async function stop() {
    isStopping = true
    const end = setTimeout(dropWaiting, lastMs)
    while (sending.size > 0) await Promise.all(sending)
    clearTimeout(end)
    transport.close()
  }

  return { sends: true, send, stop }
}

/** Sends one mail and waits for the server's answer. @returns false where no server is configured. @throws MailNotSent */
export async function sendMail(config: MailConfig, mail: Mail): Promise<boolean> {
  const transport = await openTransport(config)
  if (!transport) return false
  try {
    await transport.sendMail(mail)
    return true
  } catch (error) {
    throw new MailNotSent(errorCode(error) ?? 'unknown')
  } finally {
    transport.close()
  }
}

async function openTransport({ smtpUrl, mailFrom }: MailConfig) {
  if (!smtpUrl) return undefined
  const { createTransport } = await import('nodemailer')
  const timeouts = {
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  }
  return createTransport({ url: smtpUrl, ...timeouts }, { from: mailFrom })
}
