-- The meter: how a group of calls is decided and charged, gates 3 to 10 of a call.
-- The types `meter_call` and `meter_rule` stand in `0001_meter.sql`, and `src/money/charge/transport.ts` writes them;
-- those of the steps in between stand in `0008_meter_steps.sql`.

-- Refuses a whole group: raises, so that nothing of its statement is written.
create or replace function meter_refuse(p_reason text) returns text language plpgsql as $$
begin
  raise exception 'the meter refuses these calls: %', p_reason using errcode = 'invalid_parameter_value';
end $$;

-- A contact as an answer shows it. Private channels leave the database here and nowhere else.
create or replace function meter_contact(p_person uuid, p_channels private_channels) returns json
language sql stable
return json_build_object(
  'id', p_person, 'email', (p_channels).email, 'phone', (p_channels).phone,
  'telegram', (p_channels).telegram, 'linkedinUrl', (p_channels).linkedin_url);

-- The gates in their order: the first that fails answers. Everything that decides stands here, for calls alone and for groups.
-- `p_may_spend` is null where the account has no such key in force, and above any price where the key has no cap. A repeat
-- (`p_is_repeat`) is null for a call whose idempotency key is new, or that has none.
create or replace function meter_outcome(
  p_may_spend integer, p_rate_used integer, p_rate_limit integer, p_suspended_at timestamptz, p_refusal text, p_is_repeat boolean,
  p_repeats integer, p_price integer, p_balance bigint, p_unlimited boolean, p_sampled boolean, p_found boolean,
  p_first_reveal boolean, p_reveals_used integer, p_reveal_limit integer, p_is_quote boolean
) returns text language sql immutable
return case
  when p_may_spend is null                                 then 'revoked'       -- 3
  when p_rate_used + p_is_quote::integer >= p_rate_limit   then 'rate_limited'  -- 4
  when p_suspended_at is not null                          then 'suspended'     -- 4
  when p_refusal = 'parameters'                            then 'refused'       -- 5
  when not p_is_repeat                                     then 'key_reused'    -- 5
  when p_repeats >= 5                                      then 'key_exhausted' -- 5
  when p_refusal = 'scope'                                 then 'refused'       -- 6
  -- The records of that day may have had the value.
  when p_refusal is not null and p_is_repeat is not true   then 'refused'       -- 5
  when p_price = 0                                         then 'free'
  when p_is_repeat is null and not p_unlimited and p_balance < p_price
       and p_sampled                                       then 'sample'        -- 7
  when p_is_repeat is null and not p_unlimited and p_balance < p_price
                                                           then 'insufficient'  -- 7
  when p_is_repeat is null and p_may_spend < p_price       then 'key_cap'       -- 7
  when p_found is not true                                 then 'not_found'     -- 8
  when p_is_repeat                                         then 'replayed'
  when p_first_reveal and p_reveals_used >= p_reveal_limit then 'reveal_cap'    -- 9
  when p_is_quote                                          then 'quoted'
  else 'charged'                                                                -- 10
end;

-- Decides and charges a group of calls, at most one per account; p_rules has one rule per tier.
-- Returns the outcomes in the calls' order; the names are those of `Outcome` in `src/money/charge/call.ts`.
--
-- p_quotes says of each call, in their order, whether it only asks what would become of it; where it is empty, none does.
-- A quote takes the same way, and counts as a request. Its outcome is that of the call that follows it, so 'rate_limited' where
-- the quote itself took the last request of the window, and 'quoted' where the call would be charged. Nothing is charged,
-- unlocked, bound or shown.
--
-- The function trusts no caller. It refuses a group with two calls of one account, a tier without a
-- rule or a price below zero, and it looks up itself what decides a reveal's price: that the person exists
-- and that a private channel is on file.
--
-- It locks the accounts first and looks afterwards: each statement in here sees what was committed when it
-- begins, so keys, unlocks and retries are as the account's last call left them.
--
-- A call whose price is 0 is free, and so is a reveal that costs nothing but the first time, once it is no first one: the
-- application's.
--
-- It waits for nobody: where another transaction holds an account, that call is answered 'busy', which
-- charges and counts nothing, and the caller sends it again. So one stuck transaction can't hold up a
-- group, and two groups can't deadlock.
--
-- To begin a statement costs more than to decide a call, and the more expressions it has, the more. So what only some calls
-- need (people, reveals, idempotency keys, unlocked contacts, the account's name) stands in statements of its own, which other
-- groups don't begin. And a call or two, who would pay for the group's statements alone, are decided by short ones, which
-- take two thirds of the time; `test/money/charge/both-ways.test.ts` sends calls both ways.
--
-- The settings keep its plans good from the first call on, when the tables are empty: each session plans
-- once, and finds every row by its key. No lookup is an `exists`: PostgreSQL may answer that from a hash of
-- the whole table.
create or replace function meter_charge(p_calls meter_call[], p_rules meter_rule[], p_quotes boolean[]) returns table (
  outcome text, charged integer, required integer, balance double precision, tier text,
  "rateLimit" integer, "rateRemaining" integer, "rateResetMs" double precision,
  "revealResetMs" double precision, "keyCap" json, "nowMs" double precision, unlocked json, account json
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
  v_busy boolean;      -- whether an account was skipped, or is not there
  v_settle_at timestamptz;
  v_now timestamptz;
  v_now_ms double precision;
  v_due uuid;
  v_has_facts boolean;   -- whether a call names a person or carries an idempotency key
  v_has_extras boolean;  -- whether an answer may show an unlocked contact or the account's name
  v_has_missing boolean; -- whether a call names a person who is not there, or no longer by that id
  v_has_caps boolean;    -- whether a call's key has a cap
  -- One element for each call, in the calls' order.
  v_facts meter_facts[];        -- null where no call has facts
  v_decided meter_decision[];
  v_caps json[];                -- null where no key has a cap
  v_contacts json[];            -- these two are null where no answer has extras
  v_names json[];
  -- A call that needs short statements only.
  v_call meter_call;
  v_rule meter_rule;
  v_account record;
  v_may_spend integer;
  v_has_cap boolean;
  v_is_ordinary boolean;
  v_started timestamptz;
  v_used integer;
begin
  if cardinality(p_calls) <= 2 and cardinality(p_quotes) = 0 and (p_calls[1]).account is distinct from (p_calls[2]).account then
    foreach v_call in array p_calls loop
      v_is_ordinary := not v_call.reveal and not v_call.identity and v_call.idempotency_key is null
                       and v_call.price >= 0 and v_call.reveal_price >= 0;
      if v_is_ordinary then
        select a.tier, a.balance, a.unlock_count, a.settle_at, a.suspended_at, a.rate_started_at, a.rate_count
          into v_account from accounts a where a.id = v_call.account for update skip locked;
        v_now := meter_now();
        select case when key_in_force(k.revoked_at, k.expires_at, v_now) then 2147483647 end, k.cap_id is not null
          into v_may_spend, v_has_cap from api_keys k where k.id = v_call.key and k.account_id = v_call.account;
        foreach v_rule in array p_rules loop
          exit when v_rule.tier = v_account.tier;
        end loop;
        v_is_ordinary := v_rule.tier = v_account.tier and v_rule is not null
                         and v_has_cap is not true and (v_account.settle_at <= v_now) is not true;
        if v_call.person is not null then
          v_is_ordinary := v_is_ordinary and pg_try_advisory_xact_lock_shared(unlocks_lock());
          select v_is_ordinary into v_is_ordinary from people p where p.id = v_call.person;
        end if;
      end if;
      if v_is_ordinary is not true then
        -- Any `p_quotes` asks for the group's statements.
        return query select * from meter_charge(array[v_call], p_rules, '{false}');
        continue;
      end if;

      v_started := window_start(v_account.rate_started_at, v_rule.rate_window, v_now);
      v_used := window_count(v_account.rate_started_at, v_account.rate_count, v_rule.rate_window, v_now);
      outcome := meter_outcome(v_may_spend, v_used, v_rule.rate_limit, v_account.suspended_at, v_call.refusal, null, null,
                               v_call.price, v_account.balance, v_rule.unlimited, v_rule.sampled, v_call.record_exists,
                               false, null, null, false);
      charged := case when outcome = 'charged' then v_call.price else 0 end;
      if outcome <> 'revoked' and v_used < v_rule.rate_limit then
        v_used := v_used + 1;
        update accounts a
           set balance = a.balance - charged, unallotted = a.unallotted + charged, rate_started_at = v_started, rate_count = v_used
         where a.id = v_call.account;
      end if;
      if charged > 0 then
        insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id)
        values (v_call.account, v_now, 'charge', -charged, v_account.balance - charged, v_call.request_id, v_call.endpoint, v_call.key);
      end if;
      unlocked := null;
      if v_account.unlock_count > 0 and v_call.contacts is not null and outcome = 'charged' then
        select json_agg(meter_contact(u.person_id, c)) into unlocked
          from unlocks u left join private_channels c on v_call.channels and c.person_id = u.person_id
         where u.account_id = v_call.account and u.person_id = any (string_to_array(v_call.contacts, ' ')::uuid[]);
      end if;
      required := case when outcome = 'sample' then v_call.reveal_price else v_call.price end;
      balance := v_account.balance - charged;
      tier := v_account.tier;
      "rateLimit" := v_rule.rate_limit;
      "rateRemaining" := greatest(0, v_rule.rate_limit - v_used);
      "rateResetMs" := meter_ms(v_started + v_rule.rate_window);
      "nowMs" := meter_ms(v_now);
      return next;
    end loop;
    return;
  end if;

  -- 1. Lock.
  select array_agg(distinct locked.id), min(locked.settle_at), bool_or(locked.has_facts), bool_or(locked.has_extras)
    into v_locked, v_settle_at, v_has_facts, v_has_extras
    from (
      select a.id, a.settle_at,
             call.person is not null or call.idempotency_key is not null as has_facts,
             call.reveal or call.identity or (a.unlock_count > 0 and call.contacts is not null) as has_extras
        from unnest(p_calls) as call join accounts a on a.id = call.account
         for update of a skip locked
    ) locked;
  v_busy := cardinality(v_locked) is distinct from cardinality(p_calls);
  v_now := meter_now();
  v_now_ms := meter_ms(v_now);

  if v_busy then
    if (select count(call.account) > count(distinct call.account) from unnest(p_calls) as call) then
      perform meter_refuse('two calls of one account');
    end if;
  end if;

  if v_settle_at <= v_now then
    for v_due in select id from accounts where id = any (v_locked) and settle_at <= v_now loop
      perform meter_settle(v_due, v_now);
    end loop;
  end if;

  -- 2. Look. A reveal's price and the channels that it shows come from one statement, so that nobody pays for
  -- channels that another transaction deletes in between.
  if v_has_facts then
    -- Before the look: what it finds is not merged into another until this commits (`merge.sql`).
    if not pg_try_advisory_xact_lock_shared(unlocks_lock()) then
      perform pg_advisory_xact_lock_shared(unlocks_lock());
    end if;
    select bool_or(call.person is not null and p.id is null), array_agg(row(
             case when p.id is not null then true end,
             concat(c.email, c.phone, c.telegram, c.linkedin_url) <> '',
             case when call.reveal then meter_contact(call.person, case when call.channels then c end) end,
             -- As a range, so that the planner never takes the index on the person alone, which reads the unlocks of all accounts.
             call.reveal and (
               select true from unlocks u where u.account_id = call.account and u.person_id between call.person and call.person),
             first.charged_at, first.repeats, first.fingerprint = call.fingerprint
           )::meter_facts order by call.ordinality)
      into v_has_missing, v_facts
      from unnest(p_calls) with ordinality as call
      left join people p on p.id = call.person
      left join private_channels c on call.reveal and c.person_id = call.person
      left join lateral (
             select * from idempotency_keys as i
              where i.account_id = call.account and i.key = call.idempotency_key
                and i.charged_at > v_now - interval '24 hours'
              limit 1) as first on true;
    -- An instance that has not heard of a merge is answered with the person who stayed, at that one's price.
    if v_has_missing and exists (
      select from unnest(p_calls) as call join redirects r on r.id = call.person and r.kind = 'person'
       where not exists (select from people p where p.id = call.person)
    ) then
      return query select * from meter_charge_merged(p_calls, p_rules, p_quotes);
      return;
    end if;
  end if;

  -- 3. Decide and charge. First comes what holds at this moment: windows that ended begin anew.
  -- `offset 0` has PostgreSQL compute all that once; else it would write it out wherever it is used.
  with state as (
    select call.*, a.id, a.ctid as place, a.balance, a.unlock_count, a.suspended_at, rule.*,
           rule is not null as has_rule,
           v_busy and a.id is not null and a.id = any (v_locked) is not true as busy,
           p_quotes[call.ordinality] is true as is_quote,
           -- Credits that the key may spend: null where the account has no such key in force, above any price where it
           -- has no cap. One sub-select, because each is begun for each call.
           (select case when not key_in_force(k.revoked_at, k.expires_at, v_now) then null
                        when k.cap_id is null then 2147483647
                        else (select c.credits - key_cap_spent(c, v_now) from key_caps c where c.id = k.cap_id) end
              from api_keys k where k.id = call.key and k.account_id = a.id) as may_spend,
           window_start(a.rate_started_at, rule.rate_window, v_now) as rate_started_at,
           window_count(a.rate_started_at, a.rate_count, rule.rate_window, v_now) as rate_used,
           window_start(a.reveal_started_at, rule.reveal_window, v_now) as reveal_started_at,
           window_count(a.reveal_started_at, a.reveal_count, rule.reveal_window, v_now) as reveals_used,
           call.record_exists and (call.person is null or call.person_exists is true) as found
      from unnest(p_calls, v_facts) with ordinality as call
      left join accounts a on a.id = call.account
      left join lateral (select * from unnest(p_rules) as rule where rule.tier = a.tier limit 1) as rule on true
    offset 0
  ),
  -- A contact without a channel has nothing to reveal. A contact that is not there has the price of a
  -- reveal, so that gate 7, which comes before gate 8, tells nothing about it.
  revealing as (
    select *, reveal and was_revealed is not true and (has_channels is true or not found) as first_reveal
      from state
  ),
  priced as (
    select *, case when first_reveal then reveal_price else price end as quote
      from revealing
  ),
  -- Calls that no program of ours sends are refused.
  decided as materialized (
    select case
             when (price >= 0 and reveal_price >= 0) is not true    then meter_refuse('a price is below zero, or none')
             when busy                                              then 'busy'
             when id is not null and not has_rule                   then meter_refuse('a tier has no whole rule')
             else meter_outcome(may_spend, rate_used, rate_limit, suspended_at, refusal, is_repeat, repeats, quote, balance, unlimited,
                                sampled, found, first_reveal, reveals_used, reveal_limit, is_quote)
           end as outcome,
           ordinality as position, id, place, may_spend, tier, balance, quote, reveal_price, first_reveal, unlock_count,
           rate_limit, rate_window, rate_started_at, rate_used, reveal_window, reveal_started_at, reveals_used,
           key, person, request_id, endpoint
      from priced
  ),
  settled as not materialized (
    select *,
           case when outcome = 'charged' then quote else 0 end as charged,
           balance - case when outcome = 'charged' then quote else 0 end as balance_after,
           case when outcome = 'charged' and first_reveal then person end as unlocks,
           rate_used + (outcome not in ('busy', 'revoked') and rate_used < rate_limit)::integer as rate_used_after
      from decided
  ),
  -- By the row's place: it can't move, because it is locked, and no index need be searched again.
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
     where a.ctid = s.place and s.rate_used_after > s.rate_used
  ),
  entered as (
    insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id, person_id)
    select s.id, v_now, 'charge', -s.charged, s.balance_after, s.request_id, s.endpoint, s.key, s.unlocks
      from settled s where s.charged > 0
  )
  select array_agg(row(
           s.outcome, s.charged,
           -- A sample says the same price whichever contact was named, or none.
           case when s.outcome = 'sample' then s.reveal_price else s.quote end,
           s.balance_after, s.tier,
           s.rate_limit, greatest(0, s.rate_limit - s.rate_used_after), meter_ms(s.rate_started_at + s.rate_window),
           case when s.outcome = 'reveal_cap' then meter_ms(s.reveal_started_at + s.reveal_window) end,
           s.unlocks, s.unlock_count
         )::meter_decision order by s.position),
         min(s.may_spend) < 2147483647
    into v_decided, v_has_caps
    from settled s;

  if v_has_caps then
    update key_caps c
       set period_started_at = key_cap_started(c, v_now), spent = key_cap_spent(c, v_now) + d.charged
      from unnest(p_calls, v_decided) as d join api_keys k on k.id = d.key
     where d.charged > 0 and c.id = k.cap_id;

    select array_agg(
             case when d.outcome = 'key_cap' or (d.identity and d.outcome = 'free') then (
               select key_cap_said(c, v_now) from api_keys k join key_caps c on c.id = k.cap_id where k.id = d.key) end
             order by d.ordinality)
      into v_caps from unnest(p_calls, v_decided) with ordinality as d;
  end if;

  if v_has_facts then
    insert into unlocks (account_id, person_id, at)
    select d.account, d.unlocks, v_now from unnest(p_calls, v_decided) as d where d.unlocks is not null;

    insert into idempotency_keys as i (account_id, key, fingerprint, charged_at)
    select d.account, d.idempotency_key, d.fingerprint, coalesce(d.first_charged_at, v_now)
      from unnest(p_calls, v_facts, v_decided) with ordinality as d
     where d.outcome in ('charged', 'replayed') and d.idempotency_key is not null
       and p_quotes[d.ordinality] is not true
    on conflict (account_id, key) do update
      set fingerprint = excluded.fingerprint, charged_at = excluded.charged_at,
          repeats = case when i.charged_at = excluded.charged_at then i.repeats + 1 else 0 end;
  end if;

  -- 4. Answer. Which contacts has the account unlocked, the one that this call unlocks included? A repeat knows
  -- the unlocks of the moment at which its first call was charged, and none that came later.
  if v_has_extras then
    select array_agg(extra.contacts order by extra.ordinality), array_agg(extra.name order by extra.ordinality)
      into v_contacts, v_names
      from (
        select d.ordinality,
               case when d.outcome in ('charged', 'replayed') and p_quotes[d.ordinality] is not true
                     and (d.unlock_count > 0 or d.unlocks is not null) then (
                 select json_agg(shown.contact) from (
                   select meter_contact(u.person_id, c) as contact
                     from unlocks u
                     left join private_channels c on d.channels and c.person_id = u.person_id
                    where u.account_id = d.account and u.person_id = any (string_to_array(d.contacts, ' ')::uuid[])
                      and u.person_id is distinct from d.unlocks
                      and (d.outcome = 'charged' or u.at <= d.first_charged_at)
                    union all
                   select d.contact where d.unlocks is not null) as shown) end as contacts,
               case when d.identity and d.outcome = 'free' then (
                 select json_build_object('name', a.name, 'email', a.email, 'organization', a.organization)
                   from accounts a where a.id = d.account) end as name
          from unnest(p_calls, v_facts, v_decided) with ordinality as d
        offset 0
      ) as extra;
  end if;

  return query
  select d.outcome, d.charged, d.required, d.balance, d.tier,
         d.rate_limit, d.rate_remaining, d.rate_reset_ms, d.reveal_reset_ms, v_caps[d.ordinality], v_now_ms,
         v_contacts[d.ordinality], v_names[d.ordinality]
    from unnest(v_decided) with ordinality as d
   order by d.ordinality;
end $$;

-- As instances call it that know neither quotes nor limits of keys nor suspended accounts, while they are replaced. A cap that is
-- reached and a suspended account look like a balance that is too low, and a key with networks is refused, because no such instance
-- looks at addresses.
create or replace function meter_charge(p_calls meter_call[], p_rules meter_rule[]) returns table (
  outcome text, charged integer, required integer, balance double precision, tier text,
  "rateLimit" integer, "rateRemaining" integer, "rateResetMs" double precision,
  "revealResetMs" double precision, "nowMs" double precision, unlocked json, account json
) language plpgsql as $$
#variable_conflict use_column
declare
  v_calls meter_call[] := p_calls;
begin
  for i in 1 .. cardinality(p_calls) loop
    if (select networks is not null from api_keys where id = p_calls[i].key) then
      v_calls[i].key := null;
    end if;
  end loop;
  return query
  select case when m.outcome in ('key_cap', 'suspended') then 'insufficient' else m.outcome end, m.charged, m.required, m.balance, m.tier,
         m."rateLimit", m."rateRemaining", m."rateResetMs", m."revealResetMs", m."nowMs", m.unlocked, m.account
    from meter_charge(v_calls, p_rules, '{}') with ordinality m
   order by m.ordinality;
end $$;

-- Does what a charge does and leaves nothing: locks the tables, adds an entry to the ledger and takes it back, writes the end of a
-- transaction to the log, and needs some new blocks on the disk, because the last block of a table may have room on a full one.
-- Raises what a charge would.
create or replace function meter_probe() returns void language plpgsql set work_mem = '64kB' as $$
begin
  begin
    update accounts set balance = balance where id = no_key();
    insert into ledger (account_id, at, kind, credits, balance_after) values (no_key(), meter_now(), 'charge', 0, 0);
    raise exception using errcode = 'CK000';
  exception when sqlstate 'CK000' then
    null;
  end;
  -- 450 kB, which don't fit into memory, so that they are sorted on the disk.
  perform max(length(line)) from (select repeat(n::text, 300) as line from generate_series(1, 500) n order by n desc offset 0) sorted;
end $$;
