/** Accounts, their keys and the credits they were given. */

import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import type { Scope } from '../../contract/endpoints.ts'
import type { CapPeriod } from '../../contract/keys.ts'
import type { GrantSource, Tier } from '../../contract/tiers.ts'
import { created, newId, owner, time, words } from './columns.ts'

/** An account pays for calls. A billed call reads and writes this one row of it. */
export const accounts = pg.pgTable(
  'accounts',
  {
    id: newId(),
    name: pg.text('name').notNull(),
    email: pg.text('email').notNull(),
    tier: pg.text('tier').$type<Tier>().notNull().default('free'),
    organization: pg.text('organization'),
    /** Always the sum of the account's ledger entries. */
    balance: pg.bigint('balance', { mode: 'number' }).notNull().default(0),
    /** Credits spent that are not yet allotted to a grant: balance = sum(grants.remaining) - unallotted. */
    unallotted: pg.bigint('unallotted', { mode: 'number' }).notNull().default(0),
    /** When the next grant expires or the plan's period ends. From then on the meter settles the account first. */
    settleAt: time('settle_at'),
    rateStartedAt: time('rate_started_at'),
    rateCount: pg.integer('rate_count').notNull().default(0),
    revealStartedAt: time('reveal_started_at'),
    revealCount: pg.integer('reveal_count').notNull().default(0),
    unlockCount: pg.integer('unlock_count').notNull().default(0),
    plan: pg.text('plan'),
    planCredits: pg.integer('plan_credits'),
    planRenews: pg.boolean('plan_renews').notNull().default(false),
    planStartedAt: time('plan_started_at'),
    planEndsAt: time('plan_ends_at'),
    /** Since when an operator lets it do nothing, and why, which its members read. Both or neither. */
    suspendedAt: time('suspended_at'),
    suspensionReason: pg.text('suspension_reason'),
    createdAt: created(),
  },
  (t) => [
    pg.check('accounts_tier', sql`${t.tier} in ('free', 'starter', 'pro', 'team', 'enterprise')`),
    pg.check(
      'accounts_suspension',
      sql`(${t.suspendedAt} is null) = (${t.suspensionReason} is null)`,
    ),
  ],
)

/**
 * How many credits a key may spend in each day or month of UTC, together with the keys that it was rotated to.
 * The rules stand in `drizzle/functions/money/keys.sql`. Charges write it, under the account's lock, and nobody else. No foreign key
 * to accounts: they are never deleted, and to make one holds up charges.
 */
export const keyCaps = pg.pgTable(
  'key_caps',
  {
    id: newId(),
    accountId: pg.uuid('account_id').notNull(),
    credits: pg.integer('credits').notNull(),
    period: pg.text('period').$type<CapPeriod>().notNull(),
    /** Start of the period that `spent` counts; null before the first charge. */
    periodStartedAt: time('period_started_at'),
    spent: pg.integer('spent').notNull().default(0),
  },
  (t) => [
    pg.check('key_caps_credits', sql`${t.credits} > 0`),
    pg.check('key_caps_period', sql`${t.period} in ('day', 'month')`),
    pg.check('key_caps_spent', sql`${t.spent} between 0 and ${t.credits}`),
  ],
)

/**
 * An API key. Only its SHA-256 is kept; `revoked_at` may lie in the future (a grace time). Each account has one
 * more row, of the environment `web`: the credential by which the web application's calls are charged.
 */
export const apiKeys = pg.pgTable(
  'api_keys',
  {
    id: newId(),
    accountId: owner('account_id', () => accounts.id),
    hash: pg.text('hash').notNull().unique(),
    prefix: pg.text('prefix').notNull(),
    label: pg.text('label').notNull(),
    scopes: words('scopes').$type<Scope[]>(),
    environment: pg.text('environment').notNull().default('live'),
    createdAt: created(),
    revokedAt: time('revoked_at'),
    /** Its limits: they never change, and keys that it is rotated to have the same. */
    expiresAt: time('expires_at'),
    capId: pg.uuid('cap_id').references(() => keyCaps.id),
    /** Addresses and networks, as CIDR, from which it may be used; null: any. */
    networks: pg.text('networks').array(),
  },
  (t) => [pg.index('api_keys_account').on(t.accountId)],
)

/** Credits given, and what is left of them at the last settlement. */
export const creditGrants = pg.pgTable(
  'credit_grants',
  {
    id: newId(),
    /** The order of the grants. Of two that expire together the older is spent first. */
    sequence: pg.bigserial('sequence', { mode: 'number' }).notNull(),
    accountId: owner('account_id', () => accounts.id),
    source: pg.text('source').$type<GrantSource>().notNull(),
    amount: pg.integer('amount').notNull(),
    remaining: pg.integer('remaining').notNull(),
    expiresAt: time('expires_at'),
    createdAt: created(),
  },
  (t) => [
    pg.check('credit_grants_source', sql`${t.source} in ('plan', 'trial', 'topup', 'referral')`),
    pg.check('credit_grants_amount', sql`${t.amount} > 0`),
    pg.check('credit_grants_remaining', sql`${t.remaining} between 0 and ${t.amount}`),
    pg.index('credit_grants_account').on(t.accountId),
  ],
)

/** Balances below which somebody is mailed. Kept apart from `accounts`, whose row every charge rewrites. */
export const balanceThresholds = pg.pgTable(
  'balance_thresholds',
  {
    accountId: owner('account_id', () => accounts.id),
    credits: pg.integer('credits').notNull(),
    /** True if the workspace's members are mailed as well as the owner. */
    mailsMembers: pg.boolean('mails_members').notNull(),
    /** Since when the balance is below, as the sweep noticed it; null while it is not. */
    crossedAt: time('crossed_at'),
  },
  (t) => [
    pg.primaryKey({ columns: [t.accountId, t.credits] }),
    pg.check('balance_thresholds_credits', sql`${t.credits} > 0`),
  ],
)

// Kept by accounts: notes about contacts that they have revealed, lists of records, and views of the application's lists.
// Rows have the id by which a record was kept: who reads them follows `redirects`, so that a merge and its undo change
// nothing here. No foreign key to records: one that was deleted may come back by an undo. An erasure deletes what is kept of
// a person. None to accounts: they are never deleted, and to make one holds up charges while instances are upgraded.

/** Notes of an account about a contact, for all of its members. */
export const contactNotes = pg.pgTable(
  'contact_notes',
  {
    accountId: pg.uuid('account_id').notNull(),
    personId: pg.uuid('person_id').notNull(),
    note: pg.text('note').notNull(),
    tags: words('tags'),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.accountId, t.personId] }),
    pg.index('contact_notes_person').on(t.personId),
  ],
)

/** A list of people and companies, for all members of its account. */
export const recordLists = pg.pgTable(
  'record_lists',
  {
    id: newId(),
    accountId: pg.uuid('account_id').notNull(),
    name: pg.text('name').notNull(),
    createdAt: created(),
  },
  (t) => [pg.uniqueIndex('record_lists_name').on(t.accountId, sql`lower(${t.name})`)],
)

export const listEntries = pg.pgTable(
  'list_entries',
  {
    listId: owner('list_id', () => recordLists.id),
    recordId: pg.uuid('record_id').notNull(),
    /** `person` or `company`. */
    kind: pg.text('kind').notNull(),
    addedAt: time('added_at').notNull(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.listId, t.recordId] }),
    pg.check('list_entries_kind', sql`${t.kind} in ('person', 'company')`),
    pg.index('list_entries_record').on(t.recordId),
  ],
)

/** Filters and order of one of the application's lists, under a name, for all members of the account. */
export const savedViews = pg.pgTable(
  'saved_views',
  {
    id: newId(),
    accountId: pg.uuid('account_id').notNull(),
    /** `people`, or a directory of companies. */
    list: pg.text('list').notNull(),
    name: pg.text('name').notNull(),
    /** As the list's address has it, without its `?`. */
    query: pg.text('query').notNull(),
    createdAt: created(),
  },
  (t) => [pg.uniqueIndex('saved_views_name').on(t.accountId, t.list, sql`lower(${t.name})`)],
)
