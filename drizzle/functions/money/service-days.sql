-- Sums of all accounts by day: `service_days` holds credits sold, given free and spent, up to the entries of the ledger that
-- `service_folds` names, and the calls that the log of requests was ever given. Who asks adds what is behind those entries, in one
-- snapshot, so the figures are exact at every moment.
--
-- Accounts with entries that are not in the sums are found by their rows: whoever writes an entry changes the account's balance in the same
-- transaction, so a row that still is of the transaction which `service_folds` names (`xmin`) has no entry that is not in the sums. The
-- balance is compared as well, because a database that was restored numbers its transactions anew. So no charge pays for these sums,
-- and nobody looks for entries of accounts at rest.

-- The lock of whoever adds to the sums of credits. Any number will do that nothing else locks.
create or replace function service_days_lock() returns bigint language sql immutable
return 7163384759;

-- From when on entries are added: pages show fewer days, and tables of months before it are not read.
create or replace function service_days_since() returns timestamptz language sql stable
return utc_start(utc_day(meter_now()) - 20);

-- Looks at p_accounts accounts, in the order of their ids, after p_after. Returns the last of them, null where there was none, and those
-- that may have entries which are not in the sums.
create or replace function service_unfolded(p_after uuid, p_accounts integer, out last uuid, out due uuid[])
language plpgsql stable
  set enable_bitmapscan = off
as $$
begin
  with page as materialized (
    select id, xmin::text::bigint as version, balance from accounts where id > p_after order by id limit p_accounts
  )
  select (select id from page order by id desc limit 1), coalesce(array_agg(p.id), '{}')
    into last, due
    from page p left join service_folds f on f.account_id = p.id
   where (f.version, f.balance) is distinct from (p.version, p.balance);
end $$;

-- Adds at most p_entries entries of each of these accounts to the sums. Returns the accounts that may have more; null where somebody
-- else adds to them.
create or replace function service_fold(p_accounts uuid[], p_entries integer) returns uuid[]
language plpgsql
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
declare
  v_since timestamptz := service_days_since();
  v_more uuid[];
begin
  if not pg_try_advisory_xact_lock(service_days_lock()) then return null; end if;
  -- One statement, so that an account's row and its entries are of one moment.
  with due as materialized (
    select a.id, a.xmin::text::bigint as version, a.balance,
           coalesce(f.sequence, 0) as sequence
      from accounts a left join service_folds f on f.account_id = a.id
     where a.id = any (p_accounts)
  ), bite as materialized (
    select l.*
      from due
     cross join lateral (
             select account_id, sequence, at, kind, credits, grant_id from ledger
              where account_id = due.id and sequence > due.sequence and at >= v_since
              order by sequence limit p_entries) l
  ), added as (
    insert into service_days as d (day, sold, given_free, spent)
    select utc_day(b.at), coalesce(sum(b.credits) filter (where g.source in ('plan', 'topup')), 0),
           coalesce(sum(b.credits) filter (where g.source not in ('plan', 'topup')), 0),
           coalesce(-sum(b.credits) filter (where b.kind = 'charge'), 0)
      from bite b left join credit_grants g on b.kind = 'grant' and g.id = b.grant_id
     group by 1 order by 1
    on conflict (day) do update
      set sold = d.sold + excluded.sold, given_free = d.given_free + excluded.given_free, spent = d.spent + excluded.spent
  ), ends as (
    select account_id, max(sequence) as sequence, count(*) as entries from bite group by 1
  ), moved as (
    insert into service_folds as f (account_id, sequence, version, balance)
    select due.id, coalesce(e.sequence, due.sequence), case when e.entries = p_entries then 0 else due.version end, due.balance
      from due left join ends e on e.account_id = due.id
    on conflict (account_id) do update
      set sequence = excluded.sequence, version = excluded.version, balance = excluded.balance
  )
  select coalesce(array_agg(account_id) filter (where entries = p_entries), '{}') into v_more from ends;
  return v_more;
end $$;

-- Whether a table of the ledger has entries that are not in the sums and that the sums still take.
create or replace function service_part_unfolded(p_name text) returns boolean
language plpgsql stable set work_mem = '64MB' as $$
declare
  v_found boolean;
begin
  if exists (select from ledger_parts() p where p.name = p_name and p.until <= service_days_since()) then return false; end if;
  execute format('
    select exists (select from %I l left join service_folds f on f.account_id = l.account_id
                    where l.sequence > coalesce(f.sequence, 0) and l.kind in (''charge'', ''grant'')
                      and l.at >= service_days_since())', p_name) into v_found;
  return v_found;
end $$;

-- The sums of credits as they should be: for each day with added entries, those that `service_folds` counts. Archived days are
-- left out, because their entries are no longer here.
create or replace function service_days_counted() returns table (day date, sold bigint, given_free bigint, spent bigint)
language sql stable set work_mem = '64MB' as $$
  with counted as (
    select utc_day(l.at) as day,
           sum(l.credits) filter (where g.source in ('plan', 'topup')) as sold,
           sum(l.credits) filter (where g.source not in ('plan', 'topup')) as given_free,
           -sum(l.credits) filter (where l.kind = 'charge') as spent
      from ledger l
      join service_folds f on f.account_id = l.account_id and l.sequence <= f.sequence
      left join credit_grants g on l.kind = 'grant' and g.id = l.grant_id
     where l.at >= service_days_since() and l.kind in ('charge', 'grant')
     group by 1
  ), days as (
    select utc_day(service_days_since()) + n as day
      from generate_series(0, utc_day(meter_now()) - utc_day(service_days_since())) n
  )
  select d.day, coalesce(c.sold, 0)::bigint, coalesce(c.given_free, 0)::bigint, coalesce(c.spent, 0)::bigint
    from days d left join counted c on c.day = d.day
   where utc_start(d.day) >= ledger_archived_until()
$$;

-- The days whose sums of credits are wrong.
create or replace function service_days_wrong() returns setof date language sql stable as $$
  select c.day from service_days_counted() c left join service_days s on s.day = c.day
   where (c.sold, c.given_free, c.spent)
         is distinct from (coalesce(s.sold, 0), coalesce(s.given_free, 0), coalesce(s.spent, 0))
   order by 1
$$;

-- Makes these sums anew.
create or replace function service_days_again() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(service_days_lock());
  insert into service_days as d (day, sold, given_free, spent)
  select * from service_days_counted()
  on conflict (day) do update set sold = excluded.sold, given_free = excluded.given_free, spent = excluded.spent;
end $$;

-- Counts calls that are written to the log of requests, whichever version writes them.
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
