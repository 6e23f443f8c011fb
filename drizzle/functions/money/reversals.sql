-- Reversals: credits follow money that goes back, by refunds and disputes, and come again with a dispute that is won.
--
-- `payment_claims` holds what the payment provider says of each refund and dispute. A claim only moves on through
-- its stages, so claims told in any order, and repeatedly, end the same. What is due back of a payment's credits is
-- computed from them anew each time:
--
--   an account keeps floor(credits * money kept / money charged) of a grant
--
-- An operator's refund of an order that was settled without a provider is a claim as well, by the order's own id.
-- Credits that are spent or expired stay so: no balance goes below zero.

-- The part of p_credits that is due back where p_reversed of p_charged went back. It rounds up: nobody keeps more than
-- was paid for. Where nothing was claimed p_charged is null and nothing is due.
create or replace function credits_due(p_credits integer, p_charged bigint, p_reversed bigint) returns integer
language sql immutable
return coalesce(p_credits - floor(p_credits::numeric * (p_charged - p_reversed) / p_charged)::integer, 0);

-- Takes credits of a grant back, or gives them again, until p_due of them are taken back or nothing is left. What
-- was taken back of a grant that has expired since does not come again. Returns how many were taken by this call,
-- below zero where they were given.
create or replace function grant_take_back(p_grant uuid, p_due integer) returns integer language plpgsql as $$
declare
  v_grant credit_grants;
  v_now timestamptz;
  v_taken integer;
  v_balance bigint;
begin
  select account_id into v_grant.account_id from credit_grants where id = p_grant;
  v_now := meter_open(v_grant.account_id);
  perform meter_allot(v_grant.account_id);
  select * into v_grant from credit_grants where id = p_grant;
  select least(p_due - taken_back, v_grant.remaining) into v_taken from payment_grants where grant_id = p_grant;
  if v_taken = 0 or v_taken < 0 and v_grant.expires_at <= v_now then return 0; end if;

  update credit_grants set remaining = remaining - v_taken where id = p_grant;
  update payment_grants set taken_back = taken_back + v_taken where grant_id = p_grant;
  update accounts set balance = balance - v_taken, settle_at = least(settle_at, v_grant.expires_at)
   where id = v_grant.account_id returning balance into v_balance;
  insert into ledger (account_id, at, kind, credits, balance_after, grant_id)
  values (v_grant.account_id, v_now, 'reversal', -v_taken, v_balance, p_grant);
  return v_taken;
end $$;

-- Brings a referral's credits, on both sides, in line with what the guest's account has paid: the payment of which
-- most was kept counts, so it doesn't matter which of several was told first. The caller holds the guest's lock, and
-- guests are younger than their referrers. Returns how many were taken by this call.
create or replace function referral_take_back(p_account uuid) returns integer language plpgsql as $$
declare
  v_best payments;
  v_taken integer := 0;
  v_grant record;
begin
  select * into v_best from payments where account_id = p_account and state = 'accepted'
   order by coalesce(reversed::numeric / charged, 0) limit 1;
  for v_grant in
    select g.id, g.amount
      from payments p
      join payment_grants b on b.payment_id = p.id
      join credit_grants g on g.id = b.grant_id and g.source = 'referral'
     where p.account_id = p_account
     order by g.account_id <> p_account, g.sequence
  loop
    v_taken := v_taken
      + grant_take_back(v_grant.id, credits_due(v_grant.amount, v_best.charged, v_best.reversed));
  end loop;
  return v_taken;
end $$;

-- Ends the plan that a payment gave where all of its money went back: the plan of another payment that is still in
-- force takes its place, else the account is free again. p_tiers has the tier of each plan.
create or replace function plan_take_back(p_payment payments, p_tiers json, p_now timestamptz) returns void
language plpgsql as $$
declare
  v_plan record;
begin
  perform from accounts a
   where a.id = p_payment.account_id and a.plan = p_payment.item
     and (exists (select from payment_grants b join credit_grants g on g.id = b.grant_id
                   where b.payment_id = p_payment.id and g.expires_at = a.plan_ends_at)
          -- A plan without a credit ceiling has no grant, but a first period in which it was accepted.
          or p_payment.credits is null and p_payment.decided_at between a.plan_started_at and a.plan_ends_at
             and a.plan_ends_at = plan_period_end(a.plan_started_at, 1));
  if not found then return; end if;
  select p.item, p.credits, g.expires_at into v_plan
    from payments p
    join payment_grants b on b.payment_id = p.id
    join credit_grants g on g.id = b.grant_id and g.source = 'plan' and g.expires_at > p_now
   where p.account_id = p_payment.account_id and p.state = 'accepted' and (p.reversed = p.charged) is not true
   order by g.expires_at desc limit 1;
  if found then
    perform plan_set(p_payment.account_id, v_plan.item, p_tiers->>v_plan.item, v_plan.credits, false,
                     p_now, v_plan.expires_at);
  else
    update accounts set plan_renews = false, plan_ends_at = p_now where id = p_payment.account_id;
    perform meter_settle(p_payment.account_id, p_now);
  end if;
end $$;

-- Gives back the plan of a payment whose money has come back, for the rest of its period, unless a plan is in force
-- that ends later.
create or replace function plan_give_again(p_payment payments, p_tiers json, p_now timestamptz) returns void
language sql as $$
  select plan_set(a.id, p_payment.item, p_tiers->>p_payment.item, p_payment.credits, false, p_now, g.expires_at)
    from accounts a
    join payment_grants b on b.payment_id = p_payment.id
    join credit_grants g on g.id = b.grant_id and g.source = 'plan' and g.expires_at > p_now
   where a.id = p_payment.account_id and (a.plan_ends_at >= g.expires_at) is not true
$$;

-- Brings a payment's credits, its plan and its referral in line with the claims on it. The caller has locked the
-- payment. Returns what was done, for the operator, and whether credits that are due back were spent or expired;
-- null where nothing was ever claimed.
create or replace function payment_review(p_payment uuid, p_tiers json, out said text, out is_short boolean)
language plpgsql as $$
declare
  v_before payments;
  v_payment payments;
  v_now timestamptz;
  v_grant record;
  v_taken integer := 0;
  v_short integer := 0;
  v_referral integer;
begin
  select * into v_before from payments where id = p_payment;
  v_now := meter_open(v_before.account_id);
  update payments p set charged = c.charged, reversed = c.reversed
    from (select max(charged) as charged,
                 least(max(charged), coalesce(sum(amount) filter (where stage = 1), 0)) as reversed
            from payment_claims where reference in (v_before.reference, p_payment::text)) c
   where p.id = p_payment and c.charged is not null
  returning p.* into v_payment;
  if not found then v_payment := v_before; end if;
  perform payment_refund_settle(p_payment);

  for v_grant in
    select g.id, credits_due(g.amount, v_payment.charged, v_payment.reversed) as due
      from payment_grants b join credit_grants g on g.id = b.grant_id and g.source <> 'referral'
     where b.payment_id = p_payment
  loop
    v_taken := v_taken + grant_take_back(v_grant.id, v_grant.due);
    select v_short + greatest(0, v_grant.due - taken_back) into v_short
      from payment_grants where grant_id = v_grant.id;
  end loop;
  v_referral := referral_take_back(v_payment.account_id);
  if v_payment.kind = 'plan' and v_payment.reversed = v_payment.charged then
    perform plan_take_back(v_payment, p_tiers, v_now);
  elsif v_payment.kind = 'plan' and v_before.reversed = v_before.charged then
    perform plan_give_again(v_payment, p_tiers, v_now);
  end if;

  is_short := v_short > 0;
  said := concat_ws('; ',
    credits_said(v_taken, 'credits'),
    case when is_short then v_short || ' that are due were spent or have expired' end,
    credits_said(v_referral, 'credits of its referral'));
  if said = '' then said := case when v_payment.charged is not null then 'no credits moved' end; end if;
end $$;

-- In words, what happened to credits that were taken back, or given again below zero; null where there were none.
create or replace function credits_said(p_taken integer, p_what text) returns text language sql immutable
return case when p_taken > 0 then p_taken || ' ' || p_what || ' were taken back'
            when p_taken < 0 then -p_taken || ' ' || p_what || ' were given again' end;

-- Takes an order for refunded that was settled without a provider: the operator pays the money back in a way of their own.
-- Returns its id; null where it is not such an order, or is paid back.
create or replace function payment_refund(p_id uuid, p_tiers json) returns uuid language plpgsql as $$
declare
  v_charged bigint;
begin
  select greatest(1, coalesce(charged, usd * 100)) into v_charged from payments
   where id = p_id and state = 'accepted' and reference is null and (reversed = charged) is not true for no key update;
  if not found then return null; end if;
  insert into payment_claims (id, reference, charged, amount, stage, at)
  values ('by-hand-' || p_id, p_id::text, v_charged, v_charged, 1, meter_now()) on conflict do nothing;
  perform payment_review(p_id, p_tiers);
  return p_id;
end $$;

-- Notes that the provider is about to be asked to refund a payment. Returns which try it is: one of which the answer is not
-- known is made again with its own number, and so by the provider's key of it once. Null where it is not such a payment,
-- is paid back, or was asked for within the last minute; and where the provider has begun, until it tells the end.
create or replace function payment_refund_ask(p_id uuid) returns integer language sql as $$
  update payments
     set refund = 'asked', refund_at = meter_now(), refund_note = null,
         refund_tries = refund_tries + case when refund in ('asked', 'unknown') then 0 else 1 end
   where id = p_id and state = 'accepted' and reference is not null and (reversed = charged) is not true
     and (refund is null or refund in ('refused', 'unknown') or refund = 'asked' and abs(extract(epoch from meter_now() - refund_at)) >= 60)
  returning refund_tries
$$;

-- Notes what the provider answered to a try: 'begun' with its refund's id, 'refused' with its reason, or 'unknown'.
create or replace function payment_refund_answered(p_id uuid, p_try integer, p_refund text, p_note text) returns void
language plpgsql as $$
begin
  update payments set refund = p_refund, refund_at = meter_now(), refund_note = p_note
   where id = p_id and refund in ('asked', 'unknown') and refund_tries = p_try;
  perform payment_refund_settle(p_id);
end $$;

-- Ends a refund that was asked for once the claims tell how: all the money is back, or the refund failed after it had begun.
create or replace function payment_refund_settle(p_payment uuid) returns void language sql as $$
  update payments p
     set refund = case when c.stage = 2 then 'refused' end, refund_at = meter_now(),
         refund_note = case when c.stage = 2 then 'the refund failed after it had begun' end
    from payments b left join payment_claims c on c.id = b.refund_note and b.refund = 'begun'
   where b.id = p_payment and p.id = b.id and p.refund is not null and (c.stage > 0 or p.reversed = p.charged)
$$;
