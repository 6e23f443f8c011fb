/** Records that the meter writes of calls: the ledger and its daily sums, unlocks, retries and failed authentications. */

import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { time } from './columns.ts'

/**
 * Every movement of credits, never changed once written. This table and the next two need no foreign key to
 * accounts, because the meter holds the account's lock when it writes them. For the same reason an account's entries
 * stand in the order of their time, so that no index on the time is needed (`ledger_since`).
 *
 * It is partitioned by months of `at`, which Drizzle can't say (`drizzle/functions/money/ledger-months.sql`). Each month's table has the
 * primary key (account_id, sequence). One of all would have to hold the time as well. Columns stand so that no bytes lie between them.
 */
export const ledger = pg.pgTable(
  'ledger',
  {
    sequence: pg.bigserial('sequence', { mode: 'number' }).notNull(),
    at: time('at').notNull(),
    balanceAfter: pg.bigint('balance_after', { mode: 'number' }).notNull(),
    accountId: pg.uuid('account_id').notNull(),
    keyId: pg.uuid('key_id'),
    /** Signed: what the entry does to the balance. */
    credits: pg.integer('credits').notNull(),
    /** `carried`: the sum of older entries, which are in files. */
    kind: pg.text('kind').notNull(),
    requestId: pg.text('request_id'),
    endpoint: pg.text('endpoint'),
    /** The contact that a first reveal unlocked; null again where it was erased. */
    personId: pg.uuid('person_id'),
    grantId: pg.uuid('grant_id'),
  },
  (t) => [
    pg.check(
      'ledger_kinds',
      sql`${t.kind} in ('charge', 'grant', 'expiry', 'reversal', 'carried')`,
    ),
  ],
)

/** Months of the ledger that are in files, by the moment at which they end. */
export const ledgerArchives = pg.pgTable('ledger_archives', {
  until: time('until').primaryKey(),
  /** The file's name, without its folder. */
  file: pg.text('file').notNull(),
  entries: pg.bigint('entries', { mode: 'number' }).notNull(),
  /** The sum of the entries' credits. */
  credits: pg.bigint('credits', { mode: 'number' }).notNull(),
  /** Hash of the file. */
  sha256: pg.text('sha256').notNull(),
  archivedAt: time('archived_at').notNull(),
})

/**
 * Charges of an account by day (UTC), endpoint and key: sums of its ledger's entries up to the one that `ledger_folds` names.
 * No foreign keys, for the same reason.
 */
export const ledgerDays = pg.pgTable(
  'ledger_days',
  {
    accountId: pg.uuid('account_id').notNull(),
    day: pg.date('day').notNull(),
    endpoint: pg.text('endpoint').notNull(),
    keyId: pg.uuid('key_id').notNull(),
    calls: pg.integer('calls').notNull(),
    /** Charged credits, above zero. */
    credits: pg.bigint('credits', { mode: 'number' }).notNull(),
    /** The latest of the charges. */
    lastAt: time('last_at').notNull(),
    /** Between which entries of the account the charges stand, both included. */
    firstSequence: pg.bigint('first_sequence', { mode: 'number' }).notNull(),
    lastSequence: pg.bigint('last_sequence', { mode: 'number' }).notNull(),
  },
  (t) => [pg.primaryKey({ columns: [t.accountId, t.day, t.endpoint, t.keyId] })],
)

/** The last entry of each account that is in the sums of days. An account without a row has none there. */
export const ledgerFolds = pg.pgTable('ledger_folds', {
  accountId: pg.uuid('account_id').primaryKey(),
  sequence: pg.bigint('sequence', { mode: 'number' }).notNull(),
})

/**
 * Contacts an account has revealed. They are permanent, so no foreign key deletes them with a person; of one who was erased
 * each account has a random number.
 */
export const unlocks = pg.pgTable(
  'unlocks',
  {
    accountId: pg.uuid('account_id').notNull(),
    personId: pg.uuid('person_id').notNull(),
    at: time('at').notNull(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.accountId, t.personId] }),
    pg.index('unlocks_person').on(t.personId),
  ],
)

/**
 * Sums of all accounts by day (UTC): what the operator's first page shows. Credits up to the entries that `ledger_folds` names,
 * calls as the log of requests was given them. A day stays for ever.
 */
export const serviceDays = pg.pgTable('service_days', {
  day: pg.date('day').primaryKey(),
  /** Credits that were charged. */
  spent: pg.bigint('spent', { mode: 'number' }).notNull().default(0),
  charged: pg.bigint('charged', { mode: 'number' }).notNull().default(0),
  free: pg.bigint('free', { mode: 'number' }).notNull().default(0),
  refused: pg.bigint('refused', { mode: 'number' }).notNull().default(0),
  failed: pg.bigint('failed', { mode: 'number' }).notNull().default(0),
})

/** Charged calls that carried an `Idempotency-Key`, and runs of the application, kept for 24 hours. */
export const idempotencyKeys = pg.pgTable(
  'idempotency_keys',
  {
    accountId: pg.uuid('account_id').notNull(),
    key: pg.text('key').notNull(),
    /** Path and query of the call that was charged, hashed. */
    fingerprint: pg.text('fingerprint').notNull(),
    chargedAt: time('charged_at').notNull(),
    /** Repeats that were answered since. */
    repeats: pg.integer('repeats').notNull().default(0),
  },
  (t) => [
    pg.primaryKey({ columns: [t.accountId, t.key] }),
    pg.index('idempotency_keys_age').on(t.chargedAt),
  ],
)

/** Failed authentications per client address, in the current window. */
export const rejectedKeys = pg.pgTable(
  'rejected_keys',
  {
    /** An IPv4 address, or the /64 of an IPv6 one. */
    address: pg.text('address').primaryKey(),
    startedAt: time('started_at').notNull(),
    count: pg.integer('count').notNull(),
  },
  (t) => [pg.index('rejected_keys_age').on(t.startedAt)],
)

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
