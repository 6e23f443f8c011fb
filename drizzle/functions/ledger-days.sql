-- Daily sums of the ledger: `ledger_days` holds what each account was charged by day, endpoint and key, up to the entry
-- that `ledger_folds` names. Who asks gets these sums and those of the entries behind that one, in one snapshot, so
-- the figures are exact at every moment.
--
-- Folding takes no lock that a charge takes, because an account's entries become visible in the order of their sequence:
-- each is numbered and committed under the account's lock. So the entries that a snapshot sees are an unbroken beginning, and
-- what is committed later has higher numbers. The day of an entry is that of its `at`, whatever the clock said before.

-- Settings of the functions below: an account's entries are read in the order of the primary key, as many as are taken. For a long
-- ledger among short ones the planner would read and sort all of it.

-- The lock of whoever writes the two tables. Any number will do that nothing else locks.
create or replace function ledger_days_lock() returns bigint language sql immutable
return 7163384757;

create or replace function utc_day(p_at timestamptz) returns date language sql immutable
return (p_at at time zone 'UTC')::date;

-- What stands for a key in the sums of charges without one. The meter names a key and an endpoint in each.
create or replace function no_key() returns uuid language sql immutable
return '00000000-0000-0000-0000-000000000000'::uuid;

-- The moment at which a day begins.
create or replace function utc_start(p_day date) returns timestamptz language sql immutable
return p_day::timestamp at time zone 'UTC';

-- Adds to the sums, of each of these accounts that has at least p_least entries which are not in them, at most p_entries. Fewer are
-- read as fast as sums, which would take as much space as they do. Returns the accounts that may have more; null where
-- somebody else writes the sums.
create or replace function ledger_fold(p_accounts uuid[], p_entries integer, p_least integer) returns uuid[]
language plpgsql
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
declare
  v_more uuid[];
begin
  if not pg_try_advisory_xact_lock(ledger_days_lock()) then return null; end if;
  insert into ledger_folds (account_id, sequence, balance)
  select account, 0, 0 from unnest(p_accounts) account
  on conflict do nothing;

  with bite as materialized (
    select l.*
      from ledger_folds f
     cross join lateral (
             select account_id, sequence, at, kind, credits, balance_after, endpoint, key_id
               from ledger
              where account_id = f.account_id and sequence > f.sequence
              order by sequence limit p_entries) l
     where f.account_id = any (p_accounts)
       and (select sequence from ledger
             where account_id = f.account_id and sequence > f.sequence
             order by sequence offset p_least - 1 limit 1) is not null
  ), added as (
    insert into ledger_days as d (account_id, day, endpoint, key_id, calls, credits, last_at)
    select account_id, utc_day(at), coalesce(endpoint, ''), coalesce(key_id, no_key()),
           count(*), -sum(credits), max(at)
      from bite where kind = 'charge' group by 1, 2, 3, 4
    on conflict (account_id, day, endpoint, key_id) do update
      set calls = d.calls + excluded.calls, credits = d.credits + excluded.credits,
          last_at = greatest(d.last_at, excluded.last_at)
  ), ends as (
    select distinct on (account_id) account_id, sequence, balance_after, count(*) over (partition by account_id) as entries
      from bite order by account_id, sequence desc
  ), moved as (
    update ledger_folds f
       -- Where too little was left to fold the balance is noted all the same, so that the account isn't looked at again at once.
       set sequence = coalesce(e.sequence, f.sequence), balance = coalesce(e.balance_after, a.balance, f.balance)
      from unnest(p_accounts) asked (id)
      left join ends e on e.account_id = asked.id
      left join accounts a on a.id = asked.id
     where f.account_id = asked.id
  )
  select coalesce(array_agg(account_id) filter (where entries = p_entries), '{}') into v_more from ends;
  return v_more;
end $$;

-- Accounts with entries behind their sums, those with most first: whose balance is at least p_credits away from what it was at the
-- last entry that was folded, or when they were last looked at. Where it is nearer by chance, a later charge tells.
create or replace function ledger_unfolded(p_credits integer, p_limit integer) returns setof uuid language sql stable as $$
  select a.id
    from accounts a left join ledger_folds f on f.account_id = a.id
   where f.account_id is null or abs(a.balance - f.balance) >= p_credits
   order by abs(a.balance - coalesce(f.balance, 0)) desc
   limit p_limit
$$;

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
  v_to bigint;
begin
  if utc_start(v_day) < p_since then
    v_day := v_day + 1;
    v_to := ledger_since(p_account, utc_start(v_day) + interval '2 hours');
  end if;
  return query
  select used.day, used.endpoint, used.key_id, sum(used.calls)::bigint, sum(used.credits)::bigint, max(used.last_at)
    from (
      select d.day, d.endpoint, d.key_id, d.calls, d.credits, d.last_at
        from ledger_days d where d.account_id = p_account and d.day >= v_day
       union all
      -- Of the day on which p_since is.
      select utc_day(l.at), coalesce(l.endpoint, ''), coalesce(l.key_id, no_key()), 1, -l.credits, l.at
        from ledger l
       where l.account_id = p_account and l.sequence >= v_from and l.sequence < v_to and l.sequence <= v_folded
         and l.kind = 'charge' and l.at >= p_since and l.at < utc_start(v_day)
       union all
      select utc_day(l.at), coalesce(l.endpoint, ''), coalesce(l.key_id, no_key()), 1, -l.credits, l.at
        from ledger l
       where l.account_id = p_account and l.sequence > greatest(v_folded, v_from - 1)
         and l.kind = 'charge' and l.at >= p_since
    ) used
   group by 1, 2, 3;
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
-- endpoint had; null is any. The sums tell on which days those are, so that a page of a key that was used long ago doesn't read
-- everything since, nor one of a key that was used seldom everything before.
create or replace function ledger_part(
  p_account uuid, p_key uuid, p_endpoint text, p_before bigint, p_entries integer, out first bigint, out past bigint
) language plpgsql stable
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
declare
  v_folded bigint := coalesce((select sequence from ledger_folds where account_id = p_account), 0);
  v_past bigint := coalesce(p_before, 9223372036854775807);
  -- Days before this one are over at p_before, also where the clock was set back by an hour.
  v_open date := utc_day((
    select at - interval '1 hour' from ledger where account_id = p_account and sequence < p_before order by sequence desc limit 1));
  v_last date;
  v_first date;
begin
  -- Days with matches, newest first, until those that are over have enough. `newer`: matches on such days after this one.
  select max(day) filter (where day <= v_open + 1 or v_open is null), min(day) filter (where newer < p_entries)
    into v_last, v_first
    from (
      select day, coalesce(sum(calls) filter (where day < v_open or v_open is null) over newer_days, 0) as newer
        from (select day, sum(calls) as calls from ledger_days
               where account_id = p_account
                 and (p_key is null or key_id = p_key) and (p_endpoint is null or endpoint = p_endpoint)
               group by 1) days
      window newer_days as (order by day desc rows between unbounded preceding and 1 preceding)
    ) counted;
  first := least(v_folded + 1, case when v_first is not null then ledger_since(p_account, utc_start(v_first)) end);
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
  if past <= v_folded + 1 and v_last is not null then
    past := least(past, ledger_since(p_account, utc_start(v_last) + interval '26 hours'));
  end if;
end $$;

-- Returns the sequence number at which an account's entries of a request begin, and those of two days before its newest: a run
-- takes minutes, and may be repeated for a day. Null where there is none.
create or replace function ledger_request_since(p_account uuid, p_request text) returns bigint
language plpgsql stable
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
declare
  v_newest timestamptz := (
    select at from ledger where account_id = p_account and request_id = p_request order by sequence desc limit 1);
begin
  return case when v_newest is not null then ledger_since(p_account, v_newest - interval '2 days') end;
end $$;

-- Accounts whose sums are not those of their entries, or name an entry that there is not.
create or replace function ledger_days_wrong() returns setof uuid language sql stable as $$
  with entries as (
    select l.account_id, utc_day(l.at) as day, coalesce(l.endpoint, '') as endpoint,
           coalesce(l.key_id, no_key()) as key_id, count(*) as calls, -sum(l.credits) as credits, max(l.at) as last_at
      from ledger l join ledger_folds f on f.account_id = l.account_id and l.sequence <= f.sequence
     where l.kind = 'charge'
     group by 1, 2, 3, 4
  )
  select coalesce(e.account_id, d.account_id)
    from entries e
    full join ledger_days d using (account_id, day, endpoint, key_id)
   where e.calls is distinct from d.calls or e.credits is distinct from d.credits or e.last_at is distinct from d.last_at
  union
  select f.account_id from ledger_folds f
   where f.sequence > 0
     and not exists (select from ledger l where l.account_id = f.account_id and l.sequence = f.sequence)
$$;

-- Forgets the sums of these accounts, which are read from their entries then, until they are folded again.
create or replace function ledger_unfold(p_accounts uuid[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(ledger_days_lock());
  delete from ledger_days where account_id = any (p_accounts);
  delete from ledger_folds where account_id = any (p_accounts);
end $$;
