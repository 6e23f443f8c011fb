-- Operators: what they do is written to the audit log by the statement that does it, and stays there.
--
--   audit_state      what an act is done to, as JSON: it is read before and after the act
--   audit            writes an act's line
--   audit_journal    writes the line of a change of the directory
--   operator_begin   makes the first operator, by a link
--
-- and acts that no other file has: each is one function, so that `src/console/acts/perform.ts` does any of them in one statement.

-- Refuses to change or delete lines of the audit log. An erasure alone puts its own number in the place of a person's
-- (`erasures.sql`), where a line is of a change of the directory.
create or replace function audit_stands() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if current_setting('chainkin.erasing', true) = 'on' and old.act like 'directory.%' and cardinality(new.subjects) = 1
       and to_jsonb(new) - 'subjects' = to_jsonb(old) - 'subjects' then
      return new;
    end if;
  end if;
  raise exception 'lines of the audit log are never changed' using errcode = 'restrict_violation';
end $$;

select set_trigger('CREATE TRIGGER audit_stands BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_stands()');
select set_trigger('CREATE TRIGGER audit_all_stands BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION audit_stands()');

-- Whether somebody may do an act now: a command may, a page's user who is an operator still, and whoever has the first operator's link.
create or replace function audit_admits(p_by jsonb, p_act text) returns boolean language sql volatile as $$
  select p_by->>'via' = 'command' or p_act = 'operator.begin'
      or exists (select from users where id = (p_by->>'userId')::uuid and operator_since is not null)
$$;

-- Reads what an act is done to, and keeps others from changing it until the transaction's end: an account, settled; a key; a payment,
-- with its account; a user; a payment provider's event; a privacy request; an import; the columns of an import's source; the pins of a record of the directory. `accountId` is the account concerned. No secret, no address,
-- and null where there is no such thing. Volatile, so that within one statement it sees what the act has changed.
create or replace function audit_state(p_kind text, p_name text) returns jsonb language plpgsql volatile as $$
declare
  -- Events have the names that their provider gave them.
  v_id uuid := case when p_kind not in ('event', 'backup', 'source') then p_name::uuid end;
  v_account uuid := v_id;
  v_state jsonb := '{}';
begin
  if p_kind = 'event' then
    select jsonb_build_object('event', id, 'eventKind', kind, 'dismissedAt', dismissed_at) into v_state
      from payment_events where id = p_name for no key update;
    return v_state;
  end if;
  -- A file, which the act names.
  if p_kind = 'backup' then
    return jsonb_strip_nulls(jsonb_build_object('backup', nullif(current_setting('chainkin.backup', true), '')));
  end if;
  if p_kind = 'source' then
    select jsonb_build_object('source', source, 'columns', columns) into v_state
      from import_sources where source = p_name for no key update;
    return v_state;
  end if;
  if p_kind = 'request' then
    select jsonb_build_object('request', kind, 'state', state) into v_state
      from privacy_requests where id = v_id for no key update;
    return v_state;
  end if;
  -- Pinned fields, which imports leave as they are.
  if p_kind = 'record' then
    perform from record_pins
      where record_id = v_id or record_id in (select id from redirects where to_id = v_id) for update;
    return jsonb_build_object(
      'kind', case when exists (select from companies where id = v_id) then 'company'
                   when exists (select from people where id = v_id) then 'person' else 'round' end,
      'pins', (select coalesce(jsonb_agg(p.field order by p.field), '[]') from pins_of(array[v_id]) p));
  end if;
  if p_kind = 'import' then
    select jsonb_build_object('import', import_job_state(j), 'kind', j.kind, 'file', j.file, 'bytes', j.bytes, 'change', j.change)
      into v_state from import_jobs j where id = v_id for no key update;
    return v_state;
  end if;
  if p_kind = 'key' then
    select account_id, jsonb_build_object('label', label, 'prefix', prefix, 'endsAt', least(revoked_at, expires_at))
      into v_account, v_state from api_keys where id = v_id;
    return v_state || jsonb_build_object('accountId', v_account);
  end if;
  if p_kind = 'user' then
    select m.account_id,
           jsonb_build_object('operatorSince', u.operator_since, 'emailVerifiedAt', u.email_verified_at,
                              'secondFactorSince', (select f.on_since from second_factors f where f.user_id = u.id),
                              'sessions', (select count(*) from sessions s
                                            where s.user_id = u.id and s.ends_at > meter_now()))
      into v_account, v_state
      from users u left join members m on m.user_id = u.id and m.role = 'owner'
     where u.id = v_id order by m.joined_at limit 1 for no key update of u;
    return v_state || jsonb_build_object('accountId', v_account);
  end if;
  if p_kind = 'payment' then
    -- Before its account, as payments are locked.
    select account_id, jsonb_build_object('payment', state, 'kind', kind, 'item', item, 'credits', credits, 'usd', usd,
                                          'paidBack', reversed, 'refund', refund)
      into v_account, v_state from payments where id = v_id for no key update;
  end if;
  if meter_open(v_account) is null then return null; end if;
  return v_state || (
    select jsonb_build_object('accountId', a.id, 'tier', a.tier, 'balance', a.balance, 'plan', a.plan,
                              'planRenews', a.plan_renews, 'planEndsAt', a.plan_ends_at, 'name', a.name,
                              'organization', a.organization, 'suspendedAt', a.suspended_at,
                              'suspensionReason', a.suspension_reason,
                              'notes', (select count(*) from account_notes n where n.account_id = a.id))
      from accounts a where a.id = v_account);
end $$;

-- Writes the line of an act that was done: `p_by` says who did it (`via`, `userId`, `who`, `address`), `p_before` is what
-- `audit_state` gave before it. Returns the line's number.
create or replace function audit(p_by jsonb, p_act text, p_kind text, p_name text, p_before jsonb) returns bigint
language plpgsql as $$
declare
  v_after jsonb := audit_state(p_kind, p_name);
  v_sequence bigint;
begin
  insert into audit_log (at, via, user_id, who, address, act, account_id, subjects, before, after)
  values (meter_now(), p_by->>'via', (p_by->>'userId')::uuid, p_by->>'who', p_by->>'address', p_act,
          coalesce(v_after->>'accountId', p_before->>'accountId')::uuid,
          case when p_kind in ('account', 'event', 'backup', 'source') then '{}' else array[p_name::uuid] end,
          p_before - 'accountId', v_after - 'accountId')
  returning sequence into v_sequence;
  return v_sequence;
end $$;

-- Writes the line of a change of the directory: the journal has what was before it, for 30 days. `by` of the setting `chainkin.change` is
-- the operator of a page, as `audit` reads one; without it a command made the change. Whoever is no operator any more changes nothing.
-- Statements by hand are no acts.
create or replace function audit_journal() returns trigger language plpgsql as $$
declare
  v_given text := coalesce(current_setting('chainkin.change', true), '');
  v_by jsonb := coalesce(case when v_given like '{%' then v_given::jsonb->'by' end,
                         jsonb_build_object('via', 'command', 'who', new.who));
begin
  if not audit_admits(v_by, 'directory.' || new.what) then
    perform refuse_change('you are no operator any more: nothing was changed');
  end if;
  insert into audit_log (at, via, user_id, who, address, act, subjects, after)
  values (new.at, v_by->>'via', (v_by->>'userId')::uuid, v_by->>'who', v_by->>'address', 'directory.' || new.what,
          array_remove(array[new.id], null),
          jsonb_strip_nulls(jsonb_build_object('change', new.change, 'kind', new.kind, 'undoes', new.undoes)));
  return null;
end $$;

select set_trigger('CREATE TRIGGER audit_journal AFTER INSERT ON journal FOR EACH ROW WHEN (new.what <> ''sql''::text) EXECUTE FUNCTION audit_journal()');

-- Takes up to `p_most` of what is left of a grant, with a ledger entry. Returns how many credits were taken; null where the account has no
-- such grant, or nothing is left of it.
create or replace function meter_take_back(p_account uuid, p_grant uuid, p_most integer) returns integer
language plpgsql as $$
declare
  v_now timestamptz := meter_open(p_account);
  v_taken integer;
  v_balance bigint;
begin
  perform meter_allot(p_account);
  select least(remaining, p_most) into v_taken from credit_grants
   where id = p_grant and account_id = p_account and remaining > 0;
  if v_taken is null or v_taken <= 0 then return null; end if;
  update credit_grants set remaining = remaining - v_taken where id = p_grant;
  update accounts set balance = balance - v_taken where id = p_account returning balance into v_balance;
  insert into ledger (account_id, at, kind, credits, balance_after, grant_id)
  values (p_account, v_now, 'reversal', -v_taken, v_balance, p_grant);
  return v_taken;
end $$;

-- Suspends an account: its calls are refused from the commit on, because a charge reads the row that this one holds. Of one that is
-- suspended the reason alone changes. False where there is no such account.
create or replace function account_suspend(p_account uuid, p_reason text) returns boolean language plpgsql as $$
begin
  if meter_open(p_account) is null then return false; end if;
  update accounts set suspended_at = coalesce(suspended_at, meter_now()), suspension_reason = p_reason where id = p_account;
  return true;
end $$;

-- Lifts that. False where the account is not suspended.
create or replace function account_resume(p_account uuid) returns boolean language plpgsql as $$
begin
  if meter_open(p_account) is null then return false; end if;
  update accounts set suspended_at = null, suspension_reason = null where id = p_account and suspended_at is not null;
  return found;
end $$;

-- Writes a note of operators about an account. Returns its number; null where there is no such account.
create or replace function account_note(p_account uuid, p_who text, p_text text) returns bigint language sql as $$
  insert into account_notes (account_id, at, who, text)
  select id, meter_now(), p_who, p_text from accounts where id = p_account
  returning sequence
$$;

-- Makes an account of `name`, `email`, `tier` and `organization`, with a top-up where `p_credits` are some. Returns its balance.
create or replace function account_create(p_id uuid, p_account jsonb, p_credits integer) returns bigint
language plpgsql as $$
begin
  insert into accounts (id, name, email, tier, organization)
  values (p_id, p_account->>'name', p_account->>'email', coalesce(p_account->>'tier', 'free'), p_account->>'organization');
  return case when p_credits > 0 then meter_grant(p_id, 'topup', p_credits, null, null) else 0 end;
end $$;

-- Sets what `p_changes` names of an account: `tier`, `name`, `organization`. False where there is no such account.
create or replace function account_set(p_account uuid, p_changes jsonb) returns boolean language plpgsql as $$
begin
  update accounts
     set tier = coalesce(p_changes->>'tier', tier),
         name = coalesce(p_changes->>'name', name),
         organization = case when p_changes ? 'organization' then p_changes->>'organization' else organization end
   where id = p_account;
  return found;
end $$;

-- Lets imports overwrite fields of a record again, those of records merged into it too. Null where none of them is pinned.
create or replace function unpin_record(p_record uuid, p_fields text[]) returns boolean language plpgsql as $$
begin
  delete from record_pins p
   where p.field = any (p_fields)
     and (p.record_id = p_record or p.record_id in (select id from redirects where to_id = p_record));
  return nullif(found, false);
end $$;

-- Makes a user an operator, or takes that away. Null where they are that already.
create or replace function operator_set(p_user uuid, p_is boolean) returns boolean language plpgsql as $$
begin
  update users set operator_since = case when p_is then meter_now() end
   where id = p_user and (operator_since is not null) <> p_is;
  return nullif(found, false);
end $$;

-- Notes a one-time link of a user, sent or shown by us. True.
create or replace function link_begin(p_hash text, p_user uuid, p_purpose text, p_email text, p_lasts interval) returns boolean
language sql as $$
  insert into user_links (hash, user_id, purpose, email, ends_at)
  values (p_hash, p_user, p_purpose, p_email, meter_now() + p_lasts) returning true
$$;

-- Ends every session of a user, and what waits for a second factor. Null where there are no sessions.
create or replace function user_end_sessions(p_user uuid) returns boolean language plpgsql as $$
begin
  delete from pending_sign_ins where user_id = p_user;
  delete from sessions where user_id = p_user;
  return nullif(found, false);
end $$;

-- Turns a user's second factor off, for somebody who has lost it and their recovery codes. Null where none is on.
create or replace function second_factor_remove(p_user uuid) returns boolean language plpgsql as $$
begin
  delete from second_factors where user_id = p_user and on_since is not null;
  return nullif(found, false);
end $$;

-- Closes an open privacy request and forgets whose it was; `p_reason` says why it is refused, null where it is done. Null where it
-- is not open.
create or replace function privacy_close(p_request uuid, p_reason text) returns boolean language plpgsql as $$
begin
  update privacy_requests
     set state = case when p_reason is null then 'done' else 'refused' end, reason = p_reason, closed_at = meter_now(),
         email = null, person = null, details = null
   where id = p_request and state = 'open';
  return nullif(found, false);
end $$;

-- Notes the hash of a new link, unless there are operators, or a link was taken or is in force. Returns until when it holds, else null.
create or replace function operator_link_begin(p_hash text, p_lasts interval) returns timestamptz language sql as $$
  insert into operator_link as l (hash, ends_at)
  select p_hash, meter_now() + p_lasts where not exists (select from users where operator_since is not null)
  on conflict (id) do update set hash = excluded.hash, ends_at = excluded.ends_at
   where l.taken_at is null and l.ends_at <= meter_now()
  returning ends_at
$$;

-- Whether a link makes whoever has it the first operator now.
create or replace function operator_link_holds(p_hash text) returns boolean language sql stable as $$
  select exists (select from operator_link where hash = p_hash and taken_at is null and ends_at > meter_now())
     and not exists (select from users where operator_since is not null)
$$;

-- Makes the user the first operator by a link, once. Returns null where the link doesn't hold.
create or replace function operator_begin(p_hash text, p_user uuid) returns boolean language plpgsql as $$
begin
  -- A second one at the same time waits here, and finds it taken.
  perform from operator_link for update;
  if not operator_link_holds(p_hash) then return null; end if;
  update operator_link set taken_at = meter_now();
  update users set operator_since = meter_now() where id = p_user;
  return true;
end $$;
