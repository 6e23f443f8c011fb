-- Newcomers: what a person gets once. The first account of a person, as mail providers see them, gets a trial, and
-- its first payment rewards the referral that it came by.

-- Takes an account for the first of its person, with its trial, unless another account of the same mailbox was
-- before it. The unique index decides between accounts that are made or confirmed at the same moment.
create or replace function newcomer_welcome(p_account uuid) returns void language plpgsql as $$
declare
  v_newcomer newcomers;
begin
  begin
    update newcomers set welcomed_at = meter_now()
     where account_id = p_account and welcomed_at is null and refusal is null
    returning * into v_newcomer;
  exception when unique_violation then
    update newcomers set refusal = 'mailbox' where account_id = p_account;
    return;
  end;
  if v_newcomer.trial_credits > 0 then
    perform meter_grant(p_account, 'trial', v_newcomer.trial_credits, v_newcomer.trial_lasts, null);
  end if;
end $$;

-- Welcomes a user's own account when their address is confirmed, in whichever way that happens.
create or replace function newcomer_confirmed() returns trigger language plpgsql as $$
begin
  perform newcomer_welcome(m.account_id) from members m where m.user_id = new.id and m.role = 'owner';
  return null;
end $$;

select set_trigger('CREATE TRIGGER newcomer_confirmed AFTER UPDATE OF email_verified_at ON users FOR EACH ROW WHEN (old.email_verified_at IS NULL AND new.email_verified_at IS NOT NULL) EXECUTE FUNCTION newcomer_confirmed()');

-- Notes the first payment of an account that came by a referral, and the credits that it will give to each side.
-- Only a newcomer's payment counts: who had an account already was not brought by anybody. The caller holds the
-- account's lock.
create or replace function referral_paid(p_account uuid, p_credits integer) returns void language sql as $$
  update referrals r set paid_at = meter_now(), credits = p_credits
    from newcomers n
   where r.account_id = p_account and r.referrer_id is not null and r.paid_at is null and r.rewarded_at is null
     and n.account_id = p_account and n.welcomed_at is not null
$$;

-- The account's oldest payment that was made before p_until and is not wholly taken back; null where there is none.
create or replace function payment_standing(p_account uuid, p_until timestamptz) returns uuid language sql stable as $$
  select id from payments
   where account_id = p_account and state = 'accepted' and decided_at <= p_until and (reversed = charged) is not true
   order by decided_at limit 1
$$;

-- How many referrals have rewarded an account in the month of p_now, in UTC.
create or replace function referrals_rewarded(p_referrer uuid, p_now timestamptz) returns bigint language sql stable as $$
  select count(*) from referrals
   where referrer_id = p_referrer and rewarded_at >= date_trunc('month', p_now, 'UTC')
$$;

-- Gives the credits of one referral that is due, to both accounts: when a payment of the guest has stood for `p_hold`
-- and can no longer be taken back, and at most `p_per_month` for one referrer in a month; one more waits for the next
-- month. Of a payment that was taken back in part, that part of the credits goes back as well. False where none is due.
--
-- One in a transaction, which locks the account that paid and then its referrer. The referrer is always the older
-- of the two, so no two rewards wait for each other.
create or replace function referral_reward_next(p_hold interval, p_per_month integer) returns boolean language plpgsql as $$
declare
  v_now timestamptz := meter_now();
  v_due referrals;
  v_payment uuid;
begin
  select * into v_due from referrals r
   where rewarded_at is null and paid_at <= v_now - p_hold and referrer_id is not null and credits > 0
     and referrals_rewarded(r.referrer_id, v_now) < p_per_month
     and payment_standing(r.account_id, v_now - p_hold) is not null
   order by paid_at limit 1;
  if not found then return false; end if;

  perform meter_open(v_due.account_id);
  v_now := meter_open(v_due.referrer_id);
  v_payment := payment_standing(v_due.account_id, v_now - p_hold);
  if v_payment is null or referrals_rewarded(v_due.referrer_id, v_now) >= p_per_month then return true; end if;
  update referrals set rewarded_at = v_now where account_id = v_due.account_id and rewarded_at is null;
  if not found then return true; end if;
  perform meter_add(v_due.account_id, 'referral', v_due.credits, null, v_now);
  perform payment_gave(v_payment, v_due.account_id);
  perform meter_add(v_due.referrer_id, 'referral', v_due.credits, null, v_now);
  perform payment_gave(v_payment, v_due.referrer_id);
  perform referral_take_back(v_due.account_id);
  return true;
end $$;
