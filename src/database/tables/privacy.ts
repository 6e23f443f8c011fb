/** Requests of people about their own data, with no more about them than an answer needs. */
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { newId, time } from './columns.ts'

/**
 * A request to be shown, corrected or removed. `email`, `person` and `details` are null once it is closed: what is left
 * says that somebody asked, what for, when, and how it ended.
 */
export const privacyRequests = pg.pgTable(
  'privacy_requests',
  {
    id: newId(),
    kind: pg.text('kind').$type<'show' | 'correct' | 'remove'>().notNull(),
    /** `unconfirmed` until the link of the mail is opened, where mail is sent. */
    state: pg.text('state').$type<'unconfirmed' | 'open' | 'done' | 'refused'>().notNull(),
    /** In lower case. */
    email: pg.text('email'),
    /** Who it is about, in the words of who asks: a name, or the address of a page or profile. */
    person: pg.text('person'),
    /** The correction, or anything else that the person wants known. */
    details: pg.text('details'),
    /** SHA-256 of the link's token; null once the link is used. */
    hash: pg.text('hash').unique(),
    /** When the form was sent: deadlines count from here. */
    askedAt: time('asked_at').notNull(),
    /** When the link was opened; null where no mail is sent, so that nobody knows whose address it is. */
    confirmedAt: time('confirmed_at'),
    /** When a mail told operators that it waits. */
    mailedAt: time('mailed_at'),
    closedAt: time('closed_at'),
    /** Why it was refused, in the operator's words. */
    reason: pg.text('reason'),
  },
  (t) => [
    pg.check('privacy_requests_kind', sql`${t.kind} in ('show', 'correct', 'remove')`),
    pg.check(
      'privacy_requests_state',
      sql`${t.state} in ('unconfirmed', 'open', 'done', 'refused')`,
    ),
    pg.check('privacy_requests_email', sql`${t.email} = lower(${t.email})`),
    pg.check(
      'privacy_requests_closed',
      sql`(${t.closedAt} is not null) = (${t.state} in ('done', 'refused')) and (${t.closedAt} is null or num_nonnulls(${t.email}, ${t.person}, ${t.details}, ${t.hash}) = 0)`,
    ),
    pg.index('privacy_requests_state').on(t.state, t.askedAt),
  ],
)
