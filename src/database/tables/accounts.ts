/** Accounts, their keys and the credits they were given. */
import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  check,
  index,
  integer,
  pgTable,
  text,
} from 'drizzle-orm/pg-core'
import type { Scope } from '../../contract/endpoints.ts'
import type { GrantSource, Tier } from '../../contract/tiers.ts'
import { created, newId, owner, time, words } from './columns.ts'

/** An account pays for calls. A billed call reads and writes this one row of it. */
export const accounts = pgTable(
  'accounts',
  {
    id: newId(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    tier: text('tier').$type<Tier>().notNull().default('free'),
    organization: text('organization'),
    /** Always the sum of the account's ledger entries (D14). */
    balance: bigint('balance', { mode: 'number' }).notNull().default(0),
    /** Credits spent that are not yet allotted to a grant: balance = sum(grants.remaining) - unallotted. */
    unallotted: bigint('unallotted', { mode: 'number' }).notNull().default(0),
    /** When the next grant expires or the plan's period ends. From then on the meter settles the account first. */
    settleAt: time('settle_at'),
    rateStartedAt: time('rate_started_at'),
    rateCount: integer('rate_count').notNull().default(0),
    revealStartedAt: time('reveal_started_at'),
    revealCount: integer('reveal_count').notNull().default(0),
    unlockCount: integer('unlock_count').notNull().default(0),
    plan: text('plan'),
    planCredits: integer('plan_credits'),
    planRenews: boolean('plan_renews').notNull().default(false),
    planStartedAt: time('plan_started_at'),
    planEndsAt: time('plan_ends_at'),
    createdAt: created(),
  },
  (t) => [
    check('accounts_tier', sql`${t.tier} in ('free', 'starter', 'pro', 'team', 'enterprise')`),
  ],
)

/**
 * An API key. Only its SHA-256 is kept; `revoked_at` may lie in the future (a grace time). Each account has one
 * more row, of the environment `web`: the credential by which the web application's calls are charged.
 */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: newId(),
    accountId: owner('account_id', () => accounts.id),
    hash: text('hash').notNull().unique(),
    prefix: text('prefix').notNull(),
    label: text('label').notNull(),
    scopes: words('scopes').$type<Scope[]>(),
    environment: text('environment').notNull().default('live'),
    createdAt: created(),
    revokedAt: time('revoked_at'),
  },
  (t) => [index('api_keys_account').on(t.accountId)],
)

/** Credits given, and what is left of them at the last settlement (D15). */
export const creditGrants = pgTable(
  'credit_grants',
  {
    id: newId(),
    /** The order of the grants. Of two that expire together the older is spent first. */
    sequence: bigserial('sequence', { mode: 'number' }).notNull(),
    accountId: owner('account_id', () => accounts.id),
    source: text('source').$type<GrantSource>().notNull(),
    amount: integer('amount').notNull(),
    remaining: integer('remaining').notNull(),
    expiresAt: time('expires_at'),
    createdAt: created(),
  },
  (t) => [
    check('credit_grants_source', sql`${t.source} in ('plan', 'trial', 'topup', 'referral')`),
    check('credit_grants_amount', sql`${t.amount} > 0`),
    check('credit_grants_remaining', sql`${t.remaining} between 0 and ${t.amount}`),
    index('credit_grants_account').on(t.accountId),
  ],
)
