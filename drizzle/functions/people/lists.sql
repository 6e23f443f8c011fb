-- Lists of records and saved views that an account keeps. Each function takes its account's lock first, so that limits and names
-- are exact whoever writes at the same time.

create or replace function lock_kept(p_account uuid) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('kept ' || p_account, 0))
$$;

-- Returns the account's list of this name, which is made where there is none; null where there is none and it has p_most lists.
create or replace function list_keep(p_account uuid, p_name text, p_most integer) returns uuid language plpgsql as $$
declare
  v_id uuid;
begin
  perform lock_kept(p_account);
  select id into v_id from record_lists where account_id = p_account and lower(name) = lower(p_name);
  if v_id is null and (select count(*) from record_lists where account_id = p_account) < p_most then
    insert into record_lists (account_id, name, created_at) values (p_account, p_name, meter_now()) returning id into v_id;
  end if;
  return v_id;
end $$;

-- Returns `renamed`, `taken` where another list has the name, null where the account has no such list.
create or replace function list_rename(p_account uuid, p_list uuid, p_name text) returns text language plpgsql as $$
begin
  perform lock_kept(p_account);
  if exists (select from record_lists where account_id = p_account and lower(name) = lower(p_name) and id <> p_list) then
    return 'taken';
  end if;
  update record_lists set name = p_name where id = p_list and account_id = p_account;
  return case when found then 'renamed' end;
end $$;

-- Puts records on a list, each once. Who was merged goes on it as the one who stayed. Returns how many are on it that were not
-- (`added`), were before (`known`) and are not in the directory (`gone`). Where more than p_most entries would be on it nothing is
-- added, and `room` says how many fit. Null where the account has no such list.
create or replace function list_add(p_account uuid, p_list uuid, p_ids uuid[], p_most integer) returns json language plpgsql as $$
declare
  v_new uuid[];
  v_asked integer;
  v_found integer;
  v_held integer;
begin
  -- An erasure and a merge wait for this, or this for them: an erasure deletes what is added before it, and nobody is added after it.
  perform pg_advisory_xact_lock_shared(unlocks_lock());
  perform lock_kept(p_account);
  perform from record_lists where id = p_list and account_id = p_account for key share;
  if not found then
    return null;
  end if;
  with asked as (
    select distinct coalesce(r.to_id, n.id) as id from unnest(p_ids) n (id) left join redirects r on r.id = n.id
  ), there as (
    select a.id from asked a
     where exists (select from people p where p.id = a.id) or exists (select from companies c where c.id = a.id)
  )
  select (select count(*) from asked), (select count(*) from there),
         array(select t.id from there t
                where not exists (select from list_entries e left join redirects r on r.id = e.record_id and r.kind = e.kind
                                   where e.list_id = p_list and coalesce(r.to_id, e.record_id) = t.id))
    into v_asked, v_found, v_new;
  select count(*) into v_held from list_entries where list_id = p_list;
  if v_held + cardinality(v_new) > p_most and cardinality(v_new) > 0 then
    return json_build_object('added', 0, 'known', v_found - cardinality(v_new), 'gone', v_asked - v_found, 'room', p_most - v_held);
  end if;
  insert into list_entries (list_id, record_id, kind, added_at)
  select p_list, id, case when exists (select from people p where p.id = v.id) then 'person' else 'company' end, meter_now()
    from unnest(v_new) v (id);
  return json_build_object('added', cardinality(v_new), 'known', v_found - cardinality(v_new), 'gone', v_asked - v_found);
end $$;

-- Keeps filters and order of a page's list under a name: in place of the view p_replaced where it is not null. Returns the view's
-- id; or why it is not kept: `taken` (another view of the list has the name and says something else), `full` (p_most views are
-- there), null (p_replaced is none of the account's of this list).
create or replace function view_keep(
  p_account uuid, p_list text, p_name text, p_query text, p_replaced uuid, p_most integer
) returns text language plpgsql as $$
declare
  v_named saved_views;
begin
  perform lock_kept(p_account);
  select * into v_named from saved_views where account_id = p_account and list = p_list and lower(name) = lower(p_name);
  if v_named.id <> coalesce(p_replaced, v_named.id) or (p_replaced is null and v_named.query <> p_query) then
    return 'taken';
  end if;
  if p_replaced is not null then
    update saved_views set name = p_name, query = p_query
     where id = p_replaced and account_id = p_account and list = p_list;
    return case when found then p_replaced::text end;
  end if;
  if v_named.id is null then
    if (select count(*) from saved_views where account_id = p_account) >= p_most then
      return 'full';
    end if;
    insert into saved_views (account_id, list, name, query, created_at)
    values (p_account, p_list, p_name, p_query, meter_now()) returning * into v_named;
  end if;
  return v_named.id::text;
end $$;
