-- Pictures: each stands as long as its record has the address that it was fetched from.

-- Tells the followers of the change log which records have another picture, or none any more. The journal has nothing of pictures.
create or replace function log_pictures() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform write_change_log('picture', array(select record_id from new_rows where version is not null));
  elsif tg_op = 'DELETE' then
    perform write_change_log('picture', array(select record_id from old_rows where version is not null));
  else
    perform write_change_log('picture', array(
      select n.record_id from new_rows n join old_rows o using (record_id) where n.version is distinct from o.version));
  end if;
  return null;
end $$;

-- Deletes the pictures of records that are gone or have another address. Argument 0: the column of the address; argument 1: the kind
-- of record.
create or replace function keep_pictures() returns trigger language plpgsql as $$
begin
  if not exists (select from pictures) then
    return null;
  end if;
  if tg_op = 'TRUNCATE' then
    delete from pictures where kind = tg_argv[1];
  elsif tg_op = 'DELETE' then
    delete from pictures p using old_rows o where p.record_id = o.id;
  else
    execute format('delete from pictures p using new_rows n where p.record_id = n.id and n.%I is distinct from p.url', tg_argv[0]);
  end if;
  return null;
end $$;

-- Notes how the fetch of a record's picture ended: `got` (these bytes), `same` (those that it has), `gone` (its host has none) or
-- `failed`. What failed is tried again after a day, then after twice as long each time, up to 32 days. Returns whether it was noted:
-- the record may be gone, erased or have another address by now.
create or replace function note_picture(
  p_id uuid, p_url text, p_end text, p_bytes bytea, p_version integer, p_etag text, p_last_modified text, p_error text
) returns boolean language plpgsql as $$
declare
  v_kind text;
begin
  perform lock_change_log();
  -- Locked, so that the record can't change before this is committed.
  perform from companies where id = p_id and logo_url = p_url for share;
  if found then
    v_kind := 'company';
  else
    perform from people where id = p_id and avatar_url = p_url for share;
    if not found then
      return false;
    end if;
    v_kind := 'person';
  end if;
  insert into pictures (record_id, kind, url, tried_at) values (p_id, v_kind, p_url, meter_now())
  on conflict (record_id) do nothing;
  update pictures
     set bytes = case p_end when 'got' then p_bytes when 'gone' then null else bytes end,
         version = case p_end when 'got' then p_version when 'gone' then null else version end,
         etag = case p_end when 'got' then p_etag when 'gone' then null else etag end,
         last_modified = case p_end when 'got' then p_last_modified when 'gone' then null else last_modified end,
         tried_at = meter_now(),
         error = p_error,
         failures = case when p_error is null then 0 else failures + 1 end,
         next_at = case when p_error is not null then meter_now() + make_interval(days => (1 << least(failures, 5))) end
   where record_id = p_id;
  return true;
end $$;

select set_row_triggers('pictures', 'log_pictures()');

do $$
declare
  v_event record;
begin
  for v_event in
    select t.*, k.* from (values
      ('updated', 'UPDATE', ' REFERENCING NEW TABLE AS new_rows'),
      ('deleted', 'DELETE', ' REFERENCING OLD TABLE AS old_rows'),
      ('truncated', 'TRUNCATE', '')
    ) as t (name, verb, tables)
    cross join (values ('companies', 'logo_url', 'company'), ('people', 'avatar_url', 'person')) as k (owner, address, kind)
  loop
    perform set_trigger(format(
      'CREATE TRIGGER %1$s_pictures_%2$s AFTER %3$s ON %1$s%4$s FOR EACH STATEMENT EXECUTE FUNCTION keep_pictures(%5$L, %6$L)',
      v_event.owner, v_event.name, v_event.verb, v_event.tables, v_event.address, v_event.kind));
  end loop;
end $$;
