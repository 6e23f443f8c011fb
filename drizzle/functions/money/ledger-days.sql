-- Daily sums of the ledger: `ledger_days` holds what each account was charged by day, endpoint and key, up to the entry
-- that `ledger_folds` names. Who asks gets these sums and those of the entries behind that one, in one snapshot, so
-- the figures are exact at every moment.
--
-- Folding takes no lock that a charge takes, because an account's entries become visible in the order of their sequence:
-- each is numbered and committed under the account's lock. So the entries that a snapshot sees are an unbroken beginning, and
-- what is committed later has higher numbers. The day of an entry is that of its `at`, whatever the clock said before.

-- Settings of the functions below: an account's entries are read in the order of the primary key, as many as are taken. For a long
-- ledger among short ones the planner would read and sort all of it.

-- The lock of whoever writes the two tables. Any number will do that nothing else locks. The last release's was the number of
-- `unlocks_lock` (`merge.sql`), so that reveals waited for its folds: for one release, who writes shares that one as well, as reveals
-- do, so that nobody writes beside a fold that began before.
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
  if not (pg_try_advisory_xact_lock(ledger_days_lock()) and pg_try_advisory_xact_lock_shared(unlocks_lock())) then return null; end if;
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
    insert into ledger_days as d (account_id, day, endpoint, key_id, calls, credits, last_at, first_sequence, last_sequence)
    select account_id, utc_day(at), coalesce(endpoint, ''), coalesce(key_id, no_key()),
           count(*), -sum(credits), max(at), min(sequence), max(sequence)
      from bite where kind = 'charge' group by 1, 2, 3, 4
    on conflict (account_id, day, endpoint, key_id) do update
      set calls = d.calls + excluded.calls, credits = d.credits + excluded.credits,
          last_at = greatest(d.last_at, excluded.last_at), last_sequence = excluded.last_sequence
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

-- Looks at p_accounts accounts, in the order of their ids, after p_after. Returns the last of them, null where there was none, and those
-- with entries behind their sums: whose balance is at least p_credits away from what it was at the last entry that was folded, or when
-- they were last looked at. `moved` is how far. Where it is nearer by chance, a later charge tells. All accounts at once would hold up
-- charges of the embedded database.
create or replace function ledger_unfolded(
  p_after uuid, p_accounts integer, p_credits integer, out last uuid, out due uuid[], out moved bigint[]
) language plpgsql stable
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
begin
  with page as materialized (
    select a.id, a.balance, f.balance as folded
      from (select id, balance from accounts where id > p_after order by id limit p_accounts) a
      left join ledger_folds f on f.account_id = a.id
  )
  select (select id from page order by id desc limit 1), coalesce(array_agg(id), '{}'),
         coalesce(array_agg(abs(balance - coalesce(folded, 0))), '{}')
    into last, due, moved
    from page where folded is null or abs(balance - folded) >= p_credits;
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

-- Accounts whose sums of these days are not those of their entries. The caller asks for days that begin and end where tables of the
-- ledger do, so that each table is read once, as it lies.
create or replace function ledger_days_wrong(p_since timestamptz, p_until timestamptz) returns setof uuid language sql stable
  set work_mem = '64MB'
as $$
  with entries as (
    select l.account_id, utc_day(l.at) as day, coalesce(l.endpoint, '') as endpoint,
           coalesce(l.key_id, no_key()) as key_id, count(*) as calls, -sum(l.credits) as credits, max(l.at) as last_at,
           min(l.sequence) as first_sequence, max(l.sequence) as last_sequence
      from ledger l join ledger_folds f on f.account_id = l.account_id and l.sequence <= f.sequence
     where l.kind = 'charge' and l.at >= p_since and l.at < p_until
     group by 1, 2, 3, 4
  ), sums as (
    select * from ledger_days
     where day >= utc_day(p_since) and day < utc_day(p_until)
  )
  select distinct coalesce(e.account_id, d.account_id)
    from entries e
    full join sums d using (account_id, day, endpoint, key_id)
   where (e.calls, e.credits, e.last_at, e.first_sequence, e.last_sequence)
         is distinct from (d.calls, d.credits, d.last_at, d.first_sequence, d.last_sequence)
$$;

-- Accounts whose sums name an entry that there is not, nor one that carries it forward.
create or replace function ledger_folds_wrong() returns setof uuid language sql stable as $$
  select f.account_id from ledger_folds f
   where f.sequence > 0
     and not exists (select from ledger l where l.account_id = f.account_id and l.sequence = f.sequence)
     and not exists (select from ledger l where l.account_id = f.account_id and l.sequence > f.sequence and l.kind = 'carried')
$$;

-- Forgets the sums of these accounts, which are read from their entries then, until they are folded again. Those of months that are in
-- files stay, because nothing else knows them, but without entries that a clock which was set back gave those months: they are here.
create or replace function ledger_unfold(p_accounts uuid[]) returns void language plpgsql as $$
declare
  v_until timestamptz := ledger_archived_until();
begin
  perform pg_advisory_xact_lock(ledger_days_lock()), pg_advisory_xact_lock_shared(unlocks_lock());
  update ledger_days d set calls = d.calls - e.calls, credits = d.credits - e.credits
    from (
      select l.account_id, utc_day(l.at) as day, coalesce(l.endpoint, '') as endpoint, coalesce(l.key_id, no_key()) as key_id,
             count(*) as calls, -sum(l.credits) as credits
        from ledger l join ledger_folds f on f.account_id = l.account_id and l.sequence <= f.sequence
       where l.account_id = any (p_accounts) and l.kind = 'charge' and l.at < v_until
       group by 1, 2, 3, 4) e
   where (d.account_id, d.day, d.endpoint, d.key_id) = (e.account_id, e.day, e.endpoint, e.key_id);
  delete from ledger_days where account_id = any (p_accounts) and day >= utc_day(v_until);
  delete from ledger_folds where account_id = any (p_accounts);
end $$;
