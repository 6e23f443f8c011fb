-- Credits: grants, plans and the ledger. `charge.sql` spends them.
--
--   meter_grants     what is left of each grant
--   meter_allot      takes what was spent from the grants, soonest to expire first
--   meter_add        adds a grant with its ledger entry
--   meter_settle     applies what fell due: grants expire, a plan's period ends or begins anew
--   meter_open       locks an account and settles it: every change of money or tier begins here
--   meter_grant, plan_set, meter_start_plan, meter_stop_plan: credits and plans from outside
--
-- Each is one statement for its caller, so money never moves across a round trip. Prices and limits come
-- from the one table in code, never from here.
--
-- Two figures of an account hold it all together:
--   balance              = sum of its ledger entries
--   balance + unallotted = sum of its grants' `remaining`
-- so an ordinary charge writes the account's row alone, and grants only when one is added or expires.

-- Returns an account's grants and what is left of each after what was spent, soonest to expire first.
create or replace function meter_grants(p_account uuid)
returns table (
  id uuid, source text, amount integer, expires_at timestamptz, created_at timestamptz,
  spent bigint,   -- since `remaining` was last brought up to date
  unspent bigint
) language sql stable as $$
  select id, source, amount, expires_at, created_at, spent, remaining - spent
    from (
      select g.*,
             least(g.remaining, greatest(0, a.unallotted - coalesce(sum(g.remaining) over sooner, 0))) as spent
        from credit_grants g join accounts a on a.id = g.account_id
       where g.account_id = p_account
      window sooner as (order by g.expires_at nulls last, g.sequence
                        rows between unbounded preceding and 1 preceding)
    ) g
   order by expires_at nulls last, sequence
$$;

-- Takes what was spent since the last time from the grants' `remaining`. The caller holds the account's lock.
create or replace function meter_allot(p_account uuid) returns void language sql as $$
  with burned as materialized (
    select id, spent from meter_grants(p_account) where spent > 0
  ), allotted as (
    update credit_grants g set remaining = g.remaining - burned.spent
      from burned where g.id = burned.id
  )
  update accounts set unallotted = unallotted - (select coalesce(sum(spent), 0) from burned)
   where id = p_account
$$;

-- Adds credits with their ledger entry and returns the balance after. The caller holds the account's lock
-- and has settled.
create or replace function meter_add(
  p_account uuid, p_source text, p_amount integer, p_expires timestamptz, p_now timestamptz
) returns bigint language plpgsql as $$
declare
  v_grant uuid;
  v_balance bigint;
begin
  -- Credits spent so far burned the older grants, even if the new one expires sooner.
  perform meter_allot(p_account);
  insert into credit_grants (account_id, source, amount, remaining, expires_at, created_at)
  values (p_account, p_source, p_amount, p_amount, p_expires, p_now) returning id into v_grant;
  update accounts set balance = balance + p_amount, settle_at = least(settle_at, p_expires)
   where id = p_account returning balance into v_balance;
  insert into ledger (account_id, at, kind, credits, balance_after, grant_id)
  values (p_account, p_now, 'grant', p_amount, v_balance, v_grant);
  return v_balance;
end $$;

-- Applies whatever fell due by p_now. The caller holds the account's lock.
create or replace function meter_settle(p_account uuid, p_now timestamptz) returns void language plpgsql as $$
declare
  v_account accounts;
  v_expired record;
  v_balance bigint;
  v_periods integer;
begin
  -- Everything unallotted was spent before the first expiry that is due: a call after it would have settled.
  perform meter_allot(p_account);
  for v_expired in
    select id, remaining from credit_grants
     where account_id = p_account and remaining > 0 and expires_at <= p_now
     order by expires_at, sequence
  loop
    update credit_grants set remaining = 0 where id = v_expired.id;
    update accounts set balance = balance - v_expired.remaining
     where id = p_account returning balance into v_balance;
    insert into ledger (account_id, at, kind, credits, balance_after, grant_id)
    values (p_account, p_now, 'expiry', -v_expired.remaining, v_balance, v_expired.id);
  end loop;

  select * into strict v_account from accounts where id = p_account;
  if v_account.plan_ends_at <= p_now then
    if v_account.plan_renews then
      -- Periods in which no call was made grant nothing.
      v_periods := 1;
      while plan_period_end(v_account.plan_started_at, v_periods) <= p_now loop
        v_periods := v_periods + 1;
      end loop;
      v_account.plan_ends_at := plan_period_end(v_account.plan_started_at, v_periods);
      update accounts set plan_ends_at = v_account.plan_ends_at where id = p_account;
      if v_account.plan_credits > 0 then
        perform meter_add(p_account, 'plan', v_account.plan_credits, v_account.plan_ends_at, p_now);
      end if;
    else
      update accounts
         set tier = 'free', plan = null, plan_credits = null, plan_started_at = null, plan_ends_at = null
       where id = p_account;
    end if;
  end if;

  update accounts a set settle_at = least(
      a.plan_ends_at,
      (select min(g.expires_at) from credit_grants g where g.account_id = p_account and g.remaining > 0))
   where a.id = p_account;
end $$;

-- Locks the account, settles it and returns the time that holds for what follows; null where there is no
-- such account. Every change of an account's money or tier begins with this function.
create or replace function meter_open(p_account uuid) returns timestamptz language plpgsql as $$
declare
  v_due timestamptz;
  v_now timestamptz;
begin
  select settle_at into v_due from accounts where id = p_account for update;
  if not found then return null; end if;
  v_now := meter_now();
  if v_due <= v_now then perform meter_settle(p_account, v_now); end if;
  return v_now;
end $$;

-- Brings each grant's `remaining` up to date, so that pages and commands can show it. Null where there is
-- no such account.
create or replace function meter_review(p_account uuid) returns timestamptz language plpgsql as $$
declare
  v_now timestamptz := meter_open(p_account);
begin
  perform meter_allot(p_account);
  return v_now;
end $$;

-- Gives credits. `p_lasts` or `p_expires` says when they end; with neither they never end. Returns the
-- balance after, or null where there is no such account.
create or replace function meter_grant(
  p_account uuid, p_source text, p_amount integer, p_lasts interval, p_expires timestamptz
) returns bigint language plpgsql as $$
declare
  v_now timestamptz := meter_open(p_account);
  v_expires timestamptz := coalesce(v_now + p_lasts, p_expires);
begin
  if v_now is null then return null; end if;
  if v_expires <= v_now then
    raise exception 'credits that expire in the past' using errcode = 'invalid_parameter_value';
  end if;
  return meter_add(p_account, p_source, p_amount, v_expires, v_now);
end $$;

-- Makes a plan the account's plan from p_now to p_ends. The caller holds the account's lock and adds the credits.
create or replace function plan_set(
  p_account uuid, p_plan text, p_tier text, p_credits integer, p_renews boolean,
  p_now timestamptz, p_ends timestamptz
) returns void language sql as $$
  update accounts
     set tier = p_tier, plan = p_plan, plan_credits = p_credits, plan_renews = p_renews,
         plan_started_at = p_now, plan_ends_at = p_ends, settle_at = least(settle_at, p_ends)
   where id = p_account
$$;

-- Starts a plan now: its tier, and its credits until the period's end. Credits of an earlier plan stay until
-- their own expiry, because they were paid for. False where there is no such account.
create or replace function meter_start_plan(
  p_account uuid, p_plan text, p_tier text, p_credits integer, p_renews boolean
) returns boolean language plpgsql as $$
declare
  v_now timestamptz := meter_open(p_account);
  v_ends timestamptz := plan_period_end(v_now, 1);
begin
  if v_now is null then return false; end if;
  perform plan_set(p_account, p_plan, p_tier, p_credits, p_renews, v_now, v_ends);
  if p_credits > 0 then perform meter_add(p_account, 'plan', p_credits, v_ends, v_now); end if;
  return true;
end $$;

-- Ends the plan now, and with it what is left of its credits, or at the end of its period. False where the account has none.
create or replace function meter_stop_plan(p_account uuid, p_at_end boolean) returns boolean language plpgsql as $$
declare
  v_now timestamptz := meter_open(p_account);
begin
  update accounts
     set plan_renews = false, plan_ends_at = case when p_at_end then plan_ends_at else v_now end
   where id = p_account and plan is not null;
  if not found then return false; end if;
  if not p_at_end then
    -- Credits spent so far burned the grants in the order that held then.
    perform meter_allot(p_account);
    update credit_grants set expires_at = v_now
     where account_id = p_account and source = 'plan' and remaining > 0 and expires_at > v_now;
    perform meter_settle(p_account, v_now);
  end if;
  return true;
end $$;
