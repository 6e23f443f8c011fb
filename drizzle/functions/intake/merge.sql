-- Two records that are one: the older id stays, the other's id, slug and external id mean it from then on.

-- Reveals hold this lock shared, from before they look who is there until they commit. Merges and erasures take it alone and last, when
-- what is left to do is short. So no reveal of a contact that is being merged or erased is left behind with an id that is gone.
create or replace function unlocks_lock() returns bigint language sql immutable return 7163384757;

-- Takes that lock alone, until the transaction ends. Reveals queue behind whoever waits for it, so it waits for 100 ms at a time and lets
-- them pass in between: a transaction that shares it for long must hold up nobody else.
create or replace function lock_unlocks() returns void language plpgsql set lock_timeout = '100ms' as $$
begin
  for attempt in 1..50 loop
    begin
      perform pg_advisory_xact_lock(unlocks_lock());
      return;
    exception when lock_not_available then
      perform pg_sleep(0.1);
    end;
  end loop;
  perform pg_advisory_xact_lock(unlocks_lock());
end $$;

-- A record's fields that have values. Flags are left to their trigger.
create or replace function said_fields(p_row jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(f.key, f.value), '{}')
    from jsonb_each(p_row) f
   where f.value not in ('null', '[]', '""') and not (f.key = 'is_creator' and f.value = 'false')
     and f.key not like 'has\_%'
$$;

-- An account that had unlocked `p_from` has unlocked `p_to`, since the earlier time where it had both. Then the row of `p_from`
-- stays, because both were paid. Notes in the journal what was.
--
-- Reveals wait for it. So the rows are read once, into arrays, and no statement joins the table: with statistics that are out of date
-- the planner would compare each of thousands of rows with thousands. `is true` keeps an IN from becoming a join.
create or replace function carry_unlocks(p_from uuid, p_to uuid, p_change bigint) returns void
language plpgsql set enable_seqscan = off set work_mem = '64MB' as $$
declare
  v_moved uuid[];           -- accounts that had unlocked `p_from` alone
  v_moved_at timestamptz[];
  v_both uuid[];            -- accounts that had unlocked both, and `p_from` earlier
  v_both_at timestamptz[];
  v_both_later timestamptz[];
begin
  perform lock_unlocks();
  with pairs as materialized (
    select account_id, min(at) filter (where person_id = p_from) as since, min(at) filter (where person_id = p_to) as later
      from unlocks where person_id in (p_from, p_to) group by account_id
  )
  select coalesce(array_agg(account_id) filter (where later is null), '{}'), array_agg(since) filter (where later is null),
         coalesce(array_agg(account_id) filter (where since < later), '{}'), array_agg(since) filter (where since < later),
         array_agg(later) filter (where since < later)
    into v_moved, v_moved_at, v_both, v_both_at, v_both_later
    from pairs;
  if v_moved <> '{}' then
    insert into journal_entries (change, table_name, row_id, record_id, before)
    select p_change, 'unlocks', account_id, p_from, to_jsonb(row(account_id, p_from, at)::unlocks)
      from unnest(v_moved, v_moved_at) as t (account_id, at);
    insert into journal_created (change, table_name, row_ids, record_ids)
    values (p_change, 'unlocks', v_moved, array_fill(p_to, array[cardinality(v_moved)]));
    update unlocks set person_id = p_to where person_id = p_from and (account_id in (select unnest(v_moved))) is true;
  end if;
  if v_both <> '{}' then
    insert into journal_entries (change, table_name, row_id, record_id, before)
    select p_change, 'unlocks', account_id, p_to, to_jsonb(row(account_id, p_to, at)::unlocks)
      from unnest(v_both, v_both_later) as t (account_id, at);
    delete from unlocks where person_id = p_to and (account_id in (select unnest(v_both))) is true;
    insert into unlocks (account_id, person_id, at)
    select account_id, p_to, at from unnest(v_both, v_both_at) as t (account_id, at);
  end if;
end $$;

-- Restores the unlocks of a change that is undone: where it merged people, unlocks go back to their former person; where it parted
-- them, they are moved again, with those added since. It runs last in its transaction, because reveals wait then.
create or replace function restore_unlocks(p_change bigint, p_number bigint) returns void
language plpgsql set enable_seqscan = off set work_mem = '64MB' as $$
declare
  v_accounts uuid[];
  v_people uuid[];
  v_before jsonb[];
  v_merged redirects;
begin
  if exists (select from journal_images(p_change) i where i.table_name = 'redirects' and i.before is null) then
    select array_agg(i.row_id) filter (where i.before is null), array_agg(i.record_id) filter (where i.before is null),
           array_agg(i.before) filter (where i.before is not null)
      into v_accounts, v_people, v_before
      from journal_images(p_change) i where i.table_name = 'unlocks';
    -- No reveal of either is in the way: while these are not committed each account has unlocked them as before.
    delete from unlocks
     where person_id = any (array(select distinct unnest(v_people)))
       and ((account_id, person_id) in (select * from unnest(v_accounts, v_people))) is true;
    insert into unlocks
    select r.* from unnest(v_before) as t (before) cross join lateral jsonb_populate_record(null::unlocks, t.before) r
    on conflict (account_id, person_id) do update set at = excluded.at;
    -- Reveals that looked before have ended then, and the next ones look again.
    perform lock_unlocks();
  end if;
  for v_merged in
    select r.* from journal_images(p_change) i join redirects r on r.id = i.row_id
     where i.table_name = 'redirects' and i.before is not null and r.kind = 'person'
       and not exists (select from people p where p.id = r.id)
  loop
    perform carry_unlocks(v_merged.id, v_merged.to_id, p_number);
  end loop;
end $$;

-- Merges two records of a kind. The values of `p_keep` stay, those that it lacks come from `p_other`. Returns the id that
-- stays, which is that of the older one. `p_change` is JSON as `journal_change` reads it.
create or replace function merge_records(p_kind text, p_keep uuid, p_other uuid, p_change text)
returns uuid language plpgsql set lock_timeout = '5s' as $$
declare
  v_table text := case p_kind when 'company' then 'companies' when 'person' then 'people' else 'funding_rounds' end;
  v_rows jsonb[];
  v_survivor uuid;
  v_gone uuid;
  v_merged jsonb;
  v_columns text;
begin
  perform lock_change_log();
  perform set_config('chainkin.change', p_change, true);
  execute format('select array_agg(to_jsonb(t) order by t.created_at, t.id)
    from (select * from %I where id in ($1, $2) for update) t', v_table) into v_rows using p_keep, p_other;
  if cardinality(v_rows) is distinct from 2 then
    perform refuse_change(case p_keep when p_other then 'both are the same record' else 'one of them is gone' end);
  end if;
  v_survivor := (v_rows[1]->>'id')::uuid;
  v_gone := (v_rows[2]->>'id')::uuid;
  v_merged := case v_survivor when p_keep then said_fields(v_rows[2]) || said_fields(v_rows[1])
                              else said_fields(v_rows[1]) || said_fields(v_rows[2]) end
    -- Keys are the older one's, as far as it has them.
    || (select jsonb_object_agg(key, coalesce(nullif(v_rows[1]->key, 'null'), v_rows[2]->key))
          from unnest(array['id', 'slug', 'external_id', 'created_at']) key where v_rows[1] ? key);
  if v_merged ? 'updated_at' then
    v_merged := v_merged || jsonb_build_object('updated_at', now());
  end if;

  if p_kind = 'company' then
    v_merged := v_merged || jsonb_build_object('handle_history', merged_handles(v_rows, v_merged->>'twitter_handle'));
    update funding_rounds set company_id = v_survivor where company_id = v_gone;
    update people set company_id = v_survivor where company_id = v_gone;
    update round_investors s set is_lead = true from round_investors g
     where g.investor_id = v_gone and g.is_lead and s.investor_id = v_survivor and s.round_id = g.round_id and not s.is_lead;
    delete from round_investors g using round_investors s
     where g.investor_id = v_gone and s.investor_id = v_survivor and s.round_id = g.round_id;
    update round_investors set investor_id = v_survivor where investor_id = v_gone;
  elsif p_kind = 'round' then
    if v_rows[1]->'company_id' <> v_rows[2]->'company_id' then
      perform refuse_change('they are rounds of two companies: merge those, or set the company of one');
    end if;
    update round_investors s set is_lead = true from round_investors g
     where g.round_id = v_gone and g.is_lead and s.round_id = v_survivor and s.investor_id = g.investor_id and not s.is_lead;
    delete from round_investors g using round_investors s
     where g.round_id = v_gone and s.round_id = v_survivor and s.investor_id = g.investor_id;
    update round_investors set round_id = v_survivor where round_id = v_gone;
  else
    perform merge_channels(v_survivor, p_keep, p_other);
  end if;

  execute format('delete from %I where id = $1', v_table) using v_gone;
  select string_agg(format('%I', attname), ', ') into v_columns
    from pg_attribute where attrelid = v_table::regclass and attnum > 0 and not attisdropped and attname not like 'has\_%';
  execute format('update %1$I t set (%2$s) = (select %2$s from jsonb_populate_record(t, $2)) where t.id = $1', v_table, v_columns)
    using v_survivor, v_merged;
  delete from redirects where id = v_survivor;
  update redirects set to_id = v_survivor where to_id = v_gone;
  insert into redirects (id, kind, slug, external_id, to_id)
  values (v_gone, p_kind, v_rows[2]->>'slug', v_rows[2]->>'external_id', v_survivor)
  on conflict (id) do update
    set kind = excluded.kind, slug = excluded.slug, external_id = excluded.external_id, to_id = excluded.to_id;
  perform keep_unsourced(p_kind, array[v_survivor, v_gone]);
  if p_kind = 'person' then
    perform carry_unlocks(v_gone, v_survivor, journal_change());
  end if;
  return v_survivor;
end $$;

-- The handles that either company had, and of the two of today the one that is not kept.
create or replace function merged_handles(p_rows jsonb[], p_kept text) returns jsonb language sql stable as $$
  with seen as (
    select distinct e.value as one from unnest(p_rows) r cross join lateral jsonb_array_elements(r->'handle_history') e
  ), dropped as (
    select r->>'twitter_handle' as handle from unnest(p_rows) r where lower(r->>'twitter_handle') <> lower(p_kept)
  )
  select coalesce(jsonb_agg(one order by one->>'seenAt', one->>'handle'), '[]')
    from (
      select one from seen
       union all
      select jsonb_build_object('handle', handle,
               'seenAt', to_char(meter_now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        from dropped where lower(handle) not in (select lower(one->>'handle') from seen)) handles
$$;

-- The channels of the kept person, and those of the other where it lacks one.
create or replace function merge_channels(p_survivor uuid, p_keep uuid, p_other uuid) returns void language plpgsql as $$
declare
  v_merged jsonb;
begin
  select coalesce((select said_fields(to_jsonb(c)) from private_channels c where c.person_id = p_other), '{}')
      || coalesce((select said_fields(to_jsonb(c)) from private_channels c where c.person_id = p_keep), '{}')
      || jsonb_build_object('person_id', p_survivor)
    into v_merged;
  if v_merged - 'person_id' = '{}' then
    return;
  end if;
  insert into private_channels (person_id) values (p_survivor) on conflict do nothing;
  update private_channels c
     set (email, phone, telegram, linkedin_url) = (select email, phone, telegram, linkedin_url from jsonb_populate_record(c, v_merged))
   where c.person_id = p_survivor and c is distinct from jsonb_populate_record(c, v_merged);
end $$;

-- The calls, those that name a person who was merged as calls for the one who stays, who is one of the contacts then too.
create or replace function merged_calls(p_calls meter_call[]) returns meter_call[] language sql stable as $$
  select array_agg(row(
           call.account, call.key, call.price, call.reveal_price, call.refusal, call.record_exists,
           coalesce(r.to_id, call.person), call.reveal, concat_ws(' ', nullif(call.contacts, ''), r.to_id), call.channels,
           call.identity, call.idempotency_key, call.fingerprint, call.request_id, call.endpoint)::meter_call order by n)
    from unnest(p_calls) with ordinality as call (account, key, price, reveal_price, refusal, record_exists, person, reveal,
           contacts, channels, identity, idempotency_key, fingerprint, request_id, endpoint, n)
    left join redirects r on r.id = call.person and r.kind = 'person'
$$;

-- `meter_charge` for calls of which some name a person who was merged. Their answers show the one who stays by the id that
-- was asked for as well, because that is the one that the caller knows. It stands in an expression of its own: in a join the planner
-- may run it again for each row of another side, and each run charges.
create or replace function meter_charge_merged(p_calls meter_call[], p_rules meter_rule[], p_quotes boolean[]) returns table (
  outcome text, charged integer, required integer, balance double precision, tier text,
  "rateLimit" integer, "rateRemaining" integer, "rateResetMs" double precision,
  "revealResetMs" double precision, "keyCap" json, "nowMs" double precision, unlocked json, account json
) language sql as $$
  with merged as materialized (select merged_calls(p_calls) as calls),
  decided as materialized (
    select m.* from meter_charge((select calls from merged), p_rules, p_quotes) with ordinality m
  )
  select m.outcome, m.charged, m.required, m.balance, m.tier, m."rateLimit", m."rateRemaining", m."rateResetMs",
         m."revealResetMs", m."keyCap", m."nowMs",
         (select json_agg(shown.contact)
            from (
              select e.value as contact from json_array_elements(m.unlocked) e
               union all
              select (e.value::jsonb || jsonb_build_object('id', asked.person))::json
                from json_array_elements(m.unlocked) e
               where asked.person <> meant.person and (e.value->>'id')::uuid = meant.person) shown),
         m.account
    from decided m
    join unnest(p_calls) with ordinality asked on asked.ordinality = m.ordinality
    join unnest((select calls from merged)) with ordinality meant on meant.ordinality = m.ordinality
   order by m.ordinality
$$;
