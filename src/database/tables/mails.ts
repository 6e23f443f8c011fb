/** Mails that wait until the operator's mail server takes them. */
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { newId, time } from './columns.ts'

/**
 * A mail is deleted once the server has taken it. One that is given up loses address and text, and its row goes after a day. Texts
 * hold links that sign somebody in, so backups leave this table out.
 */
export const mails = pg.pgTable(
  'mails',
  {
    id: newId(),
    /** A `MailKind`, which names no person. */
    kind: pg.text('kind').notNull(),
    recipient: pg.text('recipient'),
    subject: pg.text('subject'),
    body: pg.text('body'),
    createdAt: time('created_at').notNull(),
    /** The mail is useless from then on, as its link is. */
    endsAt: time('ends_at').notNull(),
    /** While a server is asked, when another process may try again. */
    nextTryAt: time('next_try_at').notNull(),
    tries: pg.integer('tries').notNull().default(0),
    /** Why the last try failed; null before the first. */
    reason: pg.text('reason').$type<'refused' | 'later' | 'unreached' | 'certificate' | 'login'>(),
    /** The mail server's three digits, or the system's code: `451`, `ECONNREFUSED`. */
    code: pg.text('code'),
    gaveUpAt: time('gave_up_at'),
  },
  (t) => [
    pg.check(
      'mails_reason',
      sql`${t.reason} in ('refused', 'later', 'unreached', 'certificate', 'login')`,
    ),
    pg.check(
      'mails_given_up',
      sql`num_nonnulls(${t.recipient}, ${t.subject}, ${t.body}) = case when ${t.gaveUpAt} is null then 3 else 0 end`,
    ),
    pg.index('mails_due').on(t.nextTryAt).where(sql`${t.gaveUpAt} is null`),
  ],
)
