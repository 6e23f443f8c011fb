/**
 * Companies, people and funding rounds, and the log of their changes. `private_channels` stands alone, so that
 * what loads the directory can't read a channel by accident.
 */
import { sql } from 'drizzle-orm'
import {
  bigserial,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import type { HandleSeen, TwitterRisk } from '../../contract/vocabulary.ts'
import { created, owner, time, words } from './columns.ts'

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
 * calling account has unlocked (`drizzle/functions/charge.sql`).
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
    companyId: owner('company_id', () => companies.id),
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
    roundId: owner('round_id', () => fundingRounds.id),
    investorId: owner('investor_id', () => companies.id),
    isLead: boolean('is_lead').notNull().default(false),
  },
  (t) => [
    unique('round_investors_once').on(t.roundId, t.investorId),
    index('round_investors_investor').on(t.investorId),
  ],
)

/**
 * What changed in the directory, in commit order: triggers fill it (`drizzle/functions/changes.sql`),
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
