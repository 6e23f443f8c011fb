/**
 * Privacy requests: access, correction, removal. The directory is not looked up here, so that no answer can tell who is in it;
 * the operator's side is in `register.ts`.
 */
import { and, eq, gt, sql } from 'drizzle-orm'
import { networkOf } from '../../client-address.ts'
import type { Database } from '../../database/client.ts'
import { privacyRequests } from '../../database/tables/privacy.ts'
import type { Log } from '../../log.ts'
import type { Limited } from '../users/answers.ts'
import type { Background } from '../users/background.ts'
import type { Sender } from '../users/email-templates.ts'
import type { Mailer } from '../users/mail-queue.ts'
import { createOutbox } from '../users/mail-queue.ts'
import { mailboxOf } from '../users/mailbox.ts'
import { countAttempt, countWindows, firstOver } from '../users/rate-limiter.ts'
import { hashToken, newToken } from '../users/tokens.ts'
import { FieldError, validEmail, validFields, validLine, validText } from '../users/validation.ts'
import { letterToConfirm } from './letters.ts'
import {
  LINK_LASTS_HOURS,
  MAX_DETAILS,
  MAX_PERSON,
  REQUEST_KINDS,
  type RequestKind,
} from './rules.ts'

const HOUR = 3_600
/** Requests of one client address in an hour. */
const MAX_OF_ADDRESS = 5
/**
 * Requests of the last hour that nobody has confirmed. From then on a network gets one an hour, so that nobody fills the
 * list or has mails sent without end. A network that has sent none is never refused: no stranger closes the form for others.
 */
const MANY_UNCONFIRMED = 200

/** The fields of the form, as they were sent. */
export interface RequestFields {
  kind: string
  email: string
  /** A name, or the address of the person's page here or of a profile elsewhere. */
  person: string
  details: string
  /** `yes`: who asks is the person, or acts for them. */
  declared: string
}

/** `mailed`: a link was sent, and counts once it is opened. `taken`: no mail is sent here, and the request counts. */
type RequestOutcome = { outcome: 'mailed' } | { outcome: 'taken'; id: string } | Limited

type Confirmation = { outcome: 'confirmed'; id: string } | { outcome: 'expired' } | Limited

interface Settings extends Sender {
  database: Database
  mailer: Mailer
  background: Background
  log: Log
  /** Who answers for the directory, and where its records are from, in the operator's words. */
  contact: string | undefined
  sources: string | undefined
}

export type Privacy = ReturnType<typeof createPrivacy>

/** Methods throw `DatabaseUnavailable`. `address` is the client's. */
export function createPrivacy(settings: Settings) {
  const { database, mailer, background, log, sources } = settings
  /** As part of a sentence, whose full stop follows. */
  const contact = settings.contact?.trim().replace(/\.$/, '')
  const outbox = createOutbox(database, mailer)

  /** Tells the operator that a request waits, and nothing of what it says. */
  function announce(id: string, kind: RequestKind): void {
    log.warn('a privacy request waits: privacy show', { id, kind })
  }

  return {
    contact,
    sources,
    sendsMail: mailer.sends,

    /** Takes a request. Answers alike whoever it is about and whosever the address is. @throws FieldError, TooBusy */
    async ask(form: RequestFields, address: string): Promise<RequestOutcome> {
      const request = await validRequest(form)
      const limited = await overLimit(database, address)
      if (limited) return limited
      if (!mailer.sends) {
        const id = await insert(database, { ...request, state: 'open', hash: null })
        announce(id, request.kind)
        return { outcome: 'taken', id }
      }
      await background.begin(() =>
        outbox.send(
          'privacy',
          request.email,
          async () => {
            const { token, hash } = newToken()
            await insert(database, { ...request, state: 'unconfirmed', hash })
            return letterToConfirm(settings, request.kind, token)
          },
          undotted(request.email),
        ),
      )
      return { outcome: 'mailed' }
    },

    /** Makes an open request of a link's. The link works once, for 48 hours. */
    async confirm(token: string, address: string): Promise<Confirmation> {
      const { allowed, retryAfter } = await countAttempt(database, { kind: 'link', address })
      if (!allowed) return { outcome: 'limited', retryAfter }
      const opened = await openByToken(database, token)
      if (!opened) return { outcome: 'expired' }
      announce(opened.id, opened.kind)
      return { outcome: 'confirmed', id: opened.id }
    },
  }
}

/**
 * Where an address's mail may arrive: many servers don't look at dots either, by which one mailbox has any number of
 * addresses. Only to count by: two people who share a count wait an hour at most.
 */
function undotted(email: string): string {
  const mailbox = mailboxOf(email)
  const at = mailbox.lastIndexOf('@')
  return mailbox.slice(0, at).replaceAll('.', '') + mailbox.slice(at)
}

/** Counts a request of the client's address. @returns undefined where it is allowed */
async function overLimit(database: Database, address: string): Promise<Limited | undefined> {
  const windows = [
    { subject: `privacy address ${address}`, limit: MAX_OF_ADDRESS, seconds: HOUR },
    { subject: `privacy network ${networkOf(address)}`, limit: null, seconds: HOUR },
  ]
  const counts = await countWindows(database, windows)
  const isFlooded = await hasManyUnconfirmed(database)
  const [, network] = counts
  const isAgain = network !== undefined && network.count > 1
  const over = firstOver(windows, counts) ?? (isFlooded && isAgain ? network : undefined)
  return over && { outcome: 'limited', retryAfter: over.endsIn }
}

/** True during a flood: people confirm their requests by and by, floods don't. */
async function hasManyUnconfirmed(database: Database): Promise<boolean> {
  const rows = await database.use(
    ({ sql }) => sql`
      select from privacy_requests
       where state in ('unconfirmed', 'open') and confirmed_at is null
         and asked_at > meter_now() - make_interval(secs => ${HOUR}::integer)
       limit ${MANY_UNCONFIRMED}::integer`,
  )
  return rows.length === MANY_UNCONFIRMED
}

/** @throws FieldError for the fields that can't be taken */
async function validRequest(form: RequestFields) {
  const { kind, person, details, email } = await validFields({
    kind: () => validKind(form.kind),
    person: () => validLine('person', form.person, MAX_PERSON),
    details: () => {
      const details = validText('details', form.details, MAX_DETAILS)
      if (form.kind !== 'correct' || details !== '') return details
      throw new FieldError('details', 'Say what is wrong, and what is right.')
    },
    email: () => validEmail('email', form.email),
    declared: () => {
      if (form.declared !== 'yes') throw new FieldError('declared', 'Please confirm this.')
    },
  })
  return { kind, person, details: details || null, email }
}

function validKind(text: string): RequestKind {
  const kind = REQUEST_KINDS.find((each) => each === text)
  if (!kind) throw new FieldError('kind', 'Choose one.')
  return kind
}

/** @returns undefined where the token is of no link in force */
async function openByToken(database: Database, token: string) {
  const { id, kind, hash, state, askedAt } = privacyRequests
  const inForce = and(
    eq(hash, hashToken(token)),
    eq(state, 'unconfirmed'),
    gt(askedAt, sql`meter_now() - make_interval(hours => ${LINK_LASTS_HOURS}::integer)`),
  )
  const [row] = await database.use(({ db }) =>
    db
      .update(privacyRequests)
      .set({ state: 'open', hash: null, confirmedAt: sql`meter_now()` })
      .where(inForce)
      .returning({ id, kind }),
  )
  return row
}

type NewRequest = Pick<
  typeof privacyRequests.$inferSelect,
  'kind' | 'state' | 'email' | 'person' | 'details' | 'hash'
>

/** @returns the request's id */
async function insert(database: Database, request: NewRequest): Promise<string> {
  const [row] = await database.use(({ db }) =>
    db
      .insert(privacyRequests)
      .values({ ...request, askedAt: sql`meter_now()` })
      .returning({ id: privacyRequests.id }),
  )
  if (!row) throw new Error('a privacy request was not written')
  return row.id
}
