-- Events of the payment provider, each noted once with its end in the transaction that applies it:
--
--   applied   it did what its reason says
--   ignored   nothing was to be done, for its reason
--   waiting   the operator has to do something: `payments list` shows it until `payments dismiss`
--
-- Each function returns the event with its end; null where the event was noted before. `is_alert` asks for a warning in
-- the log. `src/money/payments/README.md` has the table of states and events that these functions keep.

-- Whether an event is new. The caller applies it in the same transaction. p_payment is the order that it names, if any.
create or replace function payment_event_begins(p_id text, p_kind text, p_payment uuid) returns boolean language plpgsql as $$
begin
  insert into payment_events (id, kind, at, payment_id) values (p_id, p_kind, meter_now(), p_payment) on conflict do nothing;
  return found;
end $$;

-- The signature of the last release, which no program calls.
drop function if exists payment_event_begins(text, text);

-- Notes that an event is of another payment than of the order that it names: of a later period of its plan.
create or replace function payment_event_of(p_id text, p_payment uuid) returns void language sql as $$
  update payment_events set payment_id = p_payment where id = p_id
$$;

-- Notes how an event ended, and returns it.
create or replace function payment_event_ends(p_id text, p_outcome text, p_reason text, p_is_alert boolean default false)
returns payment_events language sql as $$
  update payment_events set outcome = p_outcome, reason = p_reason, is_alert = p_is_alert or p_outcome = 'waiting'
   where id = p_id returning *
$$;

-- The signature that commit 594230a left: beside the new one a call of it would be ambiguous.
drop function if exists payment_event_noted(text, text, text, text);

-- An event that was decided without looking at a payment. p_payment is the order that it names, if any; the last release names none.
create or replace function payment_event_noted(p_id text, p_kind text, p_outcome text, p_reason text, p_payment uuid default null)
returns payment_events language plpgsql as $$
begin
  if not payment_event_begins(p_id, p_kind, p_payment) then return null; end if;
  return payment_event_ends(p_id, p_outcome, p_reason);
end $$;

-- The operator's text about an order that was accepted by hand before the provider told of its payment.
create or replace function payment_given_by_hand() returns text language sql immutable
return 'paid, but its credits were given by hand before: if it was paid in another way too, refund one of the two';

-- The operator's text about a payment that belongs to no order.
create or replace function payment_without_order() returns text language sql immutable
return 'paid, but no order of this id is known: refund it at the provider, or grant its credits';

-- A top-up is paid: the provider's PaymentIntent p_reference.
create or replace function payment_event_topup(
  p_id text, p_kind text, p_payment uuid, p_reference text, p_referral_credits integer
) returns payment_events language plpgsql as $$
declare
  v_before payments;
  v_after payments;
begin
  if not payment_event_begins(p_id, p_kind, p_payment) then return null; end if;
  select * into v_before from payments where id = p_payment and kind = 'topup' for no key update;
  if not found then
    return payment_event_ends(p_id, 'waiting', payment_without_order());
  elsif v_before.state = 'accepted' and v_before.reference <> p_reference then
    return payment_event_ends(p_id, 'waiting',
      'paid a second time, and its credits were given once: refund one of the two at the provider');
  end if;
  update payments set reference = coalesce(reference, p_reference) where id = p_payment;
  if v_before.state = 'accepted' and v_before.reference is null and p_reference is not null then
    perform payment_review(p_payment, null);
    return payment_event_ends(p_id, 'waiting', payment_given_by_hand());
  end if;
  if v_before.state = 'accepted' then
    return payment_event_ends(p_id, 'ignored', 'its credits were given before');
  end if;
  v_after := payment_give(v_before, null, false, p_referral_credits);
  return payment_event_ends(p_id, 'applied',
    concat_ws('; ', v_after.credits || ' credits were given',
              case when v_before.state = 'refused' then 'it was paid after it was refused' end,
              (payment_review(p_payment, null)).said),
    v_before.state = 'refused');
end $$;

-- One period of a subscription is paid: by the invoice p_reference, until p_ends. The first invoice accepts the
-- payment that was chosen, each later one is a payment of its own. Periods may arrive in any order: the one that ends
-- last says which plan the account has. Such a plan doesn't renew by itself; a day of grace bridges the time that the
-- provider takes to collect. p_tiers has the tier of each plan.
create or replace function payment_event_period(
  p_id text, p_kind text, p_payment uuid, p_subscription text, p_reference text,
  p_tiers json, p_ends timestamptz, p_referral_credits integer
) returns payment_events language plpgsql as $$
declare
  v_chosen payments;
  v_payment uuid := p_payment;
  v_ends timestamptz := p_ends + interval '1 day';
  v_now timestamptz;
begin
  if not payment_event_begins(p_id, p_kind, p_payment) then return null; end if;
  select * into v_chosen from payments where id = p_payment and kind = 'plan' for no key update;
  if not found then
    return payment_event_ends(p_id, 'waiting', payment_without_order());
  elsif exists (select from payments where reference = p_reference) then
    perform payment_event_of(p_id, id) from payments where reference = p_reference;
    return payment_event_ends(p_id, 'ignored', 'its credits were given before');
  end if;
  insert into subscriptions (id, account_id, plan, started_at)
  values (p_subscription, v_chosen.account_id, v_chosen.item, v_chosen.created_at)
  on conflict do nothing;
  if v_chosen.state = 'accepted' and v_chosen.reference is null then
    update payments set reference = p_reference where id = p_payment;
    perform payment_review(p_payment, p_tiers);
    return payment_event_ends(p_id, 'waiting', payment_given_by_hand());
  end if;
  v_now := meter_open(v_chosen.account_id);

  if v_chosen.state = 'accepted' then
    insert into payments (account_id, user_id, kind, item, credits, usd, state, reference, created_at, decided_at)
    values (v_chosen.account_id, v_chosen.user_id, 'plan', v_chosen.item, v_chosen.credits, v_chosen.usd,
            'accepted', p_reference, v_now, v_now) returning id into v_payment;
    perform payment_event_of(p_id, v_payment);
  else
    update payments set state = 'accepted', refused_by = null, reference = p_reference, decided_at = v_now
     where id = p_payment;
  end if;

  if v_ends > v_now then
    if not exists (select from accounts where id = v_chosen.account_id and plan_ends_at > v_ends) then
      perform plan_set(v_chosen.account_id, v_chosen.item, p_tiers->>v_chosen.item, v_chosen.credits, false,
                       v_now, v_ends);
    end if;
    perform meter_add(v_chosen.account_id, 'plan', v_chosen.credits, v_ends, v_now);
    perform payment_gave(v_payment, v_chosen.account_id);
  end if;
  perform referral_paid(v_chosen.account_id, p_referral_credits);
  if v_ends <= v_now then
    return payment_event_ends(p_id, 'waiting', concat_ws('; ',
      'paid, but told after its period, so no credits were given: refund it at the provider, or grant credits',
      (payment_review(v_payment, p_tiers)).said));
  end if;
  return payment_event_ends(p_id, 'applied',
    concat_ws('; ', v_chosen.credits || ' credits were given',
              case when v_chosen.state = 'refused' then 'it was paid after it was refused' end,
              (payment_review(v_payment, p_tiers)).said),
    v_chosen.state = 'refused');
end $$;

-- A Checkout ended without a payment.
create or replace function payment_event_unpaid(p_id text, p_kind text, p_payment uuid)
returns payment_events language plpgsql as $$
declare
  v_payment payments;
begin
  if not payment_event_begins(p_id, p_kind, p_payment) then return null; end if;
  select * into v_payment from payments where id = p_payment for no key update;
  if v_payment.state = 'open' then
    update payments set state = 'refused', refused_by = 'checkout', decided_at = meter_now() where id = p_payment;
    return payment_event_ends(p_id, 'applied', 'the order was refused: its Checkout ended without a payment');
  end if;
  return payment_event_ends(p_id, 'ignored', case v_payment.state
    when 'accepted' then 'the order is paid' when 'refused' then 'the order was refused before'
    else 'no order of this id is known' end);
end $$;

-- The provider's report whether a subscription has ended. It may arrive before its first invoice.
create or replace function payment_event_subscription(
  p_id text, p_kind text, p_subscription text, p_payment uuid, p_ended boolean
) returns payment_events language plpgsql as $$
declare
  v_now timestamptz := meter_now();
begin
  if not payment_event_begins(p_id, p_kind, p_payment) then return null; end if;
  insert into subscriptions as s (id, account_id, plan, started_at, ended_at)
  select p_subscription, p.account_id, p.item, p.created_at, case when p_ended then v_now end
    from payments p where p.id = p_payment and p.kind = 'plan'
  on conflict (id) do update set ended_at = case when p_ended then coalesce(s.ended_at, v_now) end;
  if not found then return payment_event_ends(p_id, 'ignored', 'no order of this id is known'); end if;
  return payment_event_ends(p_id, 'applied',
    case when p_ended then 'the plan ends with its period' else 'the plan goes on' end);
end $$;

-- The provider's report of a charge: the refunds and disputes on it, as JSON `{id, amount, stage}` each. p_payment is
-- the order, p_reference its invoice or PaymentIntent. Locking the order first keeps a claim and its payment, which may
-- be told at once, from missing each other.
create or replace function payment_event_claims(
  p_id text, p_kind text, p_payment uuid, p_reference text, p_charged bigint, p_claims json, p_tiers json
) returns payment_events language plpgsql as $$
declare
  v_order payments;
  v_paid uuid;
  v_review record;
begin
  if not payment_event_begins(p_id, p_kind, p_payment) then return null; end if;
  select * into v_order from payments where id = p_payment for no key update;
  if not found then return payment_event_ends(p_id, 'ignored', 'no order of this id is known'); end if;
  insert into payment_claims as c (id, reference, charged, amount, stage, at)
  select t.id, p_reference, p_charged, t.amount, t.stage, meter_now()
    from json_to_recordset(p_claims) as t(id text, amount bigint, stage smallint)
   order by t.id
  on conflict (id) do update set stage = excluded.stage, amount = excluded.amount where excluded.stage > c.stage;

  -- A top-up that was accepted by an earlier release, or by hand, doesn't know yet what was collected for it.
  update payments set reference = p_reference
   where id = p_payment and kind = 'topup' and state = 'accepted' and reference is null;
  select id into v_paid from payments where reference = p_reference;
  if not found then
    return payment_event_ends(p_id, 'applied', 'noted for the payment, which has not been told yet');
  end if;
  perform payment_event_of(p_id, v_paid);
  v_review := payment_review(v_paid, p_tiers);
  return payment_event_ends(p_id, 'applied', coalesce(v_review.said, 'nothing is claimed'),
                            coalesce(v_review.is_short, false));
end $$;

-- Signatures that the last release calls, for one release.
create or replace function payment_topup_paid(p_event text, p_kind text, p_payment uuid, p_referral_credits integer)
returns boolean language sql as $$
  select (payment_event_topup(p_event, p_kind, p_payment, null, p_referral_credits)).outcome is not distinct from 'applied'
$$;

create or replace function payment_period_paid(
  p_event text, p_kind text, p_payment uuid, p_subscription text, p_reference text,
  p_tier text, p_ends timestamptz, p_referral_credits integer
) returns boolean language sql as $$
  select (payment_event_period(
            p_event, p_kind, p_payment, p_subscription, p_reference,
            (select json_build_object(item, p_tier) from payments where id = p_payment), p_ends, p_referral_credits
         )).outcome is not distinct from 'applied'
$$;

create or replace function payment_subscription_seen(
  p_event text, p_kind text, p_subscription text, p_payment uuid, p_ended boolean
) returns boolean language sql as $$
  select (payment_event_subscription(p_event, p_kind, p_subscription, p_payment, p_ended)).outcome
         is not distinct from 'applied'
$$;

-- Notes that the operator has dealt with an event. Null where it is unknown or doesn't wait.
create or replace function payment_event_dismiss(p_event text) returns boolean language plpgsql as $$
begin
  update payment_events set dismissed_at = meter_now()
   where id = p_event and outcome = 'waiting' and dismissed_at is null;
  return nullif(found, false);
end $$;
