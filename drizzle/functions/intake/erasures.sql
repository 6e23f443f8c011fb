-- Erasures: everything of a person goes, and keyed hashes alone tell whom no import may bring back.

-- The form in which values of a field are compared: an e-mail's mailbox, a number's digits, a profile's own name. `p_field` is a
-- column. Hashes are made of it, so it never changes: another form is another field. Regular expressions stand where few
-- values come, because an import makes forms of all of its rows.
create or replace function erasure_form(p_field text, p_value text) returns text language sql immutable
return nullif(case p_field
  when 'email' then case
    when lower(p_value collate "C") like '%@gmail.com' or lower(p_value collate "C") like '%@googlemail.com'
    then replace(split_part(split_part(lower(p_value collate "C"), '@', 1), '+', 1), '.', '') || '@gmail.com'
    when p_value like '_%+%@%' then regexp_replace(lower(p_value collate "C"), '^([^+@]+)\+[^@]*@', '\1@')
    else lower(p_value collate "C") end
  when 'phone' then ltrim(translate(replace(p_value, '(0)', ''), ' ()./-+', ''), '0')
  -- A profile's name, else its id in an older address: pages that say neither are everybody's.
  when 'linkedin_url' then coalesce(
    nullif(nullif(split_part(translate(
      ltrim(split_part(lower(p_value collate "C"), '/in/', 2), '/@'), '?#&', '///'), '/', 1), ''), 'me'),
    substring(lower(p_value collate "C") from '/profile/view/?\?(?:[^#]*&)?(id=[^&#]+)'),
    substring(lower(p_value collate "C") from '/(pub/(?!dir(?:/|$))[^?#]*[^/?#])'),
    substring(lower(p_value collate "C") from '/((?:sales/(?:people|lead)|(?:recruiter|talent)/profile)/[^/?#,]+)'))
  when 'external_id' then p_value
  else lower(p_value collate "C") end, '');

-- Identifiers of a person in a row by columns: `field:form` of each field that has a value. A name is none, because others
-- have it too.
create or replace function erasure_tells(p_row jsonb) returns setof text language sql immutable as $$
  select t.tell
    from (values ('id:' || erasure_form('id', p_row->>'id')),
                 ('external_id:' || erasure_form('external_id', p_row->>'external_id')),
                 ('twitter_handle:' || erasure_form('twitter_handle', p_row->>'twitter_handle')),
                 ('email:' || erasure_form('email', p_row->>'email')),
                 ('phone:' || erasure_form('phone', p_row->>'phone')),
                 ('telegram:' || erasure_form('telegram', p_row->>'telegram')),
                 ('linkedin_url:' || erasure_form('linkedin_url', p_row->>'linkedin_url'))) t (tell)
   where t.tell is not null
$$;

-- Whether an e-mail address is an office's, which many people of a company use.
create or replace function is_office(p_email text) returns boolean language sql immutable
return split_part(lower(p_email collate "C"), '@', 1) = any (array[
  'admin', 'bd', 'business', 'careers', 'community', 'contact', 'enquiries', 'events', 'general', 'hello', 'help', 'hi', 'hr',
  'info', 'inquiries', 'investors', 'ir', 'jobs', 'legal', 'marketing', 'media', 'office', 'partners', 'partnerships', 'pr',
  'press', 'privacy', 'sales', 'security', 'service', 'support', 'team']);

-- HMAC-SHA-256.
create or replace function erasure_hash(p_key erasure_keys, p_tell text) returns bytea language sql stable
return sha256((p_key).outer_pad || sha256((p_key).inner_pad || convert_to(p_tell, 'UTF8')));

-- Places, from 0, of rows of erased people in a JSON list of objects by column.
create or replace function erased_among(p_rows jsonb) returns table (place integer) language sql stable as $$
  select distinct r.n::integer - 1
    from jsonb_array_elements(p_rows) with ordinality r (one, n)
   cross join lateral erasure_tells(r.one) t (tell)
   cross join erasure_keys k
    join erased_marks m on m.hash = erasure_hash(k, t.tell)
$$;

-- Whether somebody was erased since `p_seen`, the last erasure that an import knew when it looked at its rows; null where it
-- doesn't look. Volatile: it sees what was committed while its statement waited for the lock.
create or replace function erased_since(p_seen bigint) returns boolean language plpgsql volatile as $$
begin
  return coalesce(p_seen < (select max(sequence) from erasures), false);
end $$;

-- Refuses to bring back, by an undo, somebody who was erased.
create or replace function refuse_erased(p_change bigint) returns void language plpgsql as $$
begin
  if exists (select from erasures) and exists (
    select from journal_images(p_change) i
      join people p on i.table_name in ('people', 'private_channels') and i.before is not null and p.id = i.record_id
      left join private_channels c on c.person_id = p.id
     cross join lateral erasure_tells(to_jsonb(p) || coalesce(to_jsonb(c), '{}')) t (tell)
     cross join erasure_keys k
      join erased_marks m on m.hash = erasure_hash(k, t.tell)
  ) then
    perform refuse_change(format('change %s would bring back a person who was erased at the person''s request', p_change));
  end if;
end $$;

-- Makes the key where there is none: 32 random bytes.
create or replace function make_erasure_key() returns void language plpgsql as $$
declare
  v_key bytea := sha256(convert_to(
    concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8'));
  v_inner bytea := decode(repeat('36', 64), 'hex');
  v_outer bytea := decode(repeat('5c', 64), 'hex');
begin
  if exists (select from erasure_keys) then
    return;
  end if;
  for i in 0..31 loop
    v_inner := set_byte(v_inner, i, get_byte(v_inner, i) # get_byte(v_key, i));
    v_outer := set_byte(v_outer, i, get_byte(v_outer, i) # get_byte(v_key, i));
  end loop;
  insert into erasure_keys (id, inner_pad, outer_pad) values (gen_random_uuid(), v_inner, v_outer);
end $$;

-- Everything by which these people were ever known, as far as the tables and the journal say.
create or replace function tells_of(p_ids uuid[]) returns text[] language sql stable as $$
  select coalesce(array_agg(distinct t.tell), '{}')
    from (
      select to_jsonb(p) as one from people p where p.id = any (p_ids)
       union all select to_jsonb(c) from private_channels c where c.person_id = any (p_ids)
       union all select to_jsonb(r) from redirects r where r.id = any (p_ids)
       union all select e.before from journal_entries e
                  where e.record_id = any (p_ids) and e.table_name in ('people', 'private_channels')
       union all select jsonb_build_object('id', id) from unnest(p_ids) id
    ) known
   cross join lateral erasure_tells(known.one) t (tell)
$$;

-- People on file, beside these, who have one of these values too: nobody can say whose it is. Field by field, so that the planner
-- has only one form to make of each value.
create or replace function people_alike(p_ids uuid[], p_tells text[]) returns table (id uuid, tell text) language sql stable as $$
  select p.id, 'twitter_handle:' || erasure_form('twitter_handle', p.twitter_handle) from people p
   where p.id <> all (p_ids) and 'twitter_handle:' || erasure_form('twitter_handle', p.twitter_handle) = any (p_tells)
   union all
  select c.person_id, 'email:' || erasure_form('email', c.email) from private_channels c
   where c.person_id <> all (p_ids) and 'email:' || erasure_form('email', c.email) = any (p_tells)
   union all
  select c.person_id, 'phone:' || erasure_form('phone', c.phone) from private_channels c
   where c.person_id <> all (p_ids) and 'phone:' || erasure_form('phone', c.phone) = any (p_tells)
   union all
  select c.person_id, 'telegram:' || erasure_form('telegram', c.telegram) from private_channels c
   where c.person_id <> all (p_ids) and 'telegram:' || erasure_form('telegram', c.telegram) = any (p_tells)
   union all
  select c.person_id, 'linkedin_url:' || erasure_form('linkedin_url', c.linkedin_url) from private_channels c
   where c.person_id <> all (p_ids) and 'linkedin_url:' || erasure_form('linkedin_url', c.linkedin_url) = any (p_tells)
$$;

-- Identifiers of a company on file among these: its handle on X, unless the company is one person, and an office's e-mail
-- address on its domain.
create or replace function company_tells(p_tells text[]) returns setof text language sql stable as $$
  select tell
    from unnest(p_tells) tell
    join companies c on tell = 'twitter_handle:' || erasure_form('twitter_handle', c.twitter_handle)
   where c.entity_kind is distinct from 'individual'
   union
  select tell
    from unnest(p_tells) tell
   where tell like 'email:%' and is_office(substr(tell, 7))
     and exists (select from companies c where c.domain = split_part(tell, '@', 2))
$$;

-- Identifiers that people on file had when they were merged with one of these, before that was undone: they stay theirs, though images of the
-- merged record have them too.
create or replace function parted_tells(p_ids uuid[]) returns setof text language sql stable as $$
  with merges as materialized (
    select j.change from journal j
     where j.kind = 'person' and j.what = 'merge'
       and exists (select from journal_entries e where e.change = j.change and e.record_id = any (p_ids))
  )
  select distinct t.tell
    from merges m
   cross join lateral journal_images(m.change) i
    join people p on p.id = i.record_id
   cross join lateral erasure_tells(i.before) t (tell)
   where i.table_name in ('people', 'private_channels') and i.record_id <> all (p_ids)
$$;

-- Images of other people in the journal that have one of these values. A telephone may be a whole company's and an office's
-- address is, so they tell nothing.
create or replace function images_alike(p_ids uuid[], p_tells text[])
returns table (change bigint, sequence bigint, record_id uuid) language sql stable as $$
  select distinct e.change, e.sequence, e.record_id
    from journal_entries e
   cross join lateral (values ('external_id'), ('twitter_handle'), ('email'), ('telegram'), ('linkedin_url')) f (field)
   where e.table_name in ('people', 'private_channels') and e.before->>f.field is not null and e.record_id <> all (p_ids)
     and f.field || ':' || erasure_form(f.field, e.before->>f.field) = any (p_tells)
     and (f.field = 'email' and is_office(e.before->>f.field)) is not true
$$;

-- Companies that may be of these people, as an investor who is a person, or speak of them: by handle, profile or full name.
create or replace function companies_alike(p_ids uuid[], p_tells text[]) returns uuid[] language sql stable as $$
  with names as (
    select distinct first_name || ' ' || last_name as name from people where id = any (p_ids)
  )
  select coalesce(array_agg(distinct c.id), '{}')
    from companies c left join names n on position(n.name in concat_ws(' ', c.name, c.ai_summary)) > 0
   where n.name is not null
      or 'twitter_handle:' || erasure_form('twitter_handle', c.twitter_handle) = any (p_tells)
      or 'linkedin_url:' || erasure_form('linkedin_url', c.linkedin_url) = any (p_tells)
$$;

-- Erases people, each by any id that they have had. Returns the erasure's number and change, how many records there were,
-- how many hashes are kept, `alike`: other people on file who share a value with them, and `companies` that may be of them or name
-- them. Both stay. Returns null where nothing is on file.
create or replace function erase_people(p_people uuid[], p_who text) returns json
language plpgsql set lock_timeout = '30s' as $$
declare
  v_erasure uuid := gen_random_uuid();
  v_given text := coalesce(current_setting('chainkin.change', true), '');
  v_change bigint;
  v_ids uuid[];
  v_records integer;
  v_tells text[];
  v_marks integer;
  v_alike uuid[];
  v_shared text[];
  v_gone uuid[];
  v_companies uuid[];
begin
  perform lock_change_log();

  -- Who they are: with whom they were merged, and people who were deleted and had what is theirs alone.
  v_ids := array(
    with named as (
      select unnest(p_people) as id
       union select r.to_id from redirects r where r.kind = 'person' and r.id = any (p_people)
    )
    select id from named
     union select r.id from redirects r join named on named.id = r.to_id where r.kind = 'person');
  if not exists (select from people where id = any (v_ids))
     and not exists (select from redirects where kind = 'person' and id = any (v_ids))
     and not exists (select from unlocks where person_id = any (v_ids))
     and not exists (select from journal_entries where record_id = any (v_ids) and table_name in ('people', 'private_channels')) then
    return null;
  end if;
  loop
    v_tells := tells_of(v_ids);
    select array_agg(distinct a.id), coalesce(array_agg(distinct a.tell), '{}') into v_alike, v_shared
      from people_alike(v_ids, v_tells) a;
    v_shared := v_shared || array(select company_tells(v_tells)) || array(select parted_tells(v_ids));
    v_tells := array(select tell from unnest(v_tells) tell where tell <> all (v_shared));
    -- Who was merged into somebody on file is that one.
    v_gone := array(
      select distinct i.record_id from images_alike(v_ids, v_tells) i
       where not exists (select from people p where p.id = i.record_id)
         and not exists (select from redirects r join people p on p.id = r.to_id where r.id = i.record_id));
    exit when v_gone = '{}';
    v_ids := v_ids || v_gone;
  end loop;

  v_companies := companies_alike(v_ids, v_tells || v_shared);

  perform set_config('chainkin.change', 'off', true);
  perform erase_from_journal(v_ids, v_tells, v_erasure);
  perform erase_from_accounts(v_ids);
  delete from redirects where kind = 'person' and (id = any (v_ids) or to_id = any (v_ids));
  delete from people where id = any (v_ids);
  get diagnostics v_records = row_count;
  delete from record_sources where record_id = any (v_ids);
  delete from record_pins where record_id = any (v_ids);
  -- And what files of people were found to say.
  perform import_findings_forget();
  perform set_config('chainkin.change', v_given, true);

  perform make_erasure_key();
  insert into erased_marks (hash, erasure)
  select erasure_hash(k, tell), v_erasure
    from (select * from erasure_keys order by id limit 1) k cross join unnest(v_tells) tell
  on conflict do nothing;
  get diagnostics v_marks = row_count;
  insert into journal (at, who, what, kind, id) values (meter_now(), p_who, 'erase', 'person', v_erasure)
  returning change into v_change;
  -- Instances drop the person at once, and then, by loading anew, every answer and index that was made with them.
  perform write_change_log('rebuild', array['00000000-0000-0000-0000-000000000000'::uuid]);
  insert into erasures (id, at, position) values (v_erasure, meter_now(), (select max(sequence) from change_log));
  -- Now reveals wait. What accounts had of these people is gone already, but for what they revealed and kept meanwhile.
  perform lock_unlocks();
  perform erase_from_accounts(v_ids);
  return json_build_object('number', v_erasure, 'change', v_change, 'records', v_records, 'marks', v_marks,
                           'alike', coalesce(to_json(v_alike), '[]'), 'companies', to_json(v_companies));
end $$;

-- Takes what there was of these people out of the journal. Single changes of them carry the erasure's number then, in the audit log
-- too; `undo` refuses them, and an import is undone without them.
create or replace function erase_from_journal(p_ids uuid[], p_tells text[], p_erasure uuid) returns void language plpgsql as $$
declare
  v_changes bigint[];
  v_made bigint[];
begin
  -- Materialized, because statistics that are out of date would have all entries read again for each of them.
  with changes as materialized (
    select e.change from journal_entries e where e.record_id = any (p_ids)
     union
    select c.change from journal_created c where c.record_ids && p_ids
  ), merged as materialized (
    -- Where a merge was taken back, or the person was merged into somebody else after it, images of the other record from in
    -- between have values of both.
    select o.record_id, min(o.sequence) as first, max(o.sequence) as last
      from (
        select o.record_id, o.sequence
          from changes join journal j using (change) join journal_entries o using (change)
         where j.kind = 'person' and o.record_id <> all (p_ids) and o.table_name in ('people', 'private_channels', 'redirects', 'unlocks')
         union all
        select (e.before->>'to_id')::uuid, e.sequence from journal_entries e
         where e.table_name = 'redirects' and e.record_id = any (p_ids) and (e.before->>'to_id')::uuid <> all (p_ids)
      ) o
     group by o.record_id
  ), erased as (
    delete from journal_entries e
     where e.record_id = any (p_ids)
        or e.table_name = 'redirects' and (e.before->>'to_id')::uuid = any (p_ids)
        or exists (select from merged m where m.record_id = e.record_id and e.sequence between m.first and m.last)
        or (e.change, e.sequence) in (select change, sequence from images_alike(p_ids, p_tells))
    returning e.change
  )
  select coalesce(array_agg(distinct change), '{}') into v_changes from erased;
  with erased as (
    update journal_created c
       set row_ids = array(select r.row_id from unnest(c.row_ids, c.record_ids) with ordinality r (row_id, record_id, n)
                            where r.record_id <> all (p_ids) order by n),
           record_ids = array(select r.record_id from unnest(c.record_ids) with ordinality r (record_id, n)
                               where r.record_id <> all (p_ids) order by n)
     where c.record_ids && p_ids
    returning c.change
  )
  select coalesce(array_agg(distinct change), '{}') into v_made from erased;
  delete from journal_created where record_ids = '{}';
  update journal set id = p_erasure
   where kind = 'person' and (id = any (p_ids) or change = any (v_changes) or change = any (v_made));
  perform set_config('chainkin.erasing', 'on', true);
  update audit_log set subjects = array[p_erasure] where subjects && p_ids and act like 'directory.%';
  perform set_config('chainkin.erasing', '', true);
end $$;

-- A random number of UUID's version 8, which nothing else here makes: an unlock that has one is of nobody any more, and is told from
-- one of a record that was deleted.
create or replace function erased_number() returns uuid language sql volatile as $$
  select overlay(gen_random_uuid()::text placing '8' from 15 for 1)::uuid
$$;

create or replace function is_erased_number(p_id uuid) returns boolean language sql immutable
return substr(p_id::text, 15, 1) = '8';

-- Takes these people from accounts: from their books, their notes and their lists.
create or replace function erase_from_accounts(p_ids uuid[]) returns void language plpgsql as $$
begin
  perform erase_from_books(p_ids);
  delete from contact_notes where person_id = any (p_ids);
  delete from list_entries where record_id = any (p_ids);
end $$;

-- Bills stay as they are and name nobody: ledger entries lose the person, and each unlock gets a number that leads nowhere.
create or replace function erase_from_books(p_ids uuid[]) returns void language plpgsql set enable_seqscan = off as $$
declare
  v_account record;
  v_from bigint;
begin
  perform set_config('chainkin.erasing', 'on', true);
  -- One statement: of an unlock that came between two of them the ledger's entry would stay.
  for v_account in
    with erased as (
      update unlocks set person_id = erased_number() where person_id = any (p_ids) returning account_id, at
    )
    select account_id, min(at) as since from erased group by 1
  loop
    v_from := ledger_since(v_account.account_id, v_account.since);
    update ledger set person_id = null
     where account_id = v_account.account_id and sequence >= v_from and person_id = any (p_ids);
  end loop;
  perform set_config('chainkin.erasing', '', true);
end $$;

-- Identifiers of a person among others on file: no telephone and no office's address, which may be a whole company's.
create or replace function own_tells(p_row jsonb) returns setof text language sql immutable as $$
  select erasure_tells(p_row - 'phone' - case when is_office(p_row->>'email') then 'email' else '' end)
$$;

-- Erases those whom an older state of the directory, restored from a backup, has again and a hash tells. Returns as `erase_people` does.
create or replace function erase_again(p_who text) returns json language plpgsql as $$
declare
  v_ids uuid[];
begin
  v_ids := array(
    select distinct o.id
      from (
        select p.id, to_jsonb(p) as one from people p
         union all select c.person_id, to_jsonb(c) from private_channels c
         union all select e.record_id, e.before from journal_entries e where e.table_name in ('people', 'private_channels')
         union all select r.id, to_jsonb(r) from redirects r where r.kind = 'person'
         union all select u.person_id, jsonb_build_object('id', u.person_id) from (select distinct person_id from unlocks) u
      ) o
     cross join lateral own_tells(o.one) t (tell)
     cross join erasure_keys k
      join erased_marks m on m.hash = erasure_hash(k, t.tell));
  if v_ids = '{}' then
    return null;
  end if;
  return erase_people(v_ids, p_who);
end $$;

-- Takes in the erasures that another database knows, as `src/database/erasures.ts` reads them, and erases those who are here.
create or replace function take_erasures(p_list jsonb, p_who text) returns json
language plpgsql set lock_timeout = '30s' as $$
begin
  perform lock_change_log();
  insert into erasure_keys (id, inner_pad, outer_pad)
  select k.id, decode(k."inner", 'hex'), decode(k."outer", 'hex')
    from jsonb_to_recordset(p_list->'keys') k (id uuid, "inner" text, "outer" text)
  on conflict do nothing;
  insert into erasures (id, at, position)
  -- The log is empty where nothing changed for an hour.
  select e.id, e.at, coalesce((select max(sequence) from change_log), (select last_value from change_log_sequence_seq))
    from jsonb_to_recordset(p_list->'erasures') e (id uuid, at timestamptz)
   order by e.at
  on conflict do nothing;
  insert into erased_marks (hash, erasure)
  select decode(m.hash, 'hex'), m.erasure from jsonb_to_recordset(p_list->'marks') m (hash text, erasure uuid)
  on conflict do nothing;
  return erase_again(p_who);
end $$;

-- Takes pages of LinkedIn that tell nobody from 2,000 people, those behind `p_after`: they are no channel, an import refuses them, and
-- earlier releases stored them. What accounts have paid stays as it is, as where an import clears a channel. Returns the last of these
-- people; null behind the last of all. In steps, because other changes of the directory wait while one runs.
create or replace function clear_linkedin_pages(p_change bigint, p_after uuid) returns uuid language plpgsql as $$
declare
  v_ids uuid[] := array(select person_id from private_channels where person_id > p_after order by person_id limit 2000);
begin
  perform set_config('chainkin.change', json_build_object('who', 'upgrade', 'what', 'sql', 'change', p_change)::text, true);
  update private_channels set linkedin_url = null
   where person_id = any (v_ids) and linkedin_url is not null and erasure_form('linkedin_url', linkedin_url) is null;
  perform set_config('chainkin.change', '', true);
  return v_ids[cardinality(v_ids)];
end $$;
