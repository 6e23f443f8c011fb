/** The audit log of operators, and the link that makes the first of them. */
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { time } from './columns.ts'

/**
 * The audit log: one line for each act, written by the statement that does it. Lines are never changed or deleted
 * (`drizzle/functions/console/operators.sql`), but that an erasure takes a person's id out. No foreign keys: what was done stays known when
 * who did it has gone.
 */
export const auditLog = pg.pgTable(
  'audit_log',
  {
    sequence: pg.bigserial('sequence', { mode: 'number' }).primaryKey(),
    at: time('at').notNull(),
    /** Way in which it was done: a command, or a page. */
    via: pg.text('via').$type<'command' | 'page'>().notNull(),
    /** The operator; null for a command. */
    userId: pg.uuid('user_id'),
    /** The operator's e-mail address as it was then; of a command the system’s user, as `who` of `commands/command.ts` writes it. */
    who: pg.text('who').notNull(),
    /** The client's address; null for a command. */
    address: pg.text('address'),
    /** Name of the act: `credits.grant`. */
    act: pg.text('act').notNull(),
    /** The account concerned, where it is one. */
    accountId: pg.uuid('account_id'),
    /** Other subjects: keys, payments, users, records; of an erased person the erasure's number. */
    subjects: pg.uuid('subjects').array().notNull().default(sql`'{}'`),
    /** The subject before and after: an object without secrets and private channels. */
    before: pg.jsonb('before'),
    after: pg.jsonb('after'),
  },
  (t) => [
    pg.check('audit_log_via', sql`${t.via} in ('command', 'page')`),
    pg.check('audit_log_user', sql`(${t.via} = 'page') = (${t.userId} is not null)`),
    pg.index('audit_log_account').on(t.accountId, t.sequence),
    pg.index('audit_log_user').on(t.userId, t.sequence),
    pg.index('audit_log_who').on(t.who, t.sequence),
    pg.index('audit_log_subjects').using('gin', t.subjects),
  ],
)

/** The link that makes the first operator: one row at most, so that instances that start at once make one. */
export const operatorLink = pg.pgTable(
  'operator_link',
  {
    id: pg.integer('id').primaryKey().default(1),
    /** SHA-256 of the token. */
    hash: pg.text('hash').notNull(),
    endsAt: time('ends_at').notNull(),
    /** When somebody became the operator by it. */
    takenAt: time('taken_at'),
  },
  (t) => [pg.check('operator_link_one', sql`${t.id} = 1`)],
)

/**
 * Notes of operators about an account for one another; its members don't see it. Notes are added and never changed, and go with the
 * account. No foreign key to accounts: they are never deleted, and to make one holds up charges.
 */
export const accountNotes = pg.pgTable(
  'account_notes',
  {
    sequence: pg.bigserial('sequence', { mode: 'number' }).primaryKey(),
    accountId: pg.uuid('account_id').notNull(),
    at: time('at').notNull(),
    /** As the audit log has it. */
    who: pg.text('who').notNull(),
    text: pg.text('text').notNull(),
  },
  (t) => [
    pg.index('account_notes_account').on(t.accountId, t.sequence),
    pg.check('account_notes_text', sql`char_length(${t.text}) between 1 and 2000`),
  ],
)
