/** A ledger of years, made in SQL: one account with its share of the entries, other accounts with the rest. */
import type postgres from 'postgres'

export interface LongLedger {
  entries: number
  /** How many of them are the one account's. */
  own: number
  /** Over how many days they are spread evenly, up to now. */
  days: number
  accounts: number
  /** Whether daily sums are made as well, of all but the last days: those are the service's to fold. */
  hasSums: boolean
}

/** So many entries are made by one statement. */
const BITE = 2_000_000
const UNSUMMED_DAYS = 2
/** Accounts with few calls make them one after the other, by one key. */
const RUN = 50
const CREDITS = 1_000_000

/** Accounts of the team tier with three keys each, and nothing in the ledger. */
export async function makeTeams(sql: postgres.Sql, count: number): Promise<void> {
  await sql`
    insert into accounts (name, email, tier) select 'Ada', 'ada@example.com', 'team' from generate_series(1, ${count}::integer)`
  await sql`
    insert into api_keys (account_id, hash, prefix, label)
    select id, gen_random_uuid()::text, 'ck_live_test', 'key ' || n from accounts, generate_series(1, 3) n`
}

/** Gives each account a million credits on top of what its ledger has charged. */
export async function giveCredits(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into ledger (account_id, at, kind, credits, balance_after)
    select a.id, now(), 'grant', ${CREDITS}::bigint - coalesce(l.sum, 0), ${CREDITS}
      from accounts a left join (select account_id, sum(credits) as sum from ledger group by 1) l on l.account_id = a.id`
  await sql`
    insert into credit_grants (account_id, source, amount, remaining, created_at)
    select id, 'topup', ${CREDITS}, ${CREDITS}, now() from accounts`
  await sql`update accounts set balance = ${CREDITS}, unallotted = 0`
}

/**
 * Fills the tables of a new database.
 * @param say told after each part of the work
 * @returns the account that has its share of the entries
 */
export async function fillLedger(
  sql: postgres.Sql,
  { entries, own, days, accounts, hasSums }: LongLedger,
  say: (what: string) => void,
): Promise<string> {
  await makeTeams(sql, accounts)
  const [account] = await sql<{ id: string }[]>`select id from accounts order by id limit 1`
  const id = account?.id ?? ''
  for (const setting of ["maintenance_work_mem = '512MB'", "work_mem = '256MB'"])
    await sql.unsafe(`set ${setting}`)
  // The last checkpoint writes it all.
  await sql`set synchronous_commit = off`
  const tables = await makeMonths(sql, days)
  for (let from = 1; from <= entries; from += BITE) {
    const to = Math.min(entries, from + BITE - 1)
    // In the order of their time, as a ledger is written: every so many the one account's, runs of calls of another between them.
    await sql`
      insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id)
      select case when n * ${own}::bigint / ${entries}::bigint <> (n - 1) * ${own}::bigint / ${entries}::bigint
                  then ids[1] else ids[2 + n / ${RUN}::integer * 7919 % (${accounts}::bigint - 1)] end,
             now() - (${entries}::bigint - n)::float8 / ${entries}::bigint * ${days}::integer * interval '1 day',
             'charge', -5, -5 * n, case when n < 10 then 'the first' else gen_random_uuid()::text end,
             (array['/v1/people', '/v1/search', '/v1/people/:id', '/v1/projects'])[1 + n / 10 % 4], keys[1 + n / ${RUN}::integer % 3]
        from (select array_agg(id order by id) as ids from accounts) a,
             (select array_agg(id) as keys from api_keys where account_id = ${id}) k,
             generate_series(${from}::bigint, ${to}::bigint) n`
    say(`${to} entries`)
  }
  for (const table of tables)
    await sql.unsafe(`alter table ${table} add primary key (account_id, sequence)`)
  say('primary keys')
  if (hasSums) await makeSums(sql)
  say('daily sums')
  await giveCredits(sql)
  await sql`vacuum analyze`
  await sql`checkpoint`
  say('credits, vacuum')
  return id
}

/**
 * The tables of the months, as a service would have made them that began so many days ago, and without their keys: an index that is
 * made at once takes less than one that grows by each entry.
 * @returns their names
 */
async function makeMonths(sql: postgres.Sql, days: number): Promise<string[]> {
  await sql.unsafe(`
    do $$
    declare
      v_month timestamptz;
      v_name text;
    begin
      drop table ledger_first;
      for v_month in
        select generate_series(month_start(now() - interval '${days} days'), month_start(now()), interval '1 month')
      loop
        continue when exists (select from ledger_parts() p where p.since = v_month);
        v_name := 'ledger_' || to_char(v_month at time zone 'UTC', 'YYYY_MM');
        execute format('create table %I partition of ledger (primary key (account_id, sequence)) for values from (%L) to (%L)',
                       v_name, v_month, next_month(v_month));
        perform protect_ledger_part(v_name);
      end loop;
    end $$`)
  const parts = await sql<{ name: string }[]>`select name from ledger_parts()`
  for (const { name } of parts) await sql.unsafe(`alter table ${name} drop constraint ${name}_pkey`)
  return parts.map(({ name }) => name)
}

/** Sums as the service would have made them, in two statements. */
async function makeSums(sql: postgres.Sql): Promise<void> {
  // One moment for both: what one has and the other has not would be wrong sums.
  const [row] = await sql<{ until: string }[]>`
    select (now() - make_interval(days => ${UNSUMMED_DAYS}))::text as until`
  const until = row?.until ?? ''
  await sql`
    insert into ledger_days (account_id, day, endpoint, key_id, calls, credits, last_at, first_sequence, last_sequence)
    select account_id, utc_day(at), endpoint, key_id, count(*), -sum(credits), max(at), min(sequence), max(sequence)
      from ledger where at < ${until}::text::timestamptz group by 1, 2, 3, 4 order by 1, 2, 3, 4`
  await sql`
    insert into ledger_folds (account_id, sequence)
    select a.id, l.sequence
      from accounts a cross join lateral (
        select sequence from ledger
         where account_id = a.id and at < ${until}::text::timestamptz
         order by sequence desc limit 1) l`
}
