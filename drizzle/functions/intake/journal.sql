-- The journal: what was there before each change of the directory, noted by the triggers of `changes.sql`, so that no
-- writer can forget it.

-- Returns the number of the change to which what this transaction writes belongs, and notes the change. A command or page
-- says in the setting `chainkin.change` who it is, as JSON {who, what, change, kind, id, by}; `change` is a number of
-- `journal_change_seq` where several transactions are one change. Where nobody says anything (a statement by hand, an older
-- release), the transaction is a change of the database's user. 'off' notes nothing: then null.
create or replace function journal_change() returns bigint language plpgsql as $$
declare
  v_given text := coalesce(current_setting('chainkin.change', true), '');
  v_change jsonb;
  v_number bigint;
begin
  if v_given = 'off' then
    return null;
  end if;
  v_change := case when v_given <> '' then v_given::jsonb
    else jsonb_build_object('who', 'database user ' || current_user, 'what', 'sql') end;
  v_number := (v_change->>'change')::bigint;
  if v_number is null then
    v_number := nextval('journal_change_seq');
    perform set_config('chainkin.change', (v_change || jsonb_build_object('change', v_number))::text, true);
  end if;
  insert into journal (change, at, who, what, kind, id)
  values (v_number, meter_now(), v_change->>'who', v_change->>'what', v_change->>'kind', (v_change->>'id')::uuid)
  on conflict do nothing;
  return v_number;
end $$;

-- Each row that a change touched, as it was before the change; null where there was none. Where p_record is not null only rows of this
-- record: of an import of many thousands its own page shows one.
create or replace function journal_images(p_change bigint, p_record uuid default null)
returns table (table_name text, row_id uuid, record_id uuid, before jsonb) language sql stable as $$
  select distinct on (e.table_name, e.row_id, case e.table_name when 'unlocks' then e.record_id end)
         e.table_name, e.row_id, e.record_id, e.before
    from (
      select c.table_name, r.row_id, r.record_id, c.sequence, null::jsonb as before
        from journal_created c cross join lateral unnest(c.row_ids, c.record_ids) as r (row_id, record_id)
       where c.change = p_change
         and (p_record is null or p_record = any (c.record_ids) and r.record_id = p_record)
       union all
      select j.table_name, j.row_id, j.record_id, j.sequence, j.before from journal_entries j
       where p_record is null and j.change = p_change
       union all
      select j.table_name, j.row_id, j.record_id, j.sequence, j.before from journal_entries j
       where j.record_id = p_record and j.change = p_change
    ) e
   order by e.table_name, e.row_id, case e.table_name when 'unlocks' then e.record_id end, e.sequence
$$;

-- Ends a change of a record with a reason for whoever asked for it.
create or replace function refuse_change(p_reason text) returns void language plpgsql as $$
begin
  raise exception '%', p_reason using errcode = 'CK409';
end $$;

-- Refuses to take a change back where it is too old or was taken back, or where a later change touched one of its records
-- or made what hangs on one. A change that was taken back, and what took it back, count as if they had not been.
create or replace function check_undo(p_change bigint) returns void language plpgsql as $$
declare
  v_undone journal;
  v_later bigint;
begin
  select * into v_undone from journal where change = p_change and at > meter_now() - interval '30 days';
  if not found then
    perform refuse_change(format('there is no change %s, or it is older than 30 days', p_change));
  elsif exists (select from erasures e where v_undone.kind = 'person' and e.id = v_undone.id) then
    perform refuse_change(format('change %s is of a person who was erased at the person''s request: it can''t be undone', p_change));
  elsif v_undone.undone_by is not null then
    perform refuse_change(format('change %s was undone already, by change %s', p_change, v_undone.undone_by));
  end if;
  -- A change is one place in the order of commits, except a run of an import: each record's own place counts.
  with own as materialized (
    select coalesce(e.record_id, c.record_id) as record_id, coalesce(e.sequence, c.sequence) as sequence
      from (select record_id, min(sequence) as sequence from journal_entries where change = p_change group by 1) e
      full join (
        select r.record_id, min(c.sequence) as sequence
          from journal_created c cross join lateral unnest(c.record_ids) as r (record_id)
         where c.change = p_change group by 1) c using (record_id)
  ), others as (
    select e.change, e.record_id, max(e.sequence) as sequence
      from own join journal_entries e on e.record_id = own.record_id and e.sequence > own.sequence
     where e.change <> p_change group by 1, 2
     union all
    select c.change, r.record_id, c.sequence
      from journal_created c cross join lateral unnest(c.record_ids) as r (record_id) join own using (record_id)
     where c.change <> p_change and c.sequence > own.sequence
  )
  select l.change into v_later
    from others join journal l using (change) join own using (record_id)
   where l.undone_by is null
     and not exists (select from others taken_back
                      where taken_back.change = l.undoes and taken_back.record_id = own.record_id)
   order by l.change desc limit 1;
  if found then
    perform refuse_change(format('change %s touched the same record later: undo that one first', v_later));
  end if;
  with own as materialized (select * from journal_images(p_change)),
  hanging as (
    select r.id from own join funding_rounds r on own.table_name = 'companies' and r.company_id = own.row_id where own.before is null
     union select v.id from own join round_investors v on own.table_name = 'companies' and v.investor_id = own.row_id where own.before is null
     union select v.id from own join round_investors v on own.table_name = 'funding_rounds' and v.round_id = own.row_id where own.before is null
     union select p.id from own join people p on own.table_name = 'companies' and p.company_id = own.row_id where own.before is null
  )
  select max(made.change) into v_later
    from hanging
    join (select change, row_id from journal_entries
           union all select change, unnest(row_ids) from journal_created) made on made.row_id = hanging.id
   where not exists (select from own where own.row_id = hanging.id);
  if v_later is not null then
    perform refuse_change(format('change %s made what hangs on its records: undo that one first', v_later));
  end if;
end $$;

-- Puts the rows of a change back as they were before it. Unique values are given up first, because rows may have
-- exchanged them.
create or replace function restore_images(p_change bigint) returns void language plpgsql as $$
declare
  v_row record;
begin
  update companies c set external_id = null, slug = c.id::text
    from journal_images(p_change) i where i.table_name = 'companies' and i.row_id = c.id;
  update people p set external_id = null, slug = null
    from journal_images(p_change) i where i.table_name = 'people' and i.row_id = p.id;
  update funding_rounds r set external_id = null
    from journal_images(p_change) i where i.table_name = 'funding_rounds' and i.row_id = r.id;
  -- Rows are deleted before those they reference, and inserted after them. Channels come before the people whose flags a
  -- trigger takes from them.
  for v_row in
    select * from (values
      (0, 'delete', 'redirects', 'id'), (1, 'delete', 'round_investors', 'id'),
      (2, 'delete', 'private_channels', 'person_id'),
      (3, 'insert', 'companies', 'id'), (4, 'insert', 'people', 'id'), (5, 'insert', 'funding_rounds', 'id'),
      (6, 'insert', 'private_channels', 'person_id'), (7, 'insert', 'round_investors', 'id'),
      (8, 'update', 'private_channels', 'person_id'), (9, 'update', 'round_investors', 'id'),
      (10, 'update', 'companies', 'id'), (11, 'update', 'people', 'id'), (12, 'update', 'funding_rounds', 'id'),
      (13, 'delete', 'funding_rounds', 'id'), (14, 'delete', 'people', 'id'), (15, 'delete', 'companies', 'id'),
      (16, 'insert', 'redirects', 'id'), (17, 'update', 'redirects', 'id')
    ) as t (step, verb, name, key) order by step
  loop
    perform restore_table(p_change, v_row.verb, v_row.name, v_row.key);
  end loop;
end $$;

-- One step of `restore_images`. An image of an earlier schema lacks columns: such a column keeps what a row has, or gets its
-- default.
create or replace function restore_table(p_change bigint, p_verb text, p_table text, p_key text)
returns void language plpgsql as $$
declare
  v_columns text;
begin
  if p_verb = 'delete' then
    execute format('delete from %1$I t using journal_images($1) i
      where i.table_name = %1$L and i.before is null and t.%2$I = i.row_id', p_table, p_key) using p_change;
    return;
  end if;
  select string_agg(format('%I', c.attname), ', ') into v_columns
    from pg_attribute c
   where c.attrelid = p_table::regclass and c.attnum > 0 and not c.attisdropped
     and c.attname in (select jsonb_object_keys(i.before) from journal_images(p_change) i where i.table_name = p_table);
  if v_columns is null then
    return;
  end if;
  if p_verb = 'insert' then
    execute format('insert into %1$I (%3$s)
      select %3$s from journal_images($1) i cross join lateral jsonb_populate_record(null::%1$I, i.before) r
       where i.table_name = %1$L and i.before is not null
         and not exists (select from %1$I t where t.%2$I = i.row_id)', p_table, p_key, v_columns) using p_change;
  else
    execute format('update %1$I t set (%3$s) = (select %3$s from jsonb_populate_record(t, i.before) r)
      from journal_images($1) i
     where i.table_name = %1$L and i.before is not null and t.%2$I = i.row_id
       and t is distinct from jsonb_populate_record(t, i.before)', p_table, p_key, v_columns) using p_change;
  end if;
end $$;

-- Notes which changes are undone now that `p_change` takes one back: that one is, what it had taken back is not, what that one
-- had taken back is undone again, and so on.
create or replace function note_undone(p_change bigint) returns void language plpgsql as $$
declare
  v_change bigint := p_change;
  v_undoes bigint;
  v_counts boolean := true;
begin
  loop
    select undoes into v_undoes from journal where change = v_change;
    exit when v_undoes is null;
    update journal set undone_by = case when v_counts then v_change end where change = v_undoes;
    v_change := v_undoes;
    v_counts := not v_counts;
  end loop;
end $$;

-- Takes a change back. Returns the number of the change that this is, which can be undone in its turn.
create or replace function undo_change(p_change bigint, p_who text) returns bigint
language plpgsql set lock_timeout = '5s' as $$
declare
  v_number bigint;
  v_table record;
begin
  perform lock_change_log();
  perform check_undo(p_change);
  insert into journal (at, who, what, kind, id, undoes)
  select meter_now(), p_who, 'undo', kind, id, change from journal where change = p_change
  returning change into v_number;
  perform note_undone(v_number);
  perform toggle_undone(p_change);
  for v_table in
    select * from (values ('companies', 'id'), ('people', 'id'), ('private_channels', 'person_id'),
                          ('funding_rounds', 'id'), ('round_investors', 'id'), ('redirects', 'id')) as t (name, key)
  loop
    execute format('insert into journal_entries (change, table_name, row_id, record_id, before)
      select $1, i.table_name, i.row_id, i.record_id, to_jsonb(t)
        from journal_images($2) i left join %1$I t on t.%2$I = i.row_id
       where i.table_name = %1$L', v_table.name, v_table.key) using v_number, p_change;
  end loop;
  perform set_config('chainkin.change', 'off', true);
  perform restore_images(p_change);
  perform refuse_erased(p_change);
  perform restore_unlocks(p_change, v_number);
  perform set_config('chainkin.change', '', true);
  return v_number;
exception
  when unique_violation then
    perform refuse_change(format('a slug or external id that change %s took away belongs to another record now', p_change));
  when foreign_key_violation then
    perform refuse_change(format('what a record of change %s belonged to is gone', p_change));
end $$;

-- Changes of fields, one row a field: of each change, or only to one record where it is given. `row_of` is `company`,
-- `person`, `round`, `channels`, `investment` or `redirect`. Of private channels only that they changed: their values stay in the
-- tables. Flags follow channels, and times of change say nothing.
create or replace function journal_fields(p_changes bigint[], p_record uuid)
returns table (change bigint, row_of text, record uuid, field text, before jsonb, after jsonb) language sql stable as $$
  with images as (
    select c.change, i.*
      from unnest(p_changes) c(change) cross join lateral journal_images(c.change, p_record) i
  ), compared as (
    select i.*, case when later.sequence is null then present.image else later.before end as after
      from images i
      -- The next change's image, else the row as it is. A row that the change made has its place among what was created, and an
      -- entry beside it only where the change touched it again.
      left join lateral (
        select e.sequence, e.before from journal_entries e
         where e.record_id = i.record_id and e.table_name = i.table_name and e.row_id = i.row_id
           and e.sequence > coalesce(
                 (select max(own.sequence) from journal_entries own
                   where own.change = i.change and own.table_name = i.table_name and own.row_id = i.row_id),
                 (select max(made.sequence) from journal_created made
                   where made.change = i.change and made.table_name = i.table_name and i.row_id = any (made.row_ids)))
         order by e.sequence limit 1) later on true
      left join lateral (
        select to_jsonb(t) as image from companies t where i.table_name = 'companies' and t.id = i.row_id
        union all select to_jsonb(t) from people t where i.table_name = 'people' and t.id = i.row_id
        union all select to_jsonb(t) from funding_rounds t where i.table_name = 'funding_rounds' and t.id = i.row_id
        union all select to_jsonb(t) from private_channels t where i.table_name = 'private_channels' and t.person_id = i.row_id
        union all select to_jsonb(t) from round_investors t where i.table_name = 'round_investors' and t.id = i.row_id
        union all select to_jsonb(t) from redirects t where i.table_name = 'redirects' and t.id = i.row_id
      ) present on true
  )
  select change,
         case table_name when 'companies' then 'company' when 'people' then 'person' when 'funding_rounds' then 'round'
                         when 'private_channels' then 'channels' when 'redirects' then 'redirect' else 'investment' end,
         record_id, field,
         case when table_name <> 'private_channels' then coalesce(before->field, 'null') end,
         case when table_name <> 'private_channels' then coalesce(after->field, 'null') end
    from compared
   cross join lateral jsonb_object_keys(coalesce(before, '{}') || coalesce(after, '{}')) as field
   where table_name <> 'unlocks'
     and coalesce(before->field, 'null') is distinct from coalesce(after->field, 'null')
     and field not like 'has\_%' and field not in ('id', 'person_id', 'created_at', 'updated_at')
   order by change desc, record_id, table_name, field
$$;
