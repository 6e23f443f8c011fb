-- Sums by day: `ledger_days` holds what each account was charged by day, endpoint and key, and `service_days` what all were, up to
-- the entry of each account that `ledger_folds` names. Readers add the entries behind that one in the same snapshot, so figures are
-- exact at every moment, and a charge writes no sums: a row more in its statement cost a fifth of its processor time.
--
-- Summing takes no lock that a charge takes. An account's entries become visible in the order of their sequence, because each is
-- numbered and committed under the account's lock, so no time decides what is summed, whatever the clock said. The day of an
-- entry is that of its `at`.

-- The lock of whoever writes sums. Any number will do that nothing else locks.
create or replace function ledger_days_lock() returns bigint language sql immutable
return 7163384760;

create or replace function utc_day(p_at timestamptz) returns date language sql immutable
return (p_at at time zone 'UTC')::date;

-- Stands for a key in the sums of charges without one. The meter names a key and an endpoint in each.
create or replace function no_key() returns uuid language sql immutable
return '00000000-0000-0000-0000-000000000000'::uuid;

-- The moment at which a day begins.
create or replace function utc_start(p_day date) returns timestamptz language sql immutable
return p_day::timestamp at time zone 'UTC';

-- Adds what the next p_accounts accounts after p_after have behind their sums, at most p_entries entries of each. Returns where to go on:
-- p_after again while one of them has more, null behind the last account.
--
-- The settings, here and below: an account's entries are read in the order of the primary key, as many as are taken. For a long
-- ledger among short ones the planner would read and sort all of it.
create or replace function ledger_sum(p_after uuid, p_accounts integer, p_entries integer) returns uuid
language plpgsql
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
declare
  v_next uuid;
begin
  perform pg_advisory_xact_lock(ledger_days_lock());
  with page as materialized (
    select a.id, coalesce(f.sequence, 0) as sequence
      from (select id from accounts where id > p_after order by id limit p_accounts) a
      left join ledger_folds f on f.account_id = a.id
  ), bite as materialized (
    select l.*
      from page
     cross join lateral (
             select account_id, sequence, at, kind, credits, endpoint, key_id from ledger
              where account_id = page.id and sequence > page.sequence
              order by sequence limit p_entries) l
  ), by_key as (
    insert into ledger_days as d (account_id, day, endpoint, key_id, calls, credits, last_at, first_sequence, last_sequence)
    select account_id, utc_day(at), coalesce(endpoint, ''), coalesce(key_id, no_key()),
           count(*), -sum(credits), max(at), min(sequence), max(sequence)
      from bite where kind = 'charge' group by 1, 2, 3, 4
    on conflict (account_id, day, endpoint, key_id) do update
      set calls = d.calls + excluded.calls, credits = d.credits + excluded.credits,
          last_at = greatest(d.last_at, excluded.last_at), last_sequence = excluded.last_sequence
  ), of_all as (
    insert into service_days as d (day, spent)
    select utc_day(at), -sum(credits) from bite where kind = 'charge' group by 1 order by 1
    on conflict (day) do update set spent = d.spent + excluded.spent
  ), ends as (
    select account_id, max(sequence) as sequence, count(*) as entries from bite group by 1
  ), moved as (
    insert into ledger_folds as f (account_id, sequence) select account_id, sequence from ends
    on conflict (account_id) do update set sequence = excluded.sequence
  )
  select case when exists (select from ends where entries = p_entries) then p_after
              else (select id from page order by id desc limit 1) end
    into v_next;
  return v_next;
end $$;

-- Charges of an account since p_since, by day (UTC), endpoint and key: whole days from the sums, the rest from its entries.
create or replace function ledger_use(p_account uuid, p_since timestamptz)
returns table (day date, endpoint text, key_id uuid, calls bigint, credits bigint, last_at timestamptz)
language plpgsql stable
  set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_folded bigint := coalesce((select sequence from ledger_folds where account_id = p_account), 0);
  v_from bigint := ledger_since(p_account, p_since);
  v_day date := utc_day(p_since);  -- the first whole day
  v_first bigint;
  v_last bigint;
begin
  -- An archived day has no entries any more.
  if utc_start(v_day) < p_since and p_since >= ledger_archived_until() then
    select min(first_sequence), max(last_sequence) into v_first, v_last
      from ledger_days where account_id = p_account and day = v_day and last_at >= p_since;
    v_day := v_day + 1;
  end if;
  return query
  select used.day, used.endpoint, used.key_id, sum(used.calls)::bigint, sum(used.credits)::bigint, max(used.last_at)
    from (
      select d.day, d.endpoint, d.key_id, d.calls, d.credits, d.last_at
        from ledger_days d where d.account_id = p_account and d.day >= v_day
       union all
      -- Entries of the day on which p_since is.
      select utc_day(l.at), coalesce(l.endpoint, ''), coalesce(l.key_id, no_key()), 1, -l.credits, l.at
        from ledger l
       where l.account_id = p_account and l.sequence between v_first and v_last
         and l.kind = 'charge' and l.at >= p_since and l.at < utc_start(v_day)
       union all
      select utc_day(l.at), coalesce(l.endpoint, ''), coalesce(l.key_id, no_key()), 1, -l.credits, l.at
        from ledger l
       where l.account_id = p_account and l.sequence > greatest(v_folded, v_from - 1)
         and l.kind = 'charge' and l.at >= p_since
    ) used
   group by 1, 2, 3;
end $$;

-- Credits charged to all accounts since p_since that are not in the sums, by day.
create or replace function service_unsummed(p_since timestamptz) returns table (day date, spent bigint)
language plpgsql stable
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  return query
  select utc_day(l.at), -sum(l.credits)
    from accounts a
    left join ledger_folds f on f.account_id = a.id
   cross join lateral (
           select at, credits from ledger
            where account_id = a.id and sequence > coalesce(f.sequence, 0) and kind = 'charge' and at >= p_since) l
   group by 1;
end $$;

-- The endpoints that an account was ever charged for.
create or replace function ledger_endpoints(p_account uuid) returns setof text
language plpgsql stable
  set enable_seqscan = off
as $$
declare
  v_folded bigint := coalesce((select sequence from ledger_folds where account_id = p_account), 0);
begin
  return query
  select endpoint from ledger_days where account_id = p_account and endpoint <> ''
   union
  select endpoint from ledger where account_id = p_account and sequence > v_folded and endpoint is not null;
end $$;

-- Between which sequence numbers (`past` not included) the newest p_entries charges before p_before stand that a key made or an
-- endpoint had; null is any. The sums tell where theirs are, so that a page of a key that was used long ago doesn't read
-- everything since, nor one of a key that was used seldom everything before. No time decides it, so it holds whatever clocks said.
create or replace function ledger_part(
  p_account uuid, p_key uuid, p_endpoint text, p_before bigint, p_entries integer, out first bigint, out past bigint
) language plpgsql stable
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
declare
  v_folded bigint := coalesce((select sequence from ledger_folds where account_id = p_account), 0);
  v_past bigint := coalesce(p_before, 9223372036854775807);
  v_first bigint;
  v_last bigint;
begin
  -- Sums with matches before p_before, newest first, until those that are all before it have enough. `newer`: matches of such sums
  -- that end after this one does.
  select min(first_sequence) filter (where newer < p_entries), max(last_sequence)
    into v_first, v_last
    from (
      select first_sequence, last_sequence,
             coalesce(sum(calls) filter (where last_sequence < v_past) over newer_sums, 0) as newer
        from ledger_days
       where account_id = p_account and first_sequence < v_past
         and (p_key is null or key_id = p_key) and (p_endpoint is null or endpoint = p_endpoint)
      window newer_sums as (order by last_sequence desc rows between unbounded preceding and 1 preceding)
    ) counted;
  first := least(v_folded + 1, v_first);
  past := v_past;
  if v_folded < v_past and not exists (
    select from (
      select from ledger
       where account_id = p_account and sequence > v_folded and sequence < v_past
         and (p_key is null or key_id = p_key) and (p_endpoint is null or endpoint = p_endpoint)
       order by sequence limit 1) behind
  ) then
    past := v_folded + 1;
  end if;
  if past <= v_folded + 1 then past := least(past, v_last + 1); end if;
end $$;

-- Counts calls in the sums of all accounts as the log of requests is written, whichever version writes it.
create or replace function service_calls() returns trigger language plpgsql as $$
begin
  insert into service_days as d (day, charged, free, refused, failed)
  select utc_day(began_at), sum(charged), sum(free), sum(refused), sum(failed) from made group by 1 order by 1
  on conflict (day) do update
    set charged = d.charged + excluded.charged, free = d.free + excluded.free,
        refused = d.refused + excluded.refused, failed = d.failed + excluded.failed;
  return null;
end $$;

select set_trigger('CREATE TRIGGER service_calls AFTER INSERT ON request_chunks REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION service_calls()');
