/**
 * Companies, people, rounds and the log of changes. `private_channels` stands alone, so that no load reads it. The
 * indexes on names stand beside their function, in `drizzle/functions/intake/identity.sql`.
 */

import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import type { HandleSeen, TwitterRisk } from '../../contract/vocabulary.ts'
import { created, owner, time, words } from './columns.ts'

export const companies = pg.pgTable(
  'companies',
  {
    id: pg.uuid('id').primaryKey(),
    externalId: pg.text('external_id').unique(),
    slug: pg.text('slug').notNull().unique(),
    name: pg.text('name').notNull(),
    companyType: pg.text('company_type').notNull(),
    ticker: pg.text('ticker'),
    domain: pg.text('domain'),
    sectors: words('sectors'),
    chains: words('chains'),
    size: pg.text('size'),
    logoUrl: pg.text('logo_url'),
    twitterHandle: pg.text('twitter_handle'),
    communityLink: pg.text('community_link'),
    discordUrl: pg.text('discord_url'),
    linkedinUrl: pg.text('linkedin_url'),
    tokenLaunched: pg.boolean('token_launched'),
    tokenLink: pg.text('token_link'),
    aiSummary: pg.text('ai_summary'),
    followers: pg.integer('followers'),
    handleHistory: pg.jsonb('handle_history').$type<HandleSeen[]>().notNull().default([]),
    twitterRisk: pg.jsonb('twitter_risk').$type<TwitterRisk>(),
    lifecycle: pg.text('lifecycle'),
    fundType: pg.text('fund_type'),
    entityKind: pg.text('entity_kind'),
    fundAllTimeRoiPct: pg.doublePrecision('fund_all_time_roi_pct'),
    trustTier: pg.text('trust_tier'),
    trustTierRank: pg.integer('trust_tier_rank'),
    altRoles: words('alt_roles'),
    createdAt: created(),
    updatedAt: time('updated_at').notNull().default(sql`now()`),
  },
  (t) => [
    pg.check(
      'companies_type',
      sql`${t.companyType} in ('project', 'investor', 'platform', 'launchpad', 'service', 'institution')`,
    ),
    pg.check('companies_slug', sql`${t.slug} ~ '^[a-z0-9-]{1,80}$'`),
    pg.check('companies_lifecycle', sql`${t.lifecycle} in ('defunct', 'deceased')`),
    pg.check('companies_entity_kind', sql`${t.entityKind} in ('organization', 'individual')`),
    pg.check('companies_alt_roles', sql`${t.altRoles} <@ '{projects,investors,services}'`),
    pg.index('companies_domain').on(t.domain),
  ],
)

export const people = pg.pgTable(
  'people',
  {
    id: pg.uuid('id').primaryKey(),
    externalId: pg.text('external_id').unique(),
    slug: pg.text('slug').unique(),
    firstName: pg.text('first_name'),
    lastName: pg.text('last_name'),
    jobTitle: pg.text('job_title'),
    twitterHandle: pg.text('twitter_handle'),
    avatarUrl: pg.text('avatar_url'),
    isCreator: pg.boolean('is_creator').notNull().default(false),
    creatorFollowerCount: pg.integer('creator_follower_count'),
    companyId: pg.uuid('company_id').references(() => companies.id, { onDelete: 'set null' }),
    contactType: pg.text('contact_type').notNull().default('team'),
    roles: words('roles'),
    /** Names of existing channels. Kept by a trigger on `private_channels`; never written by hand. */
    hasEmail: pg.boolean('has_email').notNull().default(false),
    hasPhone: pg.boolean('has_phone').notNull().default(false),
    hasTelegram: pg.boolean('has_telegram').notNull().default(false),
    hasLinkedin: pg.boolean('has_linkedin').notNull().default(false),
    createdAt: created(),
    updatedAt: time('updated_at').notNull().default(sql`now()`),
  },
  (t) => [
    pg.check('people_slug', sql`${t.slug} ~ '^[a-z0-9-]{1,80}$'`),
    pg.check('people_contact_type', sql`${t.contactType} in ('analyst', 'team')`),
    pg.index('people_company').on(t.companyId),
  ],
)

/** A person's private channels. Read for an account that has unlocked them alone. */
export const privateChannels = pg.pgTable('private_channels', {
  personId: pg
    .uuid('person_id')
    .primaryKey()
    .references(() => people.id, { onDelete: 'cascade' }),
  email: pg.text('email'),
  phone: pg.text('phone'),
  telegram: pg.text('telegram'),
  linkedinUrl: pg.text('linkedin_url'),
})

export const fundingRounds = pg.pgTable(
  'funding_rounds',
  {
    id: pg.uuid('id').primaryKey(),
    externalId: pg.text('external_id').unique(),
    companyId: owner('company_id', () => companies.id),
    roundType: pg.text('round_type'),
    roundEventName: pg.text('round_event_name'),
    amountUsd: pg.doublePrecision('amount_usd'),
    announceDate: time('announce_date'),
    createdAt: created(),
  },
  (t) => [pg.index('funding_rounds_company').on(t.companyId)],
)

/** One investor's part in one round: a portfolio row (its id is `investmentId`). */
export const roundInvestors = pg.pgTable(
  'round_investors',
  {
    id: pg.uuid('id').primaryKey(),
    roundId: owner('round_id', () => fundingRounds.id),
    investorId: owner('investor_id', () => companies.id),
    isLead: pg.boolean('is_lead').notNull().default(false),
  },
  (t) => [
    pg.unique('round_investors_once').on(t.roundId, t.investorId),
    pg.index('round_investors_investor').on(t.investorId),
  ],
)

/**
 * Changes of the directory in commit order: triggers fill it (`drizzle/functions/directory/changes.sql`),
 * instances follow it. `kind` is `company`, `person` or `round`; a missing row means a deletion.
 */
export const changeLog = pg.pgTable(
  'change_log',
  {
    sequence: pg.bigserial('sequence', { mode: 'number' }).primaryKey(),
    kind: pg.text('kind').notNull(),
    id: pg.uuid('id').notNull(),
    at: time('at').notNull().default(sql`now()`),
  },
  (t) => [pg.index('change_log_age').on(t.at)],
)

/**
 * Records that were merged into another: their ids, slugs and external ids mean that one from then on. One
 * whose `to_id` is gone means nothing, and a record that has one of these keys itself comes first.
 */
export const redirects = pg.pgTable(
  'redirects',
  {
    id: pg.uuid('id').primaryKey(),
    /** `company`, `person` or `round`. */
    kind: pg.text('kind').notNull(),
    slug: pg.text('slug'),
    externalId: pg.text('external_id'),
    /** Never one that was itself merged: redirects to it move on with it. */
    toId: pg.uuid('to_id').notNull(),
  },
  (t) => [
    pg.index('redirects_slug').on(t.slug),
    pg.index('redirects_external_id').on(t.externalId),
    pg.index('redirects_to').on(t.toId),
  ],
)

// Logos and avatars, as small pictures of our own, and how their last fetch went. `drizzle/functions/directory/pictures.sql`
// keeps them in step with the records.

const bytes = pg.customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** A row stands as long as its record has this address: another address, or none, deletes it. */
export const pictures = pg.pgTable(
  'pictures',
  {
    /** Kind of the record: company or person. */
    recordId: pg.uuid('record_id').primaryKey(),
    kind: pg.text('kind').$type<'company' | 'person'>().notNull(),
    /** The record's `logoUrl` or `avatarUrl`. */
    url: pg.text('url').notNull(),
    /** A small WebP or JPEG; null while none was got, and once its host said that it is gone. */
    bytes: bytes('bytes'),
    /** The first 31 bits of the SHA-256 of `bytes`: pages name a picture by them. */
    version: pg.integer('version'),
    /** The host's validators, by which it tells whether the picture has changed. */
    etag: pg.text('etag'),
    lastModified: pg.text('last_modified'),
    triedAt: time('tried_at').notNull(),
    /** Why the last fetch failed, in words; null where it didn't. */
    error: pg.text('error'),
    /** Fetches that failed since the last that didn't. */
    failures: pg.integer('failures').notNull().default(0),
    /** Before this a failed one is not tried again. */
    nextAt: time('next_at'),
  },
  (t) => [
    pg.check('pictures_kind', sql`${t.kind} in ('company', 'person')`),
    pg.check('pictures_bytes', sql`(${t.bytes} is null) = (${t.version} is null)`),
    pg.check('pictures_size', sql`octet_length(${t.bytes}) <= 131072`),
    pg.check('pictures_error', sql`(${t.error} is null) = (${t.nextAt} is null)`),
  ],
)

// The journal: who changed what in the directory and when, and what was there before. Triggers fill it.

/** One change: one command, or one run of an import. Kept for 30 days. */
export const journal = pg.pgTable(
  'journal',
  {
    change: pg.bigserial('change', { mode: 'number' }).primaryKey(),
    at: time('at').notNull(),
    who: pg.text('who').notNull(),
    /** `import`, `add`, `set`, `delete`, `merge`, `undo`, `erase`, or `sql` where a statement of nobody's command changed records. */
    what: pg.text('what').notNull(),
    /** The one record that the command named: `company`, `person` or `round`, and its id; of an erased person the erasure's. */
    kind: pg.text('kind'),
    id: pg.uuid('id'),
    /** The change that this one took back. */
    undoes: pg.bigint('undoes', { mode: 'number' }),
    /** The change that took this one back, and was not taken back itself. */
    undoneBy: pg.bigint('undone_by', { mode: 'number' }),
  },
  (t) => [pg.index('journal_age').on(t.at)],
)

/**
 * The rows that a change updated or deleted, each as it was before, in the order of commits; private channels are among
 * them. No foreign key to the change, because it would be looked at once for each row of an import.
 */
export const journalEntries = pg.pgTable(
  'journal_entries',
  {
    change: pg.bigint('change', { mode: 'number' }).notNull(),
    sequence: pg.bigserial('sequence', { mode: 'number' }).notNull(),
    tableName: pg.text('table_name').notNull(),
    /** The row's id; of an unlock its account. */
    rowId: pg.uuid('row_id').notNull(),
    /** The company, person or round that the row belongs to. */
    recordId: pg.uuid('record_id').notNull(),
    /** Null where an undo found no such row. */
    before: pg.jsonb('before'),
  },
  (t) => [
    pg.primaryKey({ columns: [t.change, t.sequence] }),
    pg.index('journal_entries_record').on(t.recordId),
  ],
)

/**
 * The rows that a change inserted, all of one statement together: row by row they would slow an import down. Sequences
 * are those of `journal_entries`.
 */
export const journalCreated = pg.pgTable(
  'journal_created',
  {
    change: pg.bigint('change', { mode: 'number' }).notNull(),
    sequence: pg
      .bigint('sequence', { mode: 'number' })
      .notNull()
      .default(sql`nextval('journal_entries_sequence_seq')`),
    tableName: pg.text('table_name').notNull(),
    rowIds: pg.uuid('row_ids').array().notNull(),
    /** The record of each of those rows, in their order. */
    recordIds: pg.uuid('record_ids').array().notNull(),
  },
  (t) => [pg.primaryKey({ columns: [t.change, t.sequence] })],
)
