-- Second factors: codes of an app and recovery codes, each taken once, and signing in by them.

-- Begins to sign in somebody whose password was right: `p_password` is the hash that it was checked against. 'session'
-- where a session began, 'code' where a second factor is to be shown first, null where the password has changed since.
-- `p_hash` is the hash of the token of either.
create or replace function sign_in_begin(p_user uuid, p_password text, p_hash text, p_lasts interval, p_pending interval)
returns text language plpgsql as $$
begin
  if session_begin(p_user, p_password, p_hash, p_lasts) then return 'session'; end if;
  perform from users where id = p_user and password = p_password for share;
  if not found then return null; end if;
  insert into pending_sign_ins (hash, user_id, ends_at)
  select p_hash, user_id, meter_now() + p_pending from second_factors where user_id = p_user and on_since is not null;
  return case when found then 'code' end;
end $$;

-- Takes what somebody showed: the time step of an app's code, or the hash of a recovery code; the other is null. Of
-- several who show the same at once one is right. False where it was taken before, or is none. A step of 30 seconds that
-- lies minutes ahead was taken by a clock that ran ahead: it would refuse every code until that time.
create or replace function second_factor_take(p_user uuid, p_step integer, p_recovery text) returns boolean language plpgsql as $$
begin
  update second_factors set last_step = p_step
   where user_id = p_user and on_since is not null
     and (last_step < p_step or last_step > extract(epoch from meter_now() + interval '2 minutes') / 30);
  if found then return true; end if;
  delete from recovery_codes r using second_factors f
   where r.user_id = p_user and r.hash = p_recovery and f.user_id = r.user_id and f.on_since is not null;
  return found;
end $$;

-- Ends a pending sign-in with a session, once. False where it is over, or what was shown is not taken: then it stays.
create or replace function sign_in_finish(p_pending text, p_step integer, p_recovery text, p_hash text, p_lasts interval)
returns boolean language plpgsql as $$
declare
  v_user uuid;
begin
  select user_id into v_user from pending_sign_ins where hash = p_pending;
  perform from users where id = v_user for share;
  -- Read again: a change of the password that was waited for has deleted it.
  perform from pending_sign_ins where hash = p_pending and ends_at > meter_now() for update;
  if not found or not second_factor_take(v_user, p_step, p_recovery) then return false; end if;
  delete from pending_sign_ins where hash = p_pending;
  return session_open(v_user, p_hash, p_lasts);
end $$;

-- Begins to turn a second factor on, with this secret, in a session that gets a new token, of the hash `p_hash`. `p_password` is the
-- hash that the password was checked against. 'on' where one is on; null where the session has ended or the password has changed.
create or replace function second_factor_begin(p_user uuid, p_session uuid, p_password text, p_secret text, p_hash text)
returns text language plpgsql as $$
begin
  perform from users where id = p_user and password = p_password for share;
  if not found then return null; end if;
  if exists (select from second_factors where user_id = p_user and on_since is not null) then return 'on'; end if;
  update sessions set hash = p_hash where id = p_session and user_id = p_user;
  if not found then return null; end if;
  insert into second_factors as f (user_id, secret, session_id, begun_at)
  values (p_user, p_secret, p_session, meter_now())
  on conflict (user_id) do update
    set secret = excluded.secret, session_id = excluded.session_id, begun_at = excluded.begun_at, last_step = 0;
  return 'begun';
end $$;

-- Turns on what this session began with this secret, and replaces every session of the user by one of the hash
-- `p_hash`; links that were sent end too, as at a new password. `p_step` is that of the first code. False where the
-- session has ended, began another secret since, or began an hour ago.
create or replace function second_factor_turn_on(
  p_user uuid, p_session uuid, p_secret text, p_step integer, p_recovery text[], p_hash text, p_lasts interval
) returns boolean language plpgsql as $$
begin
  perform from users where id = p_user for no key update;
  -- Whoever signs it out at once has done so, or waits.
  perform from sessions where id = p_session and user_id = p_user for update;
  if not found then return false; end if;
  update second_factors set on_since = meter_now(), last_step = p_step
   where user_id = p_user and session_id = p_session and secret = p_secret and on_since is null
     and begun_at > meter_now() - interval '1 hour';
  if not found then return false; end if;
  insert into recovery_codes (user_id, hash) select p_user, unnest(p_recovery);
  delete from sessions where user_id = p_user;
  delete from user_links where user_id = p_user;
  return session_open(p_user, p_hash, p_lasts);
end $$;

-- Turns a second factor off, by what somebody who is signed in shows.
create or replace function second_factor_turn_off(p_user uuid, p_step integer, p_recovery text) returns boolean language plpgsql as $$
begin
  perform from users where id = p_user for no key update;
  if not second_factor_take(p_user, p_step, p_recovery) then return false; end if;
  delete from second_factors where user_id = p_user;
  return true;
end $$;

-- Gives a user other recovery codes in place of all that are left, by what they show.
create or replace function recovery_codes_renew(p_user uuid, p_step integer, p_recovery text, p_hashes text[])
returns boolean language plpgsql as $$
begin
  perform from users where id = p_user for no key update;
  if not second_factor_take(p_user, p_step, p_recovery) then return false; end if;
  delete from recovery_codes where user_id = p_user;
  insert into recovery_codes (user_id, hash) select p_user, unnest(p_hashes);
  return true;
end $$;
