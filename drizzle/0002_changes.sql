-- The change log (D38): what the directory's followers read to stay within two seconds of the tables.
-- Triggers are per statement, with transition tables, so that an import of 100,000 rows in one
-- statement writes the log in one insert.

-- Followers read `sequence > position`. A sequence is drawn before its row is committed, so without
-- a lock a slow transaction could commit sequence 7 after a follower had read 8, and 7 would be lost
-- to it for ever. Whoever writes the log therefore holds this lock until it commits: the order of
-- sequences is the order of commits. A transaction of several statements takes it first, before any
-- row, so that two of them can't each wait for what the other holds.
create function lock_change_log() returns void language sql as $$
  select pg_advisory_xact_lock(7163384756)
$$;
--> statement-breakpoint
-- Argument 0: the kind to log. An update that leaves a row as it was logs nothing.
create function log_changes() returns trigger language plpgsql as $$
declare
  ids uuid[];
begin
  if tg_op = 'INSERT' then
    ids := array(select id from new_rows);
  elsif tg_op = 'DELETE' then
    ids := array(select id from old_rows);
  else
    ids := array(
      select distinct unnest(array[o.id, n.id])
      from old_rows o full join new_rows n on n.id = o.id
      where o is distinct from n
    );
  end if;
  perform write_change_log(tg_argv[0], ids);
  return null;
end
$$;
--> statement-breakpoint
-- An investor's part in a round is logged as the round that it belongs to.
create function log_round_investors() returns trigger language plpgsql as $$
declare
  ids uuid[];
begin
  if tg_op = 'INSERT' then
    ids := array(select distinct round_id from new_rows);
  elsif tg_op = 'DELETE' then
    ids := array(select distinct round_id from old_rows);
  else
    ids := array(
      select distinct unnest(array[o.round_id, n.round_id])
      from old_rows o full join new_rows n on n.id = o.id
      where o is distinct from n
    );
  end if;
  perform write_change_log('round', ids);
  return null;
end
$$;
--> statement-breakpoint
create function write_change_log(kind text, ids uuid[]) returns void language plpgsql as $$
begin
  if cardinality(ids) > 0 then
    perform lock_change_log();
    insert into change_log (kind, id) select kind, id from unnest(ids) as id where id is not null;
    perform pg_notify('chainkin_changes', '');
  end if;
end
$$;
--> statement-breakpoint
-- A TRUNCATE has no rows to log: every instance loads anew.
create function log_truncate() returns trigger language plpgsql as $$
begin
  perform write_change_log('rebuild', array['00000000-0000-0000-0000-000000000000'::uuid]);
  return null;
end
$$;
--> statement-breakpoint
-- people.has_* say which channels exist; they follow private_channels exactly and touch only the
-- people whose flags differ (whose own trigger then logs them).
create function follow_private_channels() returns trigger language plpgsql as $$
declare
  ids uuid[];
begin
  if tg_op = 'INSERT' then
    ids := array(select person_id from new_rows);
  elsif tg_op = 'DELETE' then
    ids := array(select person_id from old_rows);
  else
    ids := array(select person_id from new_rows union select person_id from old_rows);
  end if;
  update people p
  set has_email = f.has_email, has_phone = f.has_phone, has_telegram = f.has_telegram,
    has_linkedin = f.has_linkedin, updated_at = now()
  from (
    select a.person_id,
      coalesce(c.email, '') <> '' as has_email,
      coalesce(c.phone, '') <> '' as has_phone,
      coalesce(c.telegram, '') <> '' as has_telegram,
      coalesce(c.linkedin_url, '') <> '' as has_linkedin
    from unnest(ids) as a (person_id) left join private_channels c using (person_id)
  ) f
  where p.id = f.person_id
    and (p.has_email, p.has_phone, p.has_telegram, p.has_linkedin)
      is distinct from (f.has_email, f.has_phone, f.has_telegram, f.has_linkedin);
  return null;
end
$$;
--> statement-breakpoint
do $$
declare
  followed record;
begin
  for followed in
    select * from (values
      ('companies', 'log_changes(''company'')'),
      ('people', 'log_changes(''person'')'),
      ('funding_rounds', 'log_changes(''round'')'),
      ('round_investors', 'log_round_investors()'),
      ('private_channels', 'follow_private_channels()')
    ) as t (name, action)
  loop
    execute format('create trigger %1$s_inserted after insert on %1$s
      referencing new table as new_rows for each statement execute function %2$s',
      followed.name, followed.action);
    execute format('create trigger %1$s_updated after update on %1$s
      referencing old table as old_rows new table as new_rows for each statement execute function %2$s',
      followed.name, followed.action);
    execute format('create trigger %1$s_deleted after delete on %1$s
      referencing old table as old_rows for each statement execute function %2$s',
      followed.name, followed.action);
    if followed.name <> 'private_channels' then
      execute format('create trigger %1$s_truncated after truncate on %1$s
        for each statement execute function log_truncate()', followed.name);
    end if;
  end loop;
end
$$;
--> statement-breakpoint
-- The log is never empty: its oldest row tells a follower whether anything it has not read was trimmed.
insert into change_log (kind, id) values ('rebuild', '00000000-0000-0000-0000-000000000000');
