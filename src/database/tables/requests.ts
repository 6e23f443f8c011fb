/** Calls of accounts: the latest ones, and their number on each day. */
import * as pg from 'drizzle-orm/pg-core'
import { time } from './columns.ts'

/** How calls ended: answered and charged, answered for nothing, refused (4xx), failed (5xx). */
const counts = () => ({
  charged: pg.integer('charged').notNull(),
  free: pg.integer('free').notNull(),
  refused: pg.integer('refused').notNull(),
  failed: pg.integer('failed').notNull(),
})

/**
 * Some calls of one key, written together. No foreign key to accounts, which would lock their rows: a trigger deletes both
 * tables' rows with the account. What is in no chunk any more stays counted in `request_days`.
 */
export const requestChunks = pg.pgTable(
  'request_chunks',
  {
    accountId: pg.uuid('account_id').notNull(),
    sequence: pg.bigserial('sequence', { mode: 'number' }).notNull(),
    keyId: pg.uuid('key_id').notNull(),
    /** When the first of the calls ended. */
    beganAt: time('began_at').notNull(),
    ...counts(),
    /** A line for each call, as `src/money/accounts/request-line.ts` writes it. */
    calls: pg.text('calls').notNull(),
  },
  (t) => [pg.primaryKey({ columns: [t.accountId, t.sequence] })],
)

/** Calls of a day in UTC that are in no chunk any more. */
export const requestDays = pg.pgTable(
  'request_days',
  {
    accountId: pg.uuid('account_id').notNull(),
    day: pg.date('day').notNull(),
    ...counts(),
  },
  (t) => [pg.primaryKey({ columns: [t.accountId, t.day] }), pg.index('request_days_day').on(t.day)],
)
