-- Users of the application: sign-up, sessions, e-mail addresses, invitations, and rate limits on what they try.

-- Gives a new account its referral code, and the credential by which calls from the application are charged:
-- a row of `api_keys` like any other, so that the meter knows one kind of caller. Its id is the account's, and
-- its hash is the hash of no key.
create or replace function account_begins() returns trigger language plpgsql as $$
begin
  insert into api_keys (id, account_id, hash, prefix, label, scopes, environment)
  values (new.id, new.id, 'web:' || new.id, 'web', 'web', '{read:metadata,read:contacts}', 'web');
  insert into referrals (account_id, code)
  values (new.id, left(replace(gen_random_uuid()::text, '-', ''), 12));
  return null;
end $$;

select set_trigger('CREATE TRIGGER account_begins AFTER INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION account_begins()');

-- Rate limit windows, in the table `turns`: counts one more attempt of each subject in its window, in the order
-- given. Stops at the first subject over its limit, so that one address can't use up another subject's
-- limit; a null limit counts and stops nothing. Returns the counts in that order, each with the seconds until its
-- window ends. A window that began in the future was begun by a clock that ran ahead, and begins anew. Callers name
-- subjects of different kinds in one order, so no two of them wait for each other.
create or replace function count_turns(p_subjects text[], p_limits integer[], p_seconds integer[])
returns table (turn_count integer, ends_in integer) language plpgsql as $$
declare
  v_now timestamptz := meter_now();
  v_turn turns;
begin
  for i in 1 .. cardinality(p_subjects) loop
    insert into turns as t (subject, started_at, ends_at, count)
    values (p_subjects[i], v_now, v_now + make_interval(secs => p_seconds[i]), 1)
    on conflict (subject) do update
      set (started_at, ends_at, count) = (
            select case when holds then t.started_at else v_now end,
                   case when holds then t.ends_at else excluded.ends_at end,
                   case when holds then least(t.count, p_limits[i], 1000000) + 1 else 1 end
              -- The clock is read again behind the lock: another session may have begun the window since.
              from (select t.ends_at > v_now and t.started_at <= meter_now() as holds) as turn)
    returning * into v_turn;
    turn_count := v_turn.count;
    ends_in := greatest(1, ceil(extract(epoch from v_turn.ends_at - v_now)));
    return next;
    exit when v_turn.count > p_limits[i];
  end loop;
end $$;

-- Does the same, returning the seconds to wait: 0 where all subjects were within their limits. The last release calls it.
create or replace function take_turns(p_subjects text[], p_limits integer[], p_seconds integer[])
returns integer language sql as $$
  select coalesce(max(ends_in) filter (where turn_count > p_limits[place]), 0)
    from count_turns(p_subjects, p_limits, p_seconds) with ordinality as counted (turn_count, ends_in, place)
$$;

-- Makes a user with an account of their own and the referral that they came by, all or nothing. Its trial begins at
-- once, or, where `p_confirms`, when the address is confirmed; never where `p_throwaway`. `p_mailbox` says whose
-- address it is, as mail providers see it. Returns the user's id; null where the address is taken, and then makes
-- nothing.
create or replace function user_sign_up(
  p_email text, p_name text, p_password text, p_referral text, p_mailbox text, p_throwaway boolean,
  p_trial_credits integer, p_trial interval, p_confirms boolean
) returns uuid language plpgsql as $$
declare
  v_now timestamptz := meter_now();
  v_user uuid;
  v_account uuid;
begin
  insert into users (email, name, password, created_at) values (p_email, p_name, p_password, v_now)
  on conflict (email) do nothing returning id into v_user;
  if v_user is null then return null; end if;
  insert into accounts (name, email, created_at) values (p_name, p_email, v_now) returning id into v_account;
  insert into members (account_id, user_id, role, joined_at) values (v_account, v_user, 'owner', v_now);
  update referrals set referrer_id = (select account_id from referrals where code = p_referral)
   where account_id = v_account and p_referral is not null;
  insert into newcomers (account_id, mailbox, trial_credits, trial_lasts, refusal)
  values (v_account, p_mailbox, p_trial_credits, p_trial, case when p_throwaway then 'throwaway' end);
  if not p_confirms then perform newcomer_welcome(v_account); end if;
  return v_user;
end $$;

-- Signs up as the last release calls it, which knows no mailboxes.
create or replace function user_sign_up(
  p_email text, p_name text, p_password text, p_trial_credits integer, p_trial interval, p_referral text
) returns uuid language sql as $$
  select user_sign_up(p_email, p_name, p_password, p_referral, encode(sha256(convert_to(p_email, 'UTF8')), 'hex'),
                      false, p_trial_credits, p_trial, false)
$$;

-- Whether a member may act for an account now: its owner always, others while its tier has a workspace.
create or replace function member_may_act(p_role text, p_tier text) returns boolean language sql immutable
return p_role = 'owner' or p_tier in ('team', 'enterprise');

-- Opens a session of somebody who has proven who they are: for the workspace that the user joined last, else for their
-- own account. Callers hold the user's row.
create or replace function session_open(p_user uuid, p_hash text, p_lasts interval) returns boolean language plpgsql as $$
declare
  v_now timestamptz := meter_now();
begin
  insert into sessions (hash, user_id, account_id, created_at, used_at, ends_at)
  select p_hash, p_user, m.account_id, v_now, v_now, v_now + p_lasts
    from members m join accounts a on a.id = m.account_id
   where m.user_id = p_user and member_may_act(m.role, a.tier)
   order by m.role = 'owner', m.joined_at desc limit 1;
  return found;
end $$;

-- Begins a session by a password alone. `p_password` is the hash that the password was checked against; false where
-- the user has another by now, or signs in with a second factor. The last release signs in by it, which knows no
-- second factors: during a rolling upgrade such a user signs in on the new instances alone.
create or replace function session_begin(p_user uuid, p_password text, p_hash text, p_lasts interval)
returns boolean language plpgsql as $$
begin
  perform from users where id = p_user and password = p_password for share;
  if not found then return false; end if;
  perform from second_factors where user_id = p_user and on_since is not null;
  if found then return false; end if;
  return session_open(p_user, p_hash, p_lasts);
end $$;

-- Sets a password. Every session of the user ends, everything that waits for a second factor, and every link that was
-- sent: whoever knew the password before may have asked for one that moves the account to an address of theirs. The
-- second factor stays.
create or replace function user_set_password(p_user uuid, p_password text) returns void language sql as $$
  update users set password = p_password where id = p_user;
  delete from sessions where user_id = p_user;
  delete from user_links where user_id = p_user;
  delete from pending_sign_ins where user_id = p_user;
$$;

-- Sets a password in a session, which goes on by a new token, of the hash `p_hash`. False where the session has ended meanwhile: then
-- nothing is set. Whoever was signed out doesn't come back by a form that was on its way.
create or replace function user_change_password(p_user uuid, p_session uuid, p_password text, p_hash text, p_lasts interval)
returns boolean language plpgsql as $$
begin
  perform from users where id = p_user for no key update;
  perform from sessions where id = p_session and user_id = p_user for update;
  if not found then return false; end if;
  perform user_set_password(p_user, p_password);
  return session_open(p_user, p_hash, p_lasts);
end $$;

-- Takes a one-time link of this purpose and returns it; no rows where none is in force.
create or replace function link_take(p_hash text, p_purpose text) returns setof user_links language sql as $$
  delete from user_links where hash = p_hash and purpose = p_purpose and ends_at > meter_now() returning *
$$;

-- Sets a user's e-mail address, and that of their own account where it was the same. False where another user
-- has the address.
create or replace function user_set_email(p_user uuid, p_email text, p_verified boolean) returns boolean language plpgsql as $$
declare
  v_before text;
begin
  select email into v_before from users where id = p_user for update;
  update users
     set email = p_email, email_verified_at = case when p_verified then meter_now() end
   where id = p_user;
  if not found then return false; end if;
  if v_before <> p_email then
    delete from user_links where user_id = p_user and email = v_before;
  end if;
  update accounts a set email = p_email
    from members m
   where m.user_id = p_user and m.role = 'owner' and a.id = m.account_id and lower(a.email) = v_before;
  return true;
exception when unique_violation then
  return false;
end $$;

-- Sets the password by a link from a mail, which also verifies the address. False where the link is used up,
-- too old, or was sent to an address that the user has given up.
create or replace function user_reset_password(p_hash text, p_password text) returns boolean language plpgsql as $$
declare
  v_user uuid;
begin
  select u.id into v_user from link_take(p_hash, 'reset') l join users u on u.id = l.user_id and u.email = l.email;
  if not found then return false; end if;
  update users set email_verified_at = coalesce(email_verified_at, meter_now()) where id = v_user;
  perform user_set_password(v_user, p_password);
  return true;
end $$;

-- Makes the link's address the user's verified address. Returns it with the address before; null where the
-- link is not in force, or another user has the address by now.
create or replace function user_confirm_email(p_hash text) returns json language plpgsql as $$
declare
  v_link user_links;
  v_before text;
begin
  select * into v_link from link_take(p_hash, 'confirm');
  select email into v_before from users where id = v_link.user_id;
  return case when user_set_email(v_link.user_id, v_link.email, true)
         then json_build_object('before', v_before, 'email', v_link.email) end;
end $$;

-- Joins the workspace that a link invites to, if its account still has one, and moves the session to it.
create or replace function invitation_accept(p_hash text, p_user uuid, p_session uuid) returns boolean language plpgsql as $$
declare
  v_account uuid;
begin
  select i.account_id into v_account
    from invitations i join accounts a on a.id = i.account_id
   where i.hash = p_hash and i.ends_at > meter_now() and member_may_act('member', a.tier)
     and not exists (select from members m where m.account_id = i.account_id and m.user_id = p_user)
     for update of i;
  if not found then return false; end if;
  delete from invitations where hash = p_hash;
  insert into members (account_id, user_id, role, joined_at) values (v_account, p_user, 'member', meter_now());
  update sessions set account_id = v_account where id = p_session and user_id = p_user;
  return true;
end $$;
