-- The change log: what the directory's followers read to stay within two seconds of the tables.
-- Triggers are per statement, with transition tables, so that an import of 100,000 rows in one
-- statement writes the log in one insert.

-- Followers read `sequence > position`. A sequence is drawn before its row is committed, so without
-- a lock a slow transaction could commit sequence 7 after a follower had read 8, and 7 would be lost
-- to it for ever. Each writer of the log therefore holds this lock until it commits: the order of
-- sequences is the order of commits. A transaction of several statements takes it first, before any
-- row, so that no two of them wait for each other.
create or replace function lock_change_log() returns void language sql as $$
  select pg_advisory_xact_lock(7163384756)
$$;

-- Writes the log and wakes the followers. Writes nothing where no record changed.
create or replace function write_change_log(kind text, ids uuid[]) returns void language plpgsql as $$
begin
  if cardinality(ids) > 0 then
    perform lock_change_log();
    insert into change_log (kind, id) select kind, id from unnest(ids) as id where id is not null;
    perform pg_notify('chainkin_changes', '');
  end if;
end $$;

-- Logs the records that a statement changed, and notes in the journal what they were. Argument 0: their kind; argument 1:
-- the column that holds the record's id. An update that leaves a row as it was logs and notes nothing.
create or replace function log_changes() returns trigger language plpgsql as $$
declare
  v_column text := coalesce(tg_argv[1], 'id');
  v_ids uuid[];
  v_change bigint;
begin
  if tg_op = 'UPDATE' then
    execute format(
      'select array(select distinct unnest(array[o.%1$I, n.%1$I])
         from old_rows o full join new_rows n on n.id = o.id
        where o is distinct from n)', v_column) into v_ids;
  else
    execute format('select array(select %s %I from %I)', case when v_column <> 'id' then 'distinct' end, v_column,
                   case tg_op when 'INSERT' then 'new_rows' else 'old_rows' end) into v_ids;
  end if;
  if cardinality(v_ids) > 0 then
    -- First, because it locks: the journal's entries have the order of commits too.
    perform write_change_log(tg_argv[0], v_ids);
    v_change := journal_change();
    if v_change is not null then
      if tg_op = 'INSERT' then
        execute format('insert into journal_created (change, table_name, row_ids, record_ids)
          select $1, $2, array_agg(id), array_agg(%I) from new_rows', v_column) using v_change, tg_table_name;
      else
        execute format('insert into journal_entries (change, table_name, row_id, record_id, before)
          select $1, $2, o.id, o.%I, to_jsonb(o) from old_rows o '
          || case tg_op when 'UPDATE' then 'join new_rows n on n.id = o.id where o is distinct from n' else '' end, v_column)
          using v_change, tg_table_name;
      end if;
    end if;
  end if;
  return null;
end $$;

-- A TRUNCATE has no rows to log: every instance loads anew.
create or replace function log_truncate() returns trigger language plpgsql as $$
begin
  perform write_change_log('rebuild', array['00000000-0000-0000-0000-000000000000'::uuid]);
  return null;
end $$;

-- Keeps people.has_* as private_channels has it, and notes in the journal what the channels were. Updates only the people
-- whose flags differ; their own trigger logs them. The journal needs no image of the flags, because they follow.
create or replace function follow_private_channels() returns trigger language plpgsql as $$
declare
  ids uuid[];
  v_change bigint;
  v_setting text;
begin
  if tg_op = 'INSERT' then
    ids := array(select person_id from new_rows);
  elsif tg_op = 'DELETE' then
    ids := array(select person_id from old_rows);
  else
    ids := array(select person_id from new_rows union select person_id from old_rows);
  end if;
  if cardinality(ids) = 0 then
    return null;
  end if;
  -- First: the journal's entries have the order of commits.
  perform lock_change_log();
  v_change := journal_change();
  if v_change is not null then
    if tg_op = 'INSERT' then
      insert into journal_created (change, table_name, row_ids, record_ids) values (v_change, tg_table_name, ids, ids);
    elsif tg_op = 'DELETE' then
      insert into journal_entries (change, table_name, row_id, record_id, before)
      select v_change, tg_table_name, o.person_id, o.person_id, to_jsonb(o) from old_rows o;
    else
      insert into journal_entries (change, table_name, row_id, record_id, before)
      select v_change, tg_table_name, o.person_id, o.person_id, to_jsonb(o)
        from old_rows o left join new_rows n using (person_id) where o is distinct from n;
    end if;
  end if;
  v_setting := coalesce(current_setting('chainkin.change', true), '');
  perform set_config('chainkin.change', 'off', true);
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
  perform set_config('chainkin.change', v_setting, true);
  return null;
end $$;

-- Sets a table's triggers, one for each kind of statement, because each has transition tables of its own: `new_rows`, `old_rows`.
create or replace function set_row_triggers(p_table text, p_action text) returns void language plpgsql as $$
declare
  v_event record;
begin
  for v_event in
    select * from (values
      ('inserted', 'INSERT', 'REFERENCING NEW TABLE AS new_rows'),
      ('updated', 'UPDATE', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows'),
      ('deleted', 'DELETE', 'REFERENCING OLD TABLE AS old_rows')
    ) as t (name, verb, tables)
  loop
    perform set_trigger(format('CREATE TRIGGER %1$s_%2$s AFTER %3$s ON %1$s %4$s FOR EACH STATEMENT EXECUTE FUNCTION %5$s',
      p_table, v_event.name, v_event.verb, v_event.tables, p_action));
  end loop;
end $$;

-- An investor's part in a round is logged as the round that it belongs to.
do $$
declare
  v_followed record;
begin
  for v_followed in
    select * from (values
      ('companies', 'log_changes(''company'')'),
      ('people', 'log_changes(''person'')'),
      ('funding_rounds', 'log_changes(''round'')'),
      ('round_investors', 'log_changes(''round'', ''round_id'')'),
      ('redirects', 'log_changes(''redirect'')')
    ) as t (name, action)
  loop
    perform set_row_triggers(v_followed.name, v_followed.action);
    perform set_trigger(format('CREATE TRIGGER %1$s_truncated AFTER TRUNCATE ON %1$s FOR EACH STATEMENT EXECUTE FUNCTION log_truncate()',
      v_followed.name));
  end loop;
end $$;

select set_row_triggers('private_channels', 'follow_private_channels()');

drop function if exists log_round_investors();
