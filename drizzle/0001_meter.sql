-- The meter: the rules of money, once, to be read from top to bottom.
--
--   meter_now      the one clock (D22); tests replace it
--   meter_grants   what is left of each grant
--   meter_allot    what was spent is taken from the grants, soonest to expire first (D15)
--   meter_settle   grants that expired leave the balance, a plan's period ends or begins anew
--   meter_grant    credits given; meter_start_plan, meter_stop_plan: a plan's
--   meter_charge   a group of calls decided and charged: gates 3 to 10 of D1
--   meter_reject   failed authentications per address (D23)
--
-- Each is one statement for its caller, so money never moves across a round trip. Prices and limits
-- are not in here: they come from the one table in code (D13) as `rules`.
--
-- Two figures of an account hold it all together:
--   balance                      = sum of its ledger entries (D14)
--   balance + unallotted         = sum of its grants' `remaining`
-- so that an ordinary charge touches the account's row alone, and grants only when one is added or expires.

-- Charges update the same few rows over and over: room on the page keeps those updates in place.
alter table accounts set (fillfactor = 50);

create function meter_now() returns timestamptz language sql volatile
return clock_timestamp();

--> statement-breakpoint
-- Fixed windows (D22): one starts at the first call after the last one ended. These say which window
-- holds at p_now and how much of it is used; a null start means that there was none yet.
create function window_start(p_started timestamptz, p_lasts interval, p_now timestamptz)
returns timestamptz language sql stable
return case when p_started + p_lasts > p_now then p_started else p_now end;

create function window_count(p_started timestamptz, p_count integer, p_lasts interval, p_now timestamptz)
returns integer language sql stable
return case when p_started + p_lasts > p_now then p_count else 0 end;

-- Epoch milliseconds, rounded up: a window never ends later than it is said to.
create function meter_ms(p_time timestamptz) returns double precision language sql stable
return ceil(extract(epoch from p_time) * 1000);

--> statement-breakpoint
-- The end of a plan's nth period. Counted from the plan's start, so that the 31st stays the 31st, and
-- in UTC, so that no session's time zone moves it.
create function plan_period_end(p_started timestamptz, p_periods integer)
returns timestamptz language sql stable
return (p_started at time zone 'UTC' + make_interval(months => p_periods)) at time zone 'UTC';

--> statement-breakpoint
-- An account's grants, and what is left of each once what was spent is taken from them, soonest to
-- expire first (D15).
create function meter_grants(p_account uuid)
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

--> statement-breakpoint
-- Takes what was spent from the grants. The caller holds the account's lock.
create function meter_allot(p_account uuid) returns void language sql as $$
  with burned as materialized (
    select id, spent from meter_grants(p_account) where spent > 0
  ), allotted as (
    update credit_grants g set remaining = g.remaining - burned.spent
      from burned where g.id = burned.id
  )
  update accounts set unallotted = unallotted - (select coalesce(sum(spent), 0) from burned)
   where id = p_account
$$;

--> statement-breakpoint
-- Credits in, with their ledger entry. The caller holds the account's lock and has settled.
create function meter_add(
  p_account uuid, p_source text, p_amount integer, p_expires timestamptz, p_now timestamptz
) returns bigint language plpgsql as $$
declare
  v_grant uuid;
  v_balance bigint;
begin
  -- What was spent so far burned the older grants, even if the new one expires sooner.
  perform meter_allot(p_account);
  insert into credit_grants (account_id, source, amount, remaining, expires_at, created_at)
  values (p_account, p_source, p_amount, p_amount, p_expires, p_now) returning id into v_grant;
  update accounts set balance = balance + p_amount, settle_at = least(settle_at, p_expires)
   where id = p_account returning balance into v_balance;
  insert into ledger (account_id, at, kind, credits, balance_after, grant_id)
  values (p_account, p_now, 'grant', p_amount, v_balance, v_grant);
  return v_balance;
end $$;

--> statement-breakpoint
-- Whatever fell due by p_now. The caller holds the account's lock.
create function meter_settle(p_account uuid, p_now timestamptz) returns void language plpgsql as $$
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

--> statement-breakpoint
-- Locks the account, brings it up to date and returns the time that holds for what follows; null
-- where there is no such account. Every change of an account's money or tier begins with it.
create function meter_open(p_account uuid) returns timestamptz language plpgsql as $$
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

--> statement-breakpoint
-- Brings each grant's `remaining` up to date, for whoever wants to see them. Null where there is no such account.
create function meter_review(p_account uuid) returns timestamptz language plpgsql as $$
declare
  v_now timestamptz := meter_open(p_account);
begin
  perform meter_allot(p_account);
  return v_now;
end $$;

--> statement-breakpoint
-- Credits given from outside. Returns the balance after, or null where there is no such account.
-- `p_lasts` or `p_expires` says when they end; neither: never.
create function meter_grant(
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

--> statement-breakpoint
-- A plan begins now: its tier, and its credits until the period's end. What is left of an earlier
-- plan's credits stays until its own expiry: it was paid for. False where there is no such account.
create function meter_start_plan(
  p_account uuid, p_plan text, p_tier text, p_credits integer, p_renews boolean
) returns boolean language plpgsql as $$
declare
  v_now timestamptz := meter_open(p_account);
  v_ends timestamptz := plan_period_end(v_now, 1);
begin
  if v_now is null then return false; end if;
  update accounts
     set tier = p_tier, plan = p_plan, plan_credits = p_credits, plan_renews = p_renews,
         plan_started_at = v_now, plan_ends_at = v_ends, settle_at = least(settle_at, v_ends)
   where id = p_account;
  if p_credits > 0 then perform meter_add(p_account, 'plan', p_credits, v_ends, v_now); end if;
  return true;
end $$;

--> statement-breakpoint
-- Ends a plan now, with what is left of its credits, or at its period's end. False where the account has none.
create function meter_stop_plan(p_account uuid, p_at_end boolean) returns boolean language plpgsql as $$
declare
  v_now timestamptz := meter_open(p_account);
begin
  update accounts
     set plan_renews = false, plan_ends_at = case when p_at_end then plan_ends_at else v_now end
   where id = p_account and plan is not null;
  if not found then return false; end if;
  if not p_at_end then
    -- What was spent so far burned the grants in the order that held then.
    perform meter_allot(p_account);
    update credit_grants set expires_at = v_now
     where account_id = p_account and source = 'plan' and remaining > 0 and expires_at > v_now;
    perform meter_settle(p_account, v_now);
  end if;
  return true;
end $$;

--> statement-breakpoint
-- One call, as `src/metering/meter.ts` writes it.
create type meter_call as (
  account uuid,          -- the key's account
  key uuid,
  price integer,         -- credits of the call, 0 for one that is free
  reveal_price integer,  -- credits if it turns out to be a first reveal
  refusal text,          -- gate 5 or 6 has failed: 'parameters' or 'scope'; else null
  record_exists boolean, -- the record exists (gate 8)
  person uuid,           -- the contact whose unlock sets the price, if one person is read
  reveal boolean,        -- include=private, and there is (or may be) something to reveal
  contacts text,         -- contacts in the answer, with a space between: which ones has the account unlocked?
  channels boolean,      -- whether the answer shows the channels of those
  identity boolean,      -- whether the answer names the account (/v1/me)
  idempotency_key text,
  fingerprint text,      -- of path and query, beside an idempotency_key
  request_id text,
  endpoint text
);

--> statement-breakpoint
-- What a tier allows, as `src/metering/tiers.ts` has it.
create type meter_rule as (
  tier text,
  rate_limit integer, rate_window interval,
  reveal_limit integer, reveal_window interval,
  sampled boolean,       -- a sample, not a 402, when the balance is below the price
  unlimited boolean      -- no credit ceiling (D16)
);

--> statement-breakpoint
-- Decides and charges a group of calls, at most one per account; p_rules has one rule per tier.
-- Returns the outcomes in the calls' order; the names are those of `Outcome` in `src/metering/meter.ts`.
--
-- First it locks the accounts, then it looks: each statement in here sees what was committed when it
-- begins, so what is decided on (keys, unlocks, retries) is as the account's last call left it.
--
-- A group waits for nobody: an account that another transaction holds is skipped and its call answered
-- 'busy', which charges and counts nothing and is asked again by the caller. So one stuck transaction
-- can't hold up a group, and two groups can't deadlock.
--
-- The settings keep its plans what they should be from the first call on, when the tables are empty:
-- made once a session, and every row found by its key.
create function meter_charge(p_calls meter_call[], p_rules meter_rule[]) returns table (
  outcome text, charged integer, required integer, balance double precision, tier text,
  "rateLimit" integer, "rateRemaining" integer, "rateResetMs" double precision,
  "revealResetMs" double precision, "nowMs" double precision, unlocked json, account json
) language plpgsql
  set jit = off
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_locked uuid[];
  v_busy boolean;  -- whether any was skipped
  v_settle_at timestamptz;
  v_now timestamptz;
  v_due uuid;
begin
  select array_agg(a.id), min(a.settle_at) into v_locked, v_settle_at from (
    select x.id, x.settle_at from accounts x
     where x.id = any (array(select call.account from unnest(p_calls) as call))
       for update skip locked
  ) a;
  v_busy := cardinality(v_locked) is distinct from cardinality(p_calls);
  v_now := meter_now();

  if v_settle_at <= v_now then
    for v_due in select id from accounts where id = any (v_locked) and settle_at <= v_now loop
      perform meter_settle(v_due, v_now);
    end loop;
  end if;

  return query
  -- What holds at this moment: windows that ended begin anew (D22), unlocks and retries are looked up.
  -- `offset 0` has all that computed once, where it would else be written out wherever it is used.
  with state as (
    select call.*, a.id, a.balance, a.unlock_count, rule.*,
           v_busy and a.id is not null and a.id = any (v_locked) is not true as busy,
           not exists (select from api_keys k
                        where k.id = call.key and k.account_id = a.id
                          and (k.revoked_at > v_now) is not false) as revoked,
           window_start(a.rate_started_at, rule.rate_window, v_now) as rate_started_at,
           window_count(a.rate_started_at, a.rate_count, rule.rate_window, v_now) as rate_used,
           window_start(a.reveal_started_at, rule.reveal_window, v_now) as reveal_started_at,
           window_count(a.reveal_started_at, a.reveal_count, rule.reveal_window, v_now) as reveals_used,
           call.reveal and not exists (select from unlocks u
                                        where u.account_id = a.id and u.person_id = call.person) as first_reveal,
           -- Whether it repeats the call that bound its key; null where none has.
           case when call.idempotency_key is not null then (
             select i.fingerprint = call.fingerprint from idempotency_keys i
              where i.account_id = a.id and i.key = call.idempotency_key
                and i.charged_at > v_now - interval '24 hours') end as replay
      from unnest(p_calls) with ordinality as call
      left join accounts a on a.id = call.account
      left join unnest(p_rules) as rule on rule.tier = a.tier
    offset 0
  ),
  priced as (
    select *, case when first_reveal then reveal_price else price end as quote
      from state
  ),
  -- The gates of D1, in their order. The first that fails answers.
  decided as materialized (
    select case
             when busy                                              then 'busy'
             when revoked                                           then 'revoked'       -- 3
             when rate_used >= rate_limit                           then 'rate_limited'  -- 4
             when refusal = 'parameters'                            then 'refused'       -- 5
             when not replay                                        then 'key_reused'    -- 5
             when refusal is not null                               then 'refused'       -- 6
             when price = 0                                         then 'free'
             when replay is null and not unlimited and balance < quote
                  and sampled                                       then 'sample'        -- 7
             when replay is null and not unlimited and balance < quote
                                                                    then 'insufficient'  -- 7
             when not record_exists                                 then 'not_found'     -- 8
             when replay                                            then 'replayed'
             when first_reveal and reveals_used >= reveal_limit     then 'reveal_cap'    -- 9
             else 'charged'                                                              -- 10
           end as outcome,
           ordinality as position, id, tier, balance, quote, reveal_price, first_reveal, unlock_count,
           rate_limit, rate_window, rate_started_at, rate_used, reveal_window, reveal_started_at, reveals_used,
           key, person, contacts, channels, identity, idempotency_key, fingerprint, request_id, endpoint
      from priced
  ),
  settled as not materialized (
    select *,
           case when outcome = 'charged' then quote else 0 end as charged,
           balance - case when outcome = 'charged' then quote else 0 end as balance_after,
           case when outcome = 'charged' and first_reveal then person end as unlocks,
           rate_used + (outcome not in ('revoked', 'rate_limited'))::integer as rate_used_after
      from decided
  ),
  counted as (
    update accounts a
       set balance = s.balance_after,
           unallotted = a.unallotted + s.charged,
           rate_started_at = s.rate_started_at,
           rate_count = s.rate_used_after,
           reveal_started_at = case when s.unlocks is null then a.reveal_started_at else s.reveal_started_at end,
           reveal_count = case when s.unlocks is null then a.reveal_count else s.reveals_used + 1 end,
           unlock_count = a.unlock_count + (s.unlocks is not null)::integer
      from settled s
     where a.id = s.id and s.outcome not in ('busy', 'revoked', 'rate_limited')
  ),
  entered as (
    insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id, person_id)
    select s.id, v_now, 'charge', -s.charged, s.balance_after, s.request_id, s.endpoint, s.key, s.unlocks
      from settled s where s.charged > 0
  ),
  unlocked as (
    insert into unlocks (account_id, person_id, at)
    select s.id, s.unlocks, v_now from settled s where s.unlocks is not null
  ),
  bound as (
    insert into idempotency_keys (account_id, key, fingerprint, charged_at)
    select s.id, s.idempotency_key, s.fingerprint, v_now
      from settled s where s.outcome = 'charged' and s.idempotency_key is not null
    on conflict (account_id, key) do update
      set fingerprint = excluded.fingerprint, charged_at = excluded.charged_at
  ),
  -- Which contacts of each answer the account has unlocked, the one that this call unlocks included.
  -- Private channels leave the database here and nowhere else.
  shown as materialized (
    select s.position, json_agg(json_build_object(
             'id', c.person_id, 'email', p.email, 'phone', p.phone,
             'telegram', p.telegram, 'linkedinUrl', p.linkedin_url)) as contacts
      from settled s
     cross join lateral (
             select u.person_id from unlocks u
              where u.account_id = s.id and u.person_id = any (string_to_array(s.contacts, ' ')::uuid[])
             union all
             select s.unlocks where s.unlocks is not null
           ) c
      left join private_channels p on s.channels and p.person_id = c.person_id
     where s.outcome in ('charged', 'replayed') and (s.unlock_count > 0 or s.unlocks is not null)
     group by s.position
  )
  select s.outcome, s.charged,
         -- A sample says the same price whichever contact was named, or none: it looks nothing up.
         case when s.outcome = 'sample' then s.reveal_price else s.quote end,
         s.balance_after::double precision, s.tier,
         s.rate_limit, greatest(0, s.rate_limit - s.rate_used_after), meter_ms(s.rate_started_at + s.rate_window),
         case when s.outcome = 'reveal_cap' then meter_ms(s.reveal_started_at + s.reveal_window) end,
         meter_ms(v_now),
         shown.contacts,
         case when s.identity and s.outcome = 'free'
              then (select json_build_object('name', a.name, 'email', a.email, 'organization', a.organization)
                      from accounts a where a.id = s.id) end
    from settled s left join shown on shown.position = s.position
   order by s.position;
end $$;

--> statement-breakpoint
-- Counts a failed authentication of an address and says how many its window holds (D23).
create function meter_reject(p_address text, p_seconds integer) returns json language sql as $$
  insert into rejected_keys as r (address, started_at, count)
  values (p_address, meter_now(), 1)
  on conflict (address) do update
    set started_at = window_start(r.started_at, make_interval(secs => p_seconds), excluded.started_at),
        count = window_count(r.started_at, r.count, make_interval(secs => p_seconds), excluded.started_at) + 1
  returning json_build_object(
    'count', count,
    'resetMs', meter_ms(started_at + make_interval(secs => p_seconds)),
    'nowMs', meter_ms(meter_now()))
$$;

--> statement-breakpoint
-- An entry of the ledger stands for good (D14): what was wrong is put right by another entry.
create function ledger_stands() returns trigger language plpgsql as $$
begin
  raise exception 'ledger entries are never changed' using errcode = 'restrict_violation';
end $$;

--> statement-breakpoint
create trigger ledger_stands before update or delete or truncate on ledger
  for each statement execute function ledger_stands();
