-- Payments: the credits and plans that follow once a choice is paid, each exactly once. `reversals.sql` takes them
-- back with the money; `payment-events.sql` says which event of the payment provider leads to what.
--
-- A payment is locked before its account, `for no key update`: a referral's reward, which has the account, names the
-- payment by a foreign key and would wait for a stronger lock, each for the other.

-- Notes that the account's newest grant came with a payment and is taken back with it. The caller holds the
-- account's lock.
create or replace function payment_gave(p_payment uuid, p_account uuid) returns void language sql as $$
  insert into payment_grants (grant_id, payment_id)
  select id, p_payment from credit_grants where account_id = p_account order by sequence desc limit 1
$$;

-- The signature of the last release, which no program calls.
drop function if exists referral_reward(uuid, integer);

-- Gives what a payment is for and marks it as accepted, whatever it was before. The caller has locked it. `p_tier`
-- is the plan's. Returns the payment as it is after.
create or replace function payment_give(p_payment payments, p_tier text, p_renews boolean, p_referral_credits integer)
returns payments language plpgsql as $$
declare
  v_payment payments;
  v_now timestamptz;
begin
  if p_payment.kind = 'plan' then
    perform meter_start_plan(p_payment.account_id, p_payment.item, p_tier, p_payment.credits, p_renews);
  else
    v_now := meter_open(p_payment.account_id);
    perform meter_add(p_payment.account_id, 'topup', p_payment.credits, null, v_now);
  end if;
  if p_payment.credits > 0 then perform payment_gave(p_payment.id, p_payment.account_id); end if;
  perform referral_paid(p_payment.account_id, p_referral_credits);
  update payments set state = 'accepted', refused_by = null, decided_at = meter_now()
   where id = p_payment.id returning * into v_payment;
  return v_payment;
end $$;

-- Accepts an open payment. Returns the payment as it is after, or null where none is open.
create or replace function payment_accept(p_id uuid, p_tier text, p_renews boolean, p_referral_credits integer)
returns payments language plpgsql as $$
declare
  v_payment payments;
begin
  select * into v_payment from payments where id = p_id and state = 'open' for no key update;
  if not found then return null; end if;
  return payment_give(v_payment, p_tier, p_renews, p_referral_credits);
end $$;

-- Refuses an open payment. Where it is paid all the same, its credits follow. Returns its id, or null where none is open.
create or replace function payment_refuse(p_id uuid, p_by text) returns uuid language sql as $$
  update payments set state = 'refused', refused_by = p_by, decided_at = meter_now()
   where id = p_id and state = 'open' returning id
$$;

-- Notes the Checkout in which an open payment is paid. Returns the account's other open Checkouts, which are to end:
-- the last choice counts. Its owner's choices take turns here, so of two made at once one Checkout is left.
create or replace function payment_checkout_begins(p_payment uuid, p_checkout text)
returns table (id uuid, checkout text) language plpgsql as $$
#variable_conflict use_column
declare
  v_account uuid;
begin
  select account_id into v_account from payments where id = p_payment;
  perform from members where account_id = v_account and role = 'owner' for no key update;
  update payments set checkout = p_checkout where id = p_payment;
  return query
  select id, checkout from payments
   where account_id = v_account and state = 'open' and id <> p_payment and checkout is not null
   order by created_at, id;
end $$;
