-- Payments: the credits and plans that follow once a choice is paid, each exactly once.

-- Gives credits to an account that came by a referral and to its referrer, once, at the first payment. The
-- caller holds the account's lock and has settled. The referrer is always the older of the two accounts, so
-- no two rewards wait for each other.
create or replace function referral_reward(p_account uuid, p_credits integer) returns void language plpgsql as $$
declare
  v_referrer uuid;
  v_now timestamptz := meter_now();
begin
  update referrals set rewarded_at = v_now
   where account_id = p_account and referrer_id is not null and rewarded_at is null
  returning referrer_id into v_referrer;
  if not found or p_credits = 0 then return; end if;
  perform meter_add(p_account, 'referral', p_credits, null, v_now);
  perform meter_grant(v_referrer, 'referral', p_credits, null, null);
end $$;

-- Accepts an open payment and gives what it was for. `p_tier` is the plan's. Returns the payment as it is
-- after, or null where none is open.
create or replace function payment_accept(p_id uuid, p_tier text, p_renews boolean, p_referral_credits integer)
returns payments language plpgsql as $$
declare
  v_payment payments;
  v_now timestamptz;
begin
  select * into v_payment from payments where id = p_id and state = 'open' for update;
  if not found then return null; end if;
  if v_payment.kind = 'plan' then
    perform meter_start_plan(v_payment.account_id, v_payment.item, p_tier, v_payment.credits, p_renews);
  else
    v_now := meter_open(v_payment.account_id);
    perform meter_add(v_payment.account_id, 'topup', v_payment.credits, null, v_now);
  end if;
  perform referral_reward(v_payment.account_id, p_referral_credits);
  update payments set state = 'accepted', decided_at = meter_now()
   where id = p_id returning * into v_payment;
  return v_payment;
end $$;

-- Whether an event of the payment provider is new. The caller applies it in the same statement.
create or replace function payment_event_begins(p_id text, p_kind text) returns boolean language plpgsql as $$
begin
  insert into payment_events (id, kind, at) values (p_id, p_kind, meter_now()) on conflict do nothing;
  return found;
end $$;

-- Applies the provider's event that a top-up is paid. False where nothing was open, or the event was applied
-- before.
create or replace function payment_topup_paid(p_event text, p_kind text, p_payment uuid, p_referral_credits integer)
returns boolean language plpgsql as $$
begin
  if not payment_event_begins(p_event, p_kind) then return false; end if;
  perform from payments where id = p_payment and kind = 'topup';
  return found and (payment_accept(p_payment, null, false, p_referral_credits)).id is not null;
end $$;

-- Applies the provider's event that one period of a subscription is paid: by the invoice `p_reference`, until
-- `p_ends`. The first invoice accepts the payment that was chosen, each later one is a payment of its own.
-- Periods may arrive in any order: the one that ends last says which plan the account has. Such a plan doesn't
-- renew by itself; a day of grace bridges the time that the provider takes to collect.
-- False where the event or the invoice was applied before, or the payment is unknown.
create or replace function payment_period_paid(
  p_event text, p_kind text, p_payment uuid, p_subscription text, p_reference text,
  p_tier text, p_ends timestamptz, p_referral_credits integer
) returns boolean language plpgsql as $$
declare
  v_payment payments;
  v_ends timestamptz := p_ends + interval '1 day';
  v_now timestamptz;
begin
  if not payment_event_begins(p_event, p_kind) then return false; end if;
  select * into v_payment from payments where id = p_payment and kind = 'plan' for update;
  if not found or exists (select from payments where reference = p_reference) then return false; end if;
  v_now := meter_open(v_payment.account_id);

  if v_payment.state = 'open' then
    update payments set state = 'accepted', reference = p_reference, decided_at = v_now where id = p_payment;
  else
    insert into payments (account_id, user_id, kind, item, credits, usd, state, reference, created_at, decided_at)
    values (v_payment.account_id, v_payment.user_id, 'plan', v_payment.item, v_payment.credits, v_payment.usd,
            'accepted', p_reference, v_now, v_now);
  end if;
  insert into subscriptions (id, account_id, plan, started_at)
  values (p_subscription, v_payment.account_id, v_payment.item, v_payment.created_at)
  on conflict do nothing;

  if v_ends > v_now then
    if not exists (select from accounts where id = v_payment.account_id and plan_ends_at > v_ends) then
      perform plan_set(v_payment.account_id, v_payment.item, p_tier, v_payment.credits, false, v_now, v_ends);
    end if;
    perform meter_add(v_payment.account_id, 'plan', v_payment.credits, v_ends, v_now);
  end if;
  perform referral_reward(v_payment.account_id, p_referral_credits);
  return true;
end $$;

-- Applies what the provider says of a subscription: whether it has ended. That may arrive before its first invoice.
create or replace function payment_subscription_seen(
  p_event text, p_kind text, p_subscription text, p_payment uuid, p_ended boolean
) returns boolean language plpgsql as $$
declare
  v_now timestamptz := meter_now();
begin
  if not payment_event_begins(p_event, p_kind) then return false; end if;
  insert into subscriptions as s (id, account_id, plan, started_at, ended_at)
  select p_subscription, p.account_id, p.item, p.created_at, case when p_ended then v_now end
    from payments p where p.id = p_payment and p.kind = 'plan'
  on conflict (id) do update set ended_at = case when p_ended then coalesce(s.ended_at, v_now) end;
  return found;
end $$;
