/**
 * The tables, as Drizzle sees them. `bun run migration` turns a change here into a file in `drizzle/`;
 * functions and triggers are written there by hand (`drizzle/0001_meter.sql`, `drizzle/0002_changes.sql`).
 *
 * Money (accounts, keys, grants, ledger, unlocks, windows) and the directory (companies, people, rounds)
 * share the database and nothing else; the application's people stand on the first. `private_channels` stands alone so that
 * whatever loads the directory can't read a channel by accident.
 */
import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { HandleSeen, TwitterRisk } from '../contract/vocabulary.ts'

const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const words = (name: string) => text(name).array().notNull().default(sql`'{}'`)
const created = () => time('created_at').notNull().default(sql`now()`)

// ---------------------------------------------------------------- money

/** An account: who pays. Everything a billed call reads or writes of it stands in this one row. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey().default(sql`gen_random_uuid()`),
    name: text('name').notNull(),
    email: text('email').notNull(),
    tier: text('tier').notNull().default('free'),
    organization: text('organization'),
    /** Always the sum of the account's ledger entries (D14). */
    balance: bigint('balance', { mode: 'number' }).notNull().default(0),
    /** Credits spent that are not yet allotted to a grant: balance = sum(grants.remaining) - unallotted. */
    unallotted: bigint('unallotted', { mode: 'number' }).notNull().default(0),
    /** When the next grant expires or the plan's period ends: the meter settles first from then on. */
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
 * more row, of the environment `web`: what its people's calls from the application are charged by.
 */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey().default(sql`gen_random_uuid()`),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    hash: text('hash').notNull().unique(),
    prefix: text('prefix').notNull(),
    label: text('label').notNull(),
    scopes: words('scopes'),
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
    id: uuid('id').primaryKey().default(sql`gen_random_uuid()`),
    /** The order in which grants came: of two that expire together the older is spent first. */
    sequence: bigserial('sequence', { mode: 'number' }).notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    source: text('source').notNull(),
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

/**
 * Every movement of credits, never changed once written (D14). This table and the next two have no
 * foreign key to accounts: the meter holds the account's lock when it writes them, and checking
 * again what it holds would cost every charge.
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
    // A day's entries, and the last thirty days': for the account's own pages.
    index('ledger_time').on(t.accountId, t.at),
  ],
)

/** Contacts an account has revealed: permanent, so no foreign key takes them away with a person. */
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

// ---------------------------------------------------------------- the application's people

/** A person who signs in. Whose credits they spend is said by `members`. */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey().default(sql`gen_random_uuid()`),
    /** In lower case: an address names one person however it is typed. */
    email: text('email').notNull().unique(),
    name: text('name').notNull(),
    /** As `src/users/passwords.ts` writes it. */
    password: text('password').notNull(),
    emailVerifiedAt: time('email_verified_at'),
    createdAt: created(),
  },
  (t) => [check('users_email', sql`${t.email} = lower(${t.email})`)],
)

/** Who acts for which account: one owner each, and the members of its workspace. */
export const members = pgTable(
  'members',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text('role').notNull(),
    joinedAt: time('joined_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.userId] }),
    check('members_role', sql`${t.role} in ('owner', 'member')`),
    index('members_user').on(t.userId),
    uniqueIndex('members_owner').on(t.accountId).where(sql`${t.role} = 'owner'`),
  ],
)

/** A browser that is signed in. It ends with the membership that it stands on. */
export const sessions = pgTable(
  'sessions',
  {
    id: uuid('id').primaryKey().default(sql`gen_random_uuid()`),
    /** SHA-256 of what the cookie holds. */
    hash: text('hash').notNull().unique(),
    userId: uuid('user_id').notNull(),
    accountId: uuid('account_id').notNull(),
    createdAt: created(),
    /** To the minute. */
    usedAt: time('used_at').notNull(),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [
    foreignKey({
      columns: [t.accountId, t.userId],
      foreignColumns: [members.accountId, members.userId],
    }).onDelete('cascade'),
    index('sessions_user').on(t.userId),
    index('sessions_end').on(t.endsAt),
  ],
)

/** Links sent by mail, each good for one use: `reset` a password, `confirm` an address. */
export const userLinks = pgTable(
  'user_links',
  {
    /** SHA-256 of what the link holds. */
    hash: text('hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    purpose: text('purpose').notNull(),
    /** The address that the link was sent to. */
    email: text('email').notNull(),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [
    check('user_links_purpose', sql`${t.purpose} in ('reset', 'confirm')`),
    index('user_links_user').on(t.userId),
    index('user_links_end').on(t.endsAt),
  ],
)

/** An invitation to an account's workspace, good for one person. */
export const invitations = pgTable(
  'invitations',
  {
    id: uuid('id').primaryKey().default(sql`gen_random_uuid()`),
    hash: text('hash').notNull().unique(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    invitedBy: uuid('invited_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Whom it is meant for, in the owner's words. */
    label: text('label').notNull(),
    createdAt: created(),
    endsAt: time('ends_at').notNull(),
  },
  (t) => [index('invitations_account').on(t.accountId), index('invitations_end').on(t.endsAt)],
)

/** How often somebody did what is limited (`src/users/rate-limiter.ts`), in the current window. */
export const turns = pgTable(
  'turns',
  {
    /** What is limited, and for whom; e-mail addresses are hashed. */
    subject: text('subject').primaryKey(),
    startedAt: time('started_at').notNull(),
    endsAt: time('ends_at').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [index('turns_end').on(t.endsAt)],
)

/** How each account was found, and by whom others find it. Apart from `accounts`, whose row every charge rewrites. */
export const referrals = pgTable(
  'referrals',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** What the account's own referral link ends in. */
    code: text('code').notNull().unique(),
    /** The account whose link brought this one. */
    referrerId: uuid('referrer_id').references(() => accounts.id, { onDelete: 'set null' }),
    /** When both were given their credits. */
    rewardedAt: time('rewarded_at'),
  },
  (t) => [
    check('referrals_other', sql`${t.referrerId} <> ${t.accountId}`),
    index('referrals_referrer').on(t.referrerId),
  ],
)

/** A plan or top-up that was chosen; credits follow once it is `accepted`. */
export const payments = pgTable(
  'payments',
  {
    id: uuid('id').primaryKey().default(sql`gen_random_uuid()`),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    kind: text('kind').notNull(),
    /** A name of `PLANS` or of `TOP_UPS`. */
    item: text('item').notNull(),
    /** What `PLANS` or `TOP_UPS` said when it was chosen; null is unlimited, or a price to agree on. */
    credits: integer('credits'),
    usd: integer('usd'),
    state: text('state').notNull().default('open'),
    /** The payment provider's name for it: nothing is applied twice. */
    reference: text('reference').unique(),
    createdAt: time('created_at').notNull(),
    decidedAt: time('decided_at'),
  },
  (t) => [
    check('payments_kind', sql`${t.kind} in ('plan', 'topup')`),
    check('payments_state', sql`${t.state} in ('open', 'accepted', 'refused')`),
    index('payments_account').on(t.accountId, t.createdAt),
    index('payments_open').on(t.createdAt).where(sql`${t.state} = 'open'`),
  ],
)

/** A plan that the payment provider collects for every month. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    /** The provider's name for it. */
    id: text('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    plan: text('plan').notNull(),
    startedAt: time('started_at').notNull(),
    endedAt: time('ended_at'),
  },
  (t) => [index('subscriptions_account').on(t.accountId)],
)

/** The payment provider's events that were applied. */
export const paymentEvents = pgTable('payment_events', {
  id: text('id').primaryKey(),
  kind: text('kind').notNull(),
  at: time('at').notNull(),
})

// ---------------------------------------------------------------- directory

export const companies = pgTable(
  'companies',
  {
    id: uuid('id').primaryKey(),
    externalId: text('external_id').unique(),
    slug: text('slug').notNull().unique(),
    name: text('name').notNull(),
    companyType: text('company_type').notNull(),
    ticker: text('ticker'),
    domain: text('domain'),
    sectors: words('sectors'),
    chains: words('chains'),
    size: text('size'),
    logoUrl: text('logo_url'),
    twitterHandle: text('twitter_handle'),
    communityLink: text('community_link'),
    discordUrl: text('discord_url'),
    linkedinUrl: text('linkedin_url'),
    tokenLaunched: boolean('token_launched'),
    tokenLink: text('token_link'),
    aiSummary: text('ai_summary'),
    followers: integer('followers'),
    handleHistory: jsonb('handle_history').$type<HandleSeen[]>().notNull().default([]),
    twitterRisk: jsonb('twitter_risk').$type<TwitterRisk>(),
    lifecycle: text('lifecycle'),
    fundType: text('fund_type'),
    entityKind: text('entity_kind'),
    fundAllTimeRoiPct: doublePrecision('fund_all_time_roi_pct'),
    trustTier: text('trust_tier'),
    trustTierRank: integer('trust_tier_rank'),
    altRoles: words('alt_roles'),
    createdAt: created(),
    updatedAt: time('updated_at').notNull().default(sql`now()`),
  },
  (t) => [
    check(
      'companies_type',
      sql`${t.companyType} in ('project', 'investor', 'platform', 'launchpad', 'service', 'institution')`,
    ),
    check('companies_slug', sql`${t.slug} ~ '^[a-z0-9-]{1,80}$'`),
    check('companies_lifecycle', sql`${t.lifecycle} in ('defunct', 'deceased')`),
    check('companies_entity_kind', sql`${t.entityKind} in ('organization', 'individual')`),
    check('companies_alt_roles', sql`${t.altRoles} <@ '{projects,investors,services}'`),
  ],
)

export const people = pgTable(
  'people',
  {
    id: uuid('id').primaryKey(),
    externalId: text('external_id').unique(),
    slug: text('slug').unique(),
    firstName: text('first_name'),
    lastName: text('last_name'),
    jobTitle: text('job_title'),
    twitterHandle: text('twitter_handle'),
    avatarUrl: text('avatar_url'),
    isCreator: boolean('is_creator').notNull().default(false),
    creatorFollowerCount: integer('creator_follower_count'),
    companyId: uuid('company_id').references(() => companies.id, { onDelete: 'set null' }),
    contactType: text('contact_type').notNull().default('team'),
    roles: words('roles'),
    /** Which channels exist. Kept by a trigger on `private_channels`; never written by hand. */
    hasEmail: boolean('has_email').notNull().default(false),
    hasPhone: boolean('has_phone').notNull().default(false),
    hasTelegram: boolean('has_telegram').notNull().default(false),
    hasLinkedin: boolean('has_linkedin').notNull().default(false),
    createdAt: created(),
    updatedAt: time('updated_at').notNull().default(sql`now()`),
  },
  (t) => [
    check('people_slug', sql`${t.slug} ~ '^[a-z0-9-]{1,80}$'`),
    check('people_contact_type', sql`${t.contactType} in ('analyst', 'team')`),
    index('people_company').on(t.companyId),
  ],
)

/**
 * A person's private channels. Only the meter reads this table, and only for contacts that the
 * calling account has unlocked (`drizzle/0001_meter.sql`).
 */
export const privateChannels = pgTable('private_channels', {
  personId: uuid('person_id')
    .primaryKey()
    .references(() => people.id, { onDelete: 'cascade' }),
  email: text('email'),
  phone: text('phone'),
  telegram: text('telegram'),
  linkedinUrl: text('linkedin_url'),
})

export const fundingRounds = pgTable(
  'funding_rounds',
  {
    id: uuid('id').primaryKey(),
    externalId: text('external_id').unique(),
    companyId: uuid('company_id')
      .notNull()
      .references(() => companies.id, { onDelete: 'cascade' }),
    roundType: text('round_type'),
    roundEventName: text('round_event_name'),
    amountUsd: doublePrecision('amount_usd'),
    announceDate: time('announce_date'),
    createdAt: created(),
  },
  (t) => [index('funding_rounds_company').on(t.companyId)],
)

/** One investor's part in one round: a portfolio row (its id is `investmentId`). */
export const roundInvestors = pgTable(
  'round_investors',
  {
    id: uuid('id').primaryKey(),
    roundId: uuid('round_id')
      .notNull()
      .references(() => fundingRounds.id, { onDelete: 'cascade' }),
    investorId: uuid('investor_id')
      .notNull()
      .references(() => companies.id, { onDelete: 'cascade' }),
    isLead: boolean('is_lead').notNull().default(false),
  },
  (t) => [
    unique('round_investors_once').on(t.roundId, t.investorId),
    index('round_investors_investor').on(t.investorId),
  ],
)

/**
 * What changed in the directory, in commit order: triggers fill it (`drizzle/0002_changes.sql`),
 * instances follow it. `kind` is `company`, `person` or `round`; a missing row means a deletion.
 */
export const changeLog = pgTable(
  'change_log',
  {
    sequence: bigserial('sequence', { mode: 'number' }).primaryKey(),
    kind: text('kind').notNull(),
    id: uuid('id').notNull(),
    at: time('at').notNull().default(sql`now()`),
  },
  (t) => [index('change_log_age').on(t.at)],
)
