/** What the meter writes of each call: the ledger, unlocks, retries and failed authentications. */
import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { time } from './columns.ts'

/**
 * Every movement of credits, never changed once written (D14). This table and the next two have no
 * foreign key to accounts: the meter holds the account's lock when it writes them, so the check
 * would cost every charge and find nothing.
 */
export const ledger = pgTable(
  'ledger',
  {
    sequence: bigserial('sequence', { mode: 'number' }).notNull(),
    accountId: uuid('account_id').notNull(),
    at: time('at').notNull(),
    kind: text('kind').notNull(),
    /** Signed: what the entry does to the balance. */
    credits: integer('credits').notNull(),
    balanceAfter: bigint('balance_after', { mode: 'number' }).notNull(),
    requestId: text('request_id'),
    endpoint: text('endpoint'),
    keyId: uuid('key_id'),
    /** The contact that a first reveal unlocked. */
    personId: uuid('person_id'),
    grantId: uuid('grant_id'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.sequence] }),
    check('ledger_kind', sql`${t.kind} in ('charge', 'grant', 'expiry', 'reversal')`),
    // For the entries of a day and of the last thirty days on the account's pages.
    index('ledger_time').on(t.accountId, t.at),
  ],
)

/** Contacts an account has revealed. They are permanent, so no foreign key deletes them with a person. */
export const unlocks = pgTable(
  'unlocks',
  {
    accountId: uuid('account_id').notNull(),
    personId: uuid('person_id').notNull(),
    at: time('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.personId] })],
)

/** Charged calls that carried an `Idempotency-Key`, kept for 24 hours (D20a). */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountId: uuid('account_id').notNull(),
    key: text('key').notNull(),
    /** Path and query of the call that was charged, hashed. */
    fingerprint: text('fingerprint').notNull(),
    chargedAt: time('charged_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.key] }),
    index('idempotency_keys_age').on(t.chargedAt),
  ],
)

/** Failed authentications per client address, in the current window (D23). */
export const rejectedKeys = pgTable(
  'rejected_keys',
  {
    /** An IPv4 address, or the /64 of an IPv6 one. */
    address: text('address').primaryKey(),
    startedAt: time('started_at').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [index('rejected_keys_age').on(t.startedAt)],
)
