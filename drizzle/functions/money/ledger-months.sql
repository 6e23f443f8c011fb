-- The ledger's tables, one for each month (UTC): made ahead, found, protected, and taken away once their entries are in a file.
--
--   ledger_parts          which there are
--   ledger_since          where an account's entries since a moment begin
--   make_ledger_months    makes those of this month and the next two
--   archive_ledger_part   takes the oldest away, behind one entry for each account that carries its sum forward
--   ledger_stands, ledger_entry_stands: no entry is ever changed

-- The tables, oldest first. `since` is null for the first one, which holds everything before its end. `ledger_default` is none of them.
create or replace function ledger_parts() returns table (name text, since timestamptz, until timestamptz)
language sql stable as $$
  select c.relname::text,
         substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \(''([^'']+)''\)')::timestamptz,
         substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([^'']+)''\)')::timestamptz
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'ledger'::regclass and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
   order by 3
$$;

-- The moment at which the month of a moment begins.
create or replace function month_start(p_at timestamptz) returns timestamptz language sql immutable
return date_trunc('month', p_at at time zone 'UTC') at time zone 'UTC';

create or replace function next_month(p_at timestamptz) returns timestamptz language sql immutable
return (date_trunc('month', p_at at time zone 'UTC') + interval '1 month') at time zone 'UTC';

-- Up to when the ledger is in files.
create or replace function ledger_archived_until() returns timestamptz language sql stable as $$
  select coalesce(max(until), '-infinity') from ledger_archives
$$;

-- Whether the month that begins then is in a file. The first file holds everything before its end.
create or replace function ledger_month_archived(p_month timestamptz) returns boolean language sql stable as $$
  select exists (select from ledger_archives where until = next_month(p_month))
      or p_month < coalesce((select min(until) from ledger_archives), '-infinity')
$$;

-- Returns the sequence number at which an account's entries since p_since begin, and those of the hour before it; null
-- where the account has no entry.
--
-- An account's entries stand in the order of their time, because each is written under the account's lock. So halving
-- finds the place in the month's table by its primary key, in some 30 steps, and no charge pays for an index on the time. The hour is
-- for clocks that are set back: entries are then out of order by as much, and the next month may begin before this one ends.
create or replace function ledger_since(p_account uuid, p_since timestamptz) returns bigint
language plpgsql stable as $$
declare
  v_limit timestamptz := p_since - interval '1 hour';
  v_part record;
  v_found bigint;
  v_later bigint;
begin
  select * into v_part from ledger_parts() p where v_limit < p.until and (p.since <= v_limit) is not false;
  if found then
    execute format($f$
      with recursive halving (low, high, past) as (
        select min(sequence), max(sequence) + 1, max(sequence) + 1 from %1$I where account_id = $1
         union all
        select case when middle.at < $2 then middle.sequence + 1 else low end,
               case when middle.at < $2 then high else (low + high) / 2 end, past
          from halving cross join lateral (
                 select sequence, at from %1$I
                  where account_id = $1 and sequence >= (low + high) / 2 order by sequence limit 1) middle
         where low < high
      )
      select low from halving where low >= high and low < past$f$, v_part.name)
      into v_found using p_account, v_limit;
    v_limit := v_part.until;
  end if;
  select min(sequence) into v_later from ledger where account_id = p_account and at >= v_limit;
  return coalesce(least(v_found, v_later), (select max(sequence) + 1 from ledger where account_id = p_account));
end $$;

-- The lock of whoever makes tables of the ledger. Any number will do that nothing else locks.
create or replace function ledger_months_lock() returns bigint language sql immutable
return 7163384758;

-- Makes the ledger's tables of this month and the next two, and of months of which there are entries in `ledger_default`, which it moves.
-- A month that is in a file gets none again: entries that a clock which was set back gives it stay in `ledger_default`.
-- Charges go on meanwhile. Runs with the rights of its owner, so that the service needs none to make tables. Returns the tables it made.
create or replace function make_ledger_months() returns setof text
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '500ms' as $$
declare
  v_months timestamptz[];
  v_month timestamptz;
  v_name text;
begin
  if not pg_try_advisory_xact_lock(ledger_months_lock()) then return; end if;
  v_months := array(
    select month from (
      select month_start(meter_now() + make_interval(months => n)) as month from generate_series(0, 2) n
       union select month_start(at) from ledger_default where isfinite(at)
    ) needed
     where not ledger_month_archived(month)
     order by abs(extract(epoch from month - meter_now())) limit 24);
  foreach v_month in array v_months loop
    continue when exists (
      select from ledger_parts() p where p.until > v_month and (p.since < next_month(v_month)) is not false);
    v_name := 'ledger_' || to_char(v_month at time zone 'UTC', 'YYYY_MM');
    execute format('create table %I (like ledger including defaults including constraints, primary key (account_id, sequence))', v_name);
    -- Otherwise a charge could put an entry there in between.
    lock table ledger_default in access exclusive mode;
    if exists (select from ledger_default where at >= v_month and at < next_month(v_month)) then
      alter table ledger_default disable trigger user;
      execute format('
        with moved as (delete from ledger_default where at >= $1 and at < $2 returning *) insert into %I select * from moved', v_name)
        using v_month, next_month(v_month);
      alter table ledger_default enable trigger user;
    end if;
    execute format('alter table ledger attach partition %I for values from (%L) to (%L)', v_name, v_month, next_month(v_month));
    perform protect_ledger_part(v_name);
    return next v_name;
  end loop;
end $$;

-- Takes the ledger's oldest table away, whose entries are in a file: p_entries of them, with the sums of their credits and of their
-- sequence numbers. Each account that had any gets one entry instead, with their sum, by the number of the last of them, at the moment
-- at which the next month begins. A sum that an entry can't hold is parted among the numbers of the last ones: as many are always there,
-- because each had its part of it. So the balance is the sum of the ledger before and after. Daily sums stay. Charges wait for
-- the end of it alone, some milliseconds; where somebody reads the ledger then, it fails, and they have waited for a fifth of a second.
-- Refuses what is not so. Returns how many accounts there are.
create or replace function archive_ledger_part(
  p_name text, p_entries bigint, p_credits bigint, p_numbers numeric, p_file text, p_sha256 text
) returns integer language plpgsql set lock_timeout = '200ms' set work_mem = '64MB' as $$
declare
  v_until timestamptz;
  v_found record;
  v_accounts integer;
begin
  perform pg_advisory_xact_lock(ledger_months_lock()), pg_advisory_xact_lock(ledger_days_lock());
  select p.until into v_until from ledger_parts() p order by p.until limit 1;
  if (select p.until from ledger_parts() p where p.name = p_name) is distinct from v_until or v_until > month_start(meter_now()) then
    raise exception '% is not the oldest month of the ledger, or not over', p_name using errcode = 'object_not_in_prerequisite_state';
  end if;
  -- Writers wait, and there are none in a month that is over.
  execute format('lock table %I in share mode', p_name);
  execute format('
    select count(*) as entries, coalesce(sum(l.credits), 0) as credits, coalesce(sum(l.sequence), 0) as numbers,
           count(*) filter (where a.id is not null and l.sequence > coalesce(f.sequence, 0)) as behind
      from %I l left join ledger_folds f on f.account_id = l.account_id left join accounts a on a.id = l.account_id', p_name)
    into v_found;
  if (v_found.entries, v_found.credits, v_found.numbers, v_found.behind) is distinct from (p_entries, p_credits, p_numbers, 0::bigint) then
    raise exception 'entries of % changed while they were written to the file', p_name
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  execute format('
    with sums as (
      select account_id, max(sequence) as last, sum(credits) as credits,
             greatest(1, ceil(abs(sum(credits)) / 2147483647.0))::integer as parts
        from %1$I group by 1
    ), carried as (
      insert into ledger (sequence, account_id, at, kind, credits, balance_after)
      select case when newer = 0 then s.last else (
               select sequence from %1$I where account_id = s.account_id order by sequence desc offset newer limit 1) end,
             s.account_id, $1, ''carried'', s.credits * (newer + 1) / s.parts - s.credits * newer / s.parts,
             l.balance_after - s.credits * newer / s.parts
        from sums s
        join %1$I l on l.account_id = s.account_id and l.sequence = s.last
       cross join generate_series(0, s.parts - 1) newer
      returning account_id
    )
    select count(distinct account_id) from carried', p_name) into v_accounts using v_until;
  insert into ledger_archives (until, file, entries, credits, sha256, archived_at)
  values (v_until, p_file, p_entries, p_credits, p_sha256, meter_now());
  execute format('drop table %I', p_name);
  return v_accounts;
end $$;

-- Refuses every change of the ledger: a wrong entry is corrected by another entry. An erasure alone cuts whom a charge
-- unlocked (`erasures.sql`).
create or replace function ledger_stands() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('chainkin.erasing', true) = 'on' then
    return null;
  end if;
  raise exception 'ledger entries are never changed' using errcode = 'restrict_violation';
end $$;

-- Refuses the same of each entry, in whichever table it stands, and to an erasure to change anything else of it.
create or replace function ledger_entry_stands() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('chainkin.erasing', true) = 'on'
     and new.person_id is null and to_jsonb(new) - 'person_id' = to_jsonb(old) - 'person_id' then
    return new;
  end if;
  raise exception 'ledger entries are never changed' using errcode = 'restrict_violation';
end $$;

-- Refuses to empty a month's table by its name, and takes rights to change or delete entries from those who have none on the ledger
-- itself: whom the default privileges give rows of all tables. Triggers for each entry come with the ledger's own.
create or replace function protect_ledger_part(p_name text) returns void language plpgsql as $$
declare
  v_right record;
begin
  perform set_trigger(format(
    'CREATE TRIGGER ledger_stands BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION ledger_stands()', p_name));
  for v_right in
    select g.grantee, g.privilege_type as privilege
      from pg_class c cross join lateral aclexplode(c.relacl) g
     where c.oid = p_name::regclass and g.grantee <> c.relowner and g.privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')
    except
    select g.grantee, g.privilege_type
      from pg_class c cross join lateral aclexplode(c.relacl) g where c.oid = 'ledger'::regclass
  loop
    execute format('revoke %s on %I from %s', v_right.privilege, p_name,
                   case v_right.grantee when 0 then 'public' else v_right.grantee::regrole::text end);
  end loop;
end $$;

select set_trigger('CREATE TRIGGER ledger_stands BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION ledger_stands()');
select set_trigger('CREATE TRIGGER ledger_entry_stands BEFORE DELETE OR UPDATE ON ledger FOR EACH ROW EXECUTE FUNCTION ledger_entry_stands()');
select protect_ledger_part(name) from (select name from ledger_parts() union all select 'ledger_default') parts;
