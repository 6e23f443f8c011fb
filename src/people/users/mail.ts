/** Hands mails over to the operator's mail server, and says why one was not taken. */
import type { Config } from '../../config.ts'
import type { mails } from '../../database/tables/mails.ts'

export interface Mail {
  to: string
  subject: string
  text: string
}

/**
 * Why a mail was not taken. `refused`: for good. `later`: not yet. `unreached`: no mail server answers. `certificate`: it has none
 * that is trusted. `login`: it refuses the user and password of SMTP_URL, or the sender of MAIL_FROM.
 */
export type MailReason = NonNullable<typeof mails.$inferSelect.reason>

export const REASON_WORDS: Readonly<Record<MailReason, string>> = {
  refused: 'refused for good',
  later: 'not taken yet',
  unreached: 'mail server not reached',
  certificate: 'certificate not trusted',
  login: 'sign-in or sender refused',
}

/** A mail server did not take a mail. The message never repeats what the server said, which may name the address. */
export class MailNotSent extends Error {
  override name = 'MailNotSent'

  readonly reason: MailReason
  /** The server's three digits, or the system's code. */
  readonly code: string
  /** The server's own words, for the eyes of who typed the address. */
  readonly said: string

  constructor(reason: MailReason, code: string, said = '') {
    super(`${REASON_WORDS[reason]}: ${code}`)
    this.reason = reason
    this.code = code
    this.said = said
  }
}

/** The longest wait for each step of a conversation, of which there are about ten. */
const TIMEOUT_MS = 20_000

export type MailConfig = Pick<Config, 'smtpUrl' | 'mailFrom'>

export type MailServer = NonNullable<Awaited<ReturnType<typeof openMailServer>>>

/** @returns undefined where no mail server is configured. Its methods throw `MailNotSent`. */
export async function openMailServer({ smtpUrl, mailFrom }: MailConfig) {
  if (!smtpUrl) return undefined
  const { createTransport } = await import('nodemailer')
  const timeouts = {
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  }
  const headers = { 'Auto-Submitted': 'auto-generated' }
  const transport = createTransport({ url: smtpUrl, ...timeouts }, { from: mailFrom, headers })
  const domain = /@([^@>\s]+)>?$/.exec(mailFrom ?? '')?.[1]
  return {
    /** @param id the same for each try, so that mailboxes show one mail where a try's end was not heard. @returns the server's answer */
    async send(mail: Mail, id: string = crypto.randomUUID()): Promise<string> {
      const delivery = await transport
        .sendMail({ ...mail, messageId: `<${id}@${domain}>` })
        .catch(throwNotSent)
      return delivery.response
    },
    /** Connects and signs in, and sends nothing. */
    async verify(): Promise<void> {
      await transport.verify().catch(throwNotSent)
    },
  }
}

/** Sends one mail and waits for the server's answer. @returns false where no server is configured. @throws MailNotSent */
export async function sendMail(config: MailConfig, mail: Mail): Promise<boolean> {
  const server = await openMailServer(config)
  await server?.send(mail)
  return server !== undefined
}

interface SmtpError extends NodeJS.ErrnoException {
  /** The one that failed: `MAIL FROM`. */
  command?: string
  originalCode?: string
  responseCode?: number
  response?: string
  /** Set where the server answered. */
  permanent?: boolean
}

function throwNotSent(error: SmtpError): never {
  const { code, originalCode, responseCode, response } = error
  throw new MailNotSent(
    reasonOf(error),
    String(responseCode ?? originalCode ?? code ?? 'unknown'),
    response,
  )
}

function reasonOf({ code = '', command, responseCode, permanent, message }: SmtpError): MailReason {
  if (responseCode === undefined && /certificate/i.test(message)) return 'certificate'
  if (permanent === false) return 'later'
  // A sender that is refused is every mail's: none is given up for it.
  if (/AUTH/.test(code) || (command === 'MAIL FROM' && permanent)) return 'login'
  // Other permanent answers are of a server that serves nobody just now, and say nothing of the mail.
  return code === 'EENVELOPE' || code === 'EMESSAGE' ? 'refused' : 'unreached'
}
