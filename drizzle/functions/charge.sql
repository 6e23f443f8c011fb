-- The meter: how a group of calls is decided and charged, gates 3 to 10 of D1, and how rejected keys are counted.
-- The types `meter_call` and `meter_rule` stand in `0001_meter.sql`; `src/metering/transport.ts` writes them.

-- Refuses a whole group: raises, so that nothing of its statement is written.
create or replace function meter_refuse(p_reason text) returns text language plpgsql as $$
begin
  raise exception 'the meter refuses these calls: %', p_reason using errcode = 'invalid_parameter_value';
end $$;

-- Decides and charges a group of calls, at most one per account; p_rules has one rule per tier.
-- Returns the outcomes in the calls' order; the names are those of `Outcome` in `src/metering/call.ts`.
--
-- The statement trusts no caller (D41). It refuses a group with two calls of one account, a tier without a
-- rule or a price below zero, and it looks up itself what decides a reveal's price: that the person exists
-- and that a private channel is on file.
--
-- It locks the accounts first and looks afterwards: each statement in here sees what was committed when it
-- begins, so keys, unlocks and retries are as the account's last call left them.
--
-- It waits for nobody: where another transaction holds an account, that call is answered 'busy', which
-- charges and counts nothing, and the caller sends it again. So one stuck transaction can't hold up a
-- group, and two groups can't deadlock.
--
-- The settings keep its plans good from the first call on, when the tables are empty: each session plans
-- once, and finds every row by its key.
create or replace function meter_charge(p_calls meter_call[], p_rules meter_rule[]) returns table (
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
  v_busy boolean;  -- whether an account was skipped, or is not there
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

  -- Two calls of one account lock one row, so this looks at nothing unless an account is missing.
  if v_busy and (select count(call.account) > count(distinct call.account) from unnest(p_calls) as call) then
    perform meter_refuse('two calls of one account');
  end if;

  if v_settle_at <= v_now then
    for v_due in select id from accounts where id = any (v_locked) and settle_at <= v_now loop
      perform meter_settle(v_due, v_now);
    end loop;
  end if;

  return query
  -- What holds at this moment: windows that ended begin anew (D22), and the call's records are looked up.
  -- `offset 0` has PostgreSQL compute all that once; else it would write it out wherever it is used.
  -- No lookup is an `exists`: PostgreSQL may answer that from a hash of the whole table.
  with state as (
    select call.*, a.id, a.balance, a.unlock_count, rule.*,
           rule is not null as has_rule,
           v_busy and a.id is not null and a.id = any (v_locked) is not true as busy,
           (select (k.revoked_at > v_now) is not false from api_keys k
             where k.id = call.key and k.account_id = a.id) is not true as revoked,
           window_start(a.rate_started_at, rule.rate_window, v_now) as rate_started_at,
           window_count(a.rate_started_at, a.rate_count, rule.rate_window, v_now) as rate_used,
           window_start(a.reveal_started_at, rule.reveal_window, v_now) as reveal_started_at,
           window_count(a.reveal_started_at, a.reveal_count, rule.reveal_window, v_now) as reveals_used,
           call.record_exists
             and (call.person is null
                  or (select true from people p where p.id = call.person) is true) as found,
           call.reveal and (
             select concat(c.email, c.phone, c.telegram, c.linkedin_url) <> '' from private_channels c
              where c.person_id = call.person) is true as has_channels,
           call.reveal and (
             select true from unlocks u
              where u.account_id = a.id and u.person_id = call.person) is true as was_revealed,
           -- The call that bound its key, and whether this one repeats it (D20a); null where no call has.
           first.charged_at as first_charged_at,
           first.repeats,
           first.fingerprint = call.fingerprint as replay
      from unnest(p_calls) with ordinality as call
      left join accounts a on a.id = call.account
      left join idempotency_keys as first
        on first.account_id = a.id and first.key = call.idempotency_key
       and first.charged_at > v_now - interval '24 hours'
      left join lateral (select * from unnest(p_rules) as rule where rule.tier = a.tier limit 1) as rule on true
    offset 0
  ),
  -- A contact without a channel has nothing to reveal (D19). A contact that is not there has the price of a
  -- reveal, so that gate 7, which comes before gate 8, tells nothing about it.
  revealing as (
    select *, reveal and not was_revealed and (has_channels or not found) as first_reveal
      from state
  ),
  priced as (
    select *, case when first_reveal then reveal_price else price end as quote
      from revealing
  ),
  -- What no program of ours sends is refused. Then come the gates of D1 in their order: the first that fails answers.
  decided as materialized (
    select case
             when (price >= 0 and reveal_price >= 0) is not true    then meter_refuse('a price is below zero, or none')
             when busy                                              then 'busy'
             when id is not null and not has_rule                   then meter_refuse('a tier has no whole rule')
             when revoked                                           then 'revoked'       -- 3
             when rate_used >= rate_limit                           then 'rate_limited'  -- 4
             when refusal = 'parameters'                            then 'refused'       -- 5
             when not replay                                        then 'key_reused'    -- 5
             when repeats >= 5                                      then 'key_exhausted' -- 5
             when refusal is not null                               then 'refused'       -- 6
             when price = 0                                         then 'free'
             when replay is null and not unlimited and balance < quote
                  and sampled                                       then 'sample'        -- 7
             when replay is null and not unlimited and balance < quote
                                                                    then 'insufficient'  -- 7
             when found is not true                                 then 'not_found'     -- 8
             when replay                                            then 'replayed'
             when first_reveal and reveals_used >= reveal_limit     then 'reveal_cap'    -- 9
             else 'charged'                                                              -- 10
           end as outcome,
           ordinality as position, id, tier, balance, quote, reveal_price, first_reveal, unlock_count,
           rate_limit, rate_window, rate_started_at, rate_used, reveal_window, reveal_started_at, reveals_used,
           key, person, contacts, channels, identity, idempotency_key, fingerprint, request_id, endpoint,
           first_charged_at
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
    insert into idempotency_keys as i (account_id, key, fingerprint, charged_at)
    select s.id, s.idempotency_key, s.fingerprint, coalesce(s.first_charged_at, v_now)
      from settled s where s.outcome in ('charged', 'replayed') and s.idempotency_key is not null
    on conflict (account_id, key) do update
      set fingerprint = excluded.fingerprint, charged_at = excluded.charged_at,
          repeats = case when i.charged_at = excluded.charged_at then i.repeats + 1 else 0 end
  ),
  -- Which contacts of each answer the account has unlocked, the one that this call unlocks included. A repeat
  -- knows the unlocks of the moment at which its first call was charged, and none that came later.
  -- Private channels leave the database here and nowhere else.
  shown as materialized (
    select s.position, json_agg(json_build_object(
             'id', c.person_id, 'email', p.email, 'phone', p.phone,
             'telegram', p.telegram, 'linkedinUrl', p.linkedin_url)) as contacts
      from settled s
     cross join lateral (
             select u.person_id from unlocks u
              where u.account_id = s.id and u.person_id = any (string_to_array(s.contacts, ' ')::uuid[])
                and (s.outcome = 'charged' or u.at <= s.first_charged_at)
             union all
             select s.unlocks where s.unlocks is not null
           ) c
      left join private_channels p on s.channels and p.person_id = c.person_id
     where s.outcome in ('charged', 'replayed') and (s.unlock_count > 0 or s.unlocks is not null)
     group by s.position
  )
  select s.outcome, s.charged,
         -- A sample says the same price whichever contact was named, or none (D34).
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

-- Counts a failed authentication of an address. Returns how many its window holds (D23).
create or replace function meter_reject(p_address text, p_seconds integer) returns json language sql as $$
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
