-- Sources: which records an import's source has, and which of them it removes.

-- Whether a source's last word of a record is that it lacks it. `record_sources.run` is the run that noted the record as the
-- source's; as a negative number, the run that found it missing. One that did not end, or is undone, found nothing missing.
-- So a night writes nothing of the records that are there as before.
create or replace function was_missed(p_run bigint) returns boolean language sql stable as $$
  select p_run < 0 and exists (select from import_runs r where r.run = -p_run and r.ended_at is not null and not r.is_undone)
$$;

-- Notes which records of a kind the source had and its run has not met. `p_met` are the ids of all that it has met. Hashed, however
-- many they are: what is no join has no other plan.
create or replace function note_missing(p_source text, p_run bigint, p_kind text, p_met uuid[]) returns void language sql as $$
  update record_sources s set run = -p_run
   where s.source = p_source and s.kind = p_kind and (s.run >= 0 or not was_missed(s.run))
     and s.record_id not in (select unnest(p_met))
     and s.record_id not in (select m.id from redirects m where m.to_id in (select unnest(p_met)))
$$;

-- The records that this source had, that its run found missing, and that no other source and nobody else has. A company is held
-- by what stays and hangs on it: its people, its rounds, and its part in rounds. Only records of `p_ids` are looked at, unless
-- that is null.
create or replace function absent_records(p_source text, p_run bigint, p_kinds text[], p_ids uuid[])
returns table (kind text, record_id uuid, is_held boolean) language sql stable as $$
  with missing as (
    select s.record_id, s.kind from record_sources s where p_ids is null and s.source = p_source and s.run = -p_run
     union all
    select s.record_id, s.kind
      from (select unnest(p_ids) as id union select m.id from redirects m where m.to_id = any (p_ids)) names
      join record_sources s on s.record_id = names.id and s.source = p_source and s.run = -p_run
  ), own as materialized (
    select distinct s.kind, coalesce(m.to_id, s.record_id) as record_id
      from missing s left join redirects m on m.id = s.record_id
     where s.kind = any (p_kinds)
  ), absent as materialized (
    select o.kind, o.record_id
      from own o
     where case o.kind when 'company' then exists (select from companies t where t.id = o.record_id)
                       when 'person' then exists (select from people t where t.id = o.record_id)
                       else exists (select from funding_rounds t where t.id = o.record_id) end
       and not exists (
         select from (select o.record_id as id union all select m.id from redirects m where m.to_id = o.record_id) names
           join record_sources s on s.record_id = names.id
          where s.run >= 0 or (s.run <> -p_run and not was_missed(s.run)))
  )
  select a.kind, a.record_id,
         a.kind = 'company'
         and (exists (select from people p where p.company_id = a.record_id
                         and p.id not in (select g.record_id from absent g where g.kind = 'person'))
           or exists (select from funding_rounds r where r.company_id = a.record_id
                         and r.id not in (select g.record_id from absent g where g.kind = 'round'))
           or exists (select from round_investors v where v.investor_id = a.record_id
                         and v.round_id not in (select g.record_id from absent g where g.kind = 'round')))
    from absent a
$$;

-- How many records of a kind the source had before this run. What a run brought that did not end is not counted, because nobody
-- has looked at it.
create or replace function source_records(p_source text, p_run bigint, p_kind text) returns bigint language sql stable as $$
  select count(distinct coalesce(m.to_id, s.record_id))
    from record_sources s left join redirects m on m.id = s.record_id
   where s.source = p_source and s.kind = p_kind
     and (s.run >= 0 or not was_missed(s.run))
     and s.first_run <= coalesce(
       (select max(r.run) from import_runs r
         where r.source = p_source and r.run < p_run and r.ended_at is not null and not r.is_undone), p_run - 1)
     and case p_kind when 'company' then exists (select from companies t where t.id = coalesce(m.to_id, s.record_id))
                     when 'person' then exists (select from people t where t.id = coalesce(m.to_id, s.record_id))
                     else exists (select from funding_rounds t where t.id = coalesce(m.to_id, s.record_id)) end
$$;

-- Removes those of the records that are absent still, now that nobody else writes. Looks at nothing else, because everybody who
-- writes waits meanwhile. What hangs on a company is removed before it. `p_change` is JSON as `journal_change` reads
-- it. Returns how many there were.
create or replace function remove_absent(p_source text, p_run bigint, p_kinds text[], p_kind text, p_ids uuid[], p_change text)
returns integer language plpgsql set lock_timeout = '30s' as $$
declare
  v_removed integer;
begin
  perform lock_change_log();
  perform set_config('chainkin.change', p_change, true);
  execute format('delete from %I t
    using (select a.record_id from absent_records($1, $2, $3, $5) a where a.kind = $4 and not a.is_held) absent
    where t.id = absent.record_id',
    case p_kind when 'company' then 'companies' when 'person' then 'people' else 'funding_rounds' end)
    using p_source, p_run, p_kinds, p_kind, p_ids;
  get diagnostics v_removed = row_count;
  perform set_config('chainkin.change', '', true);
  return v_removed;
end $$;

-- Notes of records that the run found missing that the source has them.
create or replace function keep_missing(p_source text, p_run bigint, p_ids uuid[]) returns void language sql as $$
  update record_sources s set run = p_run
    from (select unnest(p_ids) as id union select m.id from redirects m where m.to_id = any (p_ids)) kept
   where s.record_id = kept.id and s.source = p_source and s.run = -p_run
$$;

-- Takes the columns of files that were refused for them, as an operator says what they mean, for the source's own. Null where the refusal
-- of `p_at` is not its last any more.
create or replace function source_confirm_columns(p_source text, p_at text, p_columns jsonb) returns boolean language plpgsql as $$
begin
  update import_sources set columns = columns || p_columns, refused = null where source = p_source and refused->>'at' = p_at;
  return nullif(found, false);
end $$;

-- A record that no source had stays without one when it is merged.
create or replace function keep_unsourced(p_kind text, p_ids uuid[]) returns void language sql as $$
  insert into record_sources (record_id, source, kind, first_run, run)
  select id, '', p_kind, 0, 0
    from unnest(p_ids) id
   where not exists (select from record_sources s where s.record_id = id)
     and exists (select from record_sources s where s.record_id = any (p_ids))
  on conflict do nothing
$$;

-- Whether fields were pinned since `p_seen`, the last pin that an import knew when it identified its rows; null where it
-- doesn't look at pins. Volatile: it sees what was committed while its statement waited for the lock.
create or replace function pinned_since(p_seen bigint) returns boolean language plpgsql volatile as $$
begin
  return coalesce(p_seen < (select max(sequence) from record_pins), false);
end $$;

-- Switches whether a change's pins and syncs count, each time it is undone or restored. `p_change` is being undone.
create or replace function toggle_undone(p_change bigint) returns void language plpgsql as $$
declare
  v_change bigint := p_change;
  v_undoes bigint;
begin
  loop
    select undoes into v_undoes from journal where change = v_change;
    exit when v_undoes is null;
    v_change := v_undoes;
  end loop;
  update import_runs set is_undone = not is_undone where change = v_change;
  update record_pins set is_undone = not is_undone where change = v_change;
end $$;

-- The pins of these records. Those of a record that was merged are the survivor's.
create or replace function pins_of(p_ids uuid[]) returns table (record_id uuid, field text) language sql stable as $$
  select distinct coalesce(m.to_id, p.record_id), p.field
    from record_pins p left join redirects m on m.id = p.record_id
   where not p.is_undone
     and p.record_id in (select unnest(p_ids) union all select r.id from redirects r where r.to_id = any (p_ids))
$$;
