/**
 * Mails wait in the database until the mail server has taken them, and are tried again for a day with growing pauses.
 * One statement claims those that are due, so that of several processes one sends each. A mail goes twice only where a process
 * ended before it noted what the server had answered.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, type Database, describeError } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'
import type { Log } from '../../log.ts'
import { type Mail, MailNotSent, type MailReason, type MailServer } from './mail.ts'
import { countWindows } from './rate-limiter.ts'
import { hashToken, LASTS_SECONDS } from './tokens.ts'

export type MailKind =
  | 'confirm'
  | 'reset'
  | 'exists'
  | 'changed'
  | 'privacy'
  | 'balance'
  | 'factor'
  | 'recovery'
  | 'guesses'
  | 'removed'
  | 'orders'
  | 'order'
  | 'requests'

/** Mails that one process sends at once. */
const AT_ONCE = 20
const DAY_SECONDS = 86_400
/** A minute, then twice as long each time. */
const FIRST_PAUSE_SECONDS = 60
const MAX_PAUSE_SECONDS = 3 * 3_600
/** How long a stop waits for the server's answers. A mail whose answer isn't heard is tried again. */
const STOP_MS = 5_000

export interface Mailer {
  /** True if a mail server is configured. Without one, an operator's commands replace the links in mails. */
  sends: boolean
  /** Keeps a mail to send it in the background, so that a response's time doesn't tell whether one is sent. @throws DatabaseUnavailable */
  send(mail: Mail & { kind: MailKind }): Promise<void>
}

interface ClaimedMail extends Mail {
  id: string
  kind: string
  tries: number
}

/** @param server undefined where none is configured: then no mail is kept, and those of before end in time */
export function createMailQueue(
  database: Database,
  server: MailServer | undefined,
  log: Log,
  stopMs = STOP_MS,
) {
  /** Mails that the server has taken, to be deleted by the next claim. */
  let deliveredIds: string[] = []
  let running: Promise<void> | undefined
  let isWanted = false
  let isStopping = false

  /** Sends what is due. Resolves when nothing is. @throws DatabaseUnavailable */
  function sweep(): Promise<void> {
    if (isStopping) return Promise.resolve()
    isWanted = true
    running ??= sweepAll()
    return running
  }

  async function sweepAll() {
    try {
      while (isWanted) {
        isWanted = false
        while (server && (await sendSome())) {}
        for (const mail of await endMails(database)) log.error('a mail was given up', { ...mail })
      }
    } finally {
      running = undefined
    }
  }

  /** @returns whether others may be due, and worth a try */
  async function sendSome(): Promise<boolean> {
    const batch = [...deliveredIds]
    const due = await claimMails(database, batch, isStopping ? 0 : AT_ONCE)
    deliveredIds = deliveredIds.filter((id) => !batch.includes(id))
    return (await Promise.all(due.map(trySending))).includes(true)
  }

  /** @returns whether the server was reached */
  async function trySending({ id, kind, tries, ...mail }: ClaimedMail): Promise<boolean> {
    try {
      await server?.send(mail, id)
      deliveredIds.push(id)
      return true
    } catch (error) {
      if (!(error instanceof MailNotSent)) throw error
      const { reason, code } = error
      // A retry that fails says nothing new, until the mail is given up.
      if (tries === 1 && reason !== 'refused') log.warn('a mail waits', { kind, reason, code })
      await noteFailure(database, id, error, pauseAfter(tries))
      return reason === 'refused' || reason === 'later'
    }
  }

  async function send({ to, ...mail }: Mail & { kind: MailKind }): Promise<void> {
    if (!server) return
    await database.use(({ sql }) => insertMails(sql, [to], mail))
    sweep().catch((error: unknown) => log.warn('mails wait', { error: describeError(error) }))
  }

  /** Waits for the mails that are on their way, but not long for a server that doesn't answer. Others wait for the next start. */
  async function stop() {
    isStopping = true
    await Promise.race([running?.catch(() => {}), pause(stopMs, undefined, { ref: false })])
  }

  return { sends: server !== undefined, send, sweep, stop }
}

/** @param tries how often the mail was tried so far */
export const pauseAfter = (tries: number): number =>
  Math.min(FIRST_PAUSE_SECONDS * 2 ** (tries - 1), MAX_PAUSE_SECONDS)

/** The insert of one mail to each address. A condition may follow it: `where exists (…)`. */
export function insertMails(
  sql: Connection['sql'],
  to: readonly string[],
  { kind, subject, text }: Omit<Mail, 'to'> & { kind: MailKind },
): Fragment {
  const seconds = kind === 'reset' ? LASTS_SECONDS.reset : DAY_SECONDS
  return sql`
    insert into mails (kind, recipient, subject, body, created_at, next_try_at, ends_at)
    select ${kind}, recipient, ${subject}, ${text}, meter_now(), meter_now(),
           meter_now() + make_interval(secs => ${seconds}::integer)
      from unnest(${textArray(to)}::text::text[]) recipient`
}

/** Takes the mails that are due, for ten minutes, which is longer than a server's answer may take. @param deliveredIds mails that the server has taken, which are deleted */
function claimMails(
  database: Database,
  deliveredIds: readonly string[],
  limit: number,
): Promise<ClaimedMail[]> {
  const ids = textArray(deliveredIds)
  return database.use(
    ({ sql }) => sql<ClaimedMail[]>`
      with gone as (
        delete from mails where id = any (${ids}::text::uuid[])
      ), due as (
        select id from mails
         where gave_up_at is null and next_try_at <= meter_now() and ends_at > meter_now()
           and reason is distinct from 'refused' and id <> all (${ids}::text::uuid[])
         order by next_try_at limit ${limit}::integer for update skip locked
      )
      update mails m set next_try_at = meter_now() + interval '10 minutes', tries = tries + 1
        from due where m.id = due.id
      returning m.id, m.kind, m.recipient as to, m.subject, m.body as text, m.tries`,
  )
}

async function noteFailure(
  database: Database,
  id: string,
  { reason, code }: MailNotSent,
  pauseSeconds: number,
): Promise<void> {
  await database.use(
    ({ sql }) => sql`
      update mails set reason = ${reason}, code = ${code},
                       next_try_at = meter_now() + make_interval(secs => ${pauseSeconds}::integer)
       where id = ${id}`,
  )
}

/** Gives up mails that were refused for good or whose time is over, and forgets those of before. @returns what was given up */
function endMails(
  database: Database,
): Promise<{ kind: string; reason: MailReason | null; code: string | null; tries: number }[]> {
  return database.use(
    ({ sql }) => sql`
      with old as (
        delete from mails where gave_up_at < meter_now() - interval '1 day'
      )
      update mails set gave_up_at = meter_now(), recipient = null, subject = null, body = null
       where gave_up_at is null and (reason = 'refused' or ends_at <= meter_now())
      returning kind, reason, code, tries`,
  )
}

/** Mails of one kind to one address. */
export const MAIL_LIMIT = { limit: 3, seconds: 3_600 }

export type Outbox = ReturnType<typeof createOutbox>

/**
 * The one way by which mails leave: whatever asks for them, at most three of one kind an hour go to one address.
 * The counts are in the database, so that instances share them. Each kind has its own, so that nobody can use up the
 * links that an owner needs: a link to reset a password is good for as long as its count lasts.
 */
export function createOutbox(database: Database, mailer: Mailer) {
  return {
    /** True if a mail server is configured. */
    sends: mailer.sends,
    /**
     * Sends a mail in the background, unless the address has had three of its kind within the hour.
     * @param to as `validEmail` gives it @param write is called only for a mail that is sent
     * @param limitKey the address, or the mailbox behind it, that the limit counts. @throws DatabaseUnavailable
     */
    async send(
      kind: MailKind,
      to: string,
      write: () => Promise<Omit<Mail, 'to'>>,
      limitKey = to,
    ): Promise<void> {
      if (!mailer.sends) return
      const subject = `mail ${kind} ${hashToken(limitKey)}`
      const [window] = await countWindows(database, [{ subject, ...MAIL_LIMIT }])
      if (window && window.count <= MAIL_LIMIT.limit)
        await mailer.send({ to, kind, ...(await write()) })
    },
  }
}
