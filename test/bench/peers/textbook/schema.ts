/** What the textbook server adds to the tables that Chainkin filled: an index for each thing that it looks for. */
import type pg from 'pg'

/**
 * One text for each record in which search looks, as trigrams, and an index for each filter and order. The counts
 * of requests are unlogged, because a crash may forget them: a commit that waits for no disk.
 */
const STATEMENTS = [
  'create extension if not exists pg_trgm',
  `alter table people add column search text generated always as (lower(
     coalesce(first_name, '') || ' ' || coalesce(last_name, '') || ' ' ||
     coalesce(twitter_handle, '') || ' ' || coalesce(job_title, ''))) stored`,
  `alter table companies add column search text generated always as (lower(
     name || ' ' || coalesce(ticker, '') || ' ' || coalesce(twitter_handle, '') || ' ' || coalesce(domain, ''))) stored`,
  'create index textbook_people_search on people using gin (search gin_trgm_ops)',
  'create index textbook_companies_search on companies using gin (search gin_trgm_ops)',
  'create index textbook_people_recent on people (created_at desc, id)',
  `create index textbook_people_name on people (lower(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), id)`,
  'create index textbook_people_roles on people using gin (roles)',
  'create index textbook_companies_recent on companies (company_type, created_at desc, id)',
  'create index textbook_companies_name on companies (lower(name), id)',
  'create index textbook_companies_sectors on companies using gin (sectors)',
  `create unlogged table request_counts (key varchar(255) primary key, points integer not null default 0, expire bigint)`,
  'vacuum analyze',
]

export async function prepareTextbook(pool: pg.Pool): Promise<void> {
  for (const statement of STATEMENTS) await pool.query(statement)
}
