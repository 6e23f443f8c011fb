-- Keys: until when one is in force, and what its cap leaves. `charge.sql` holds calls to both.

-- Whether a key is in force: neither revoked (which may be said ahead: a grace time) nor past its end.
create or replace function key_in_force(p_revoked timestamptz, p_expires timestamptz, p_now timestamptz)
returns boolean language sql stable
return (least(p_revoked, p_expires) > p_now) is not false;

-- Returns when the day or month (UTC) of a cap began that is counted now. A clock that was set back stays in the period that
-- was counted last, so that no credit is spent twice. A period later than the next one is of a clock that ran far ahead, and
-- is not counted: a key whose cap was spent then would be refused until that time.
create or replace function key_cap_started(p_cap key_caps, p_now timestamptz) returns timestamptz language sql stable
return case when (p_cap).period_started_at at time zone 'UTC' - ('1 ' || (p_cap).period)::interval > p_now at time zone 'UTC'
            then date_trunc((p_cap).period, p_now, 'UTC')
            else greatest((p_cap).period_started_at, date_trunc((p_cap).period, p_now, 'UTC')) end;

-- Returns the credits that were spent in it.
create or replace function key_cap_spent(p_cap key_caps, p_now timestamptz) returns integer language sql stable
return case when (p_cap).period_started_at = key_cap_started(p_cap, p_now) then (p_cap).spent else 0 end;

-- A cap as answers say it: `KeyCap` in `src/contract/keys.ts`. In UTC, so that no session's time zone moves a period's end.
create or replace function key_cap_said(p_cap key_caps, p_now timestamptz) returns json language sql stable
return json_build_object(
  'credits', (p_cap).credits, 'period', (p_cap).period, 'spent', key_cap_spent(p_cap, p_now),
  'renewsAt', to_char(key_cap_started(p_cap, p_now) at time zone 'UTC' + ('1 ' || (p_cap).period)::interval,
                      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));

-- Makes a key that lasts `p_lasts`, with a cap where `p_cap_credits` are some. Returns its end, as JSON has times; '' where it has none.
create or replace function key_create(
  p_id uuid, p_account uuid, p_hash text, p_prefix text, p_label text, p_scopes text[], p_lasts interval,
  p_cap_credits integer, p_cap_period text, p_networks text[]
) returns text language plpgsql as $$
declare
  v_cap uuid;
  v_expires timestamptz := meter_now() + p_lasts;
begin
  if p_cap_credits is not null then
    insert into key_caps (account_id, credits, period) values (p_account, p_cap_credits, p_cap_period) returning id into v_cap;
  end if;
  insert into api_keys (id, account_id, hash, prefix, label, scopes, expires_at, cap_id, networks)
  values (p_id, p_account, p_hash, p_prefix, p_label, p_scopes, v_expires, v_cap, p_networks);
  return coalesce(to_json(v_expires)#>>'{}', '');
end $$;

-- Ends a key now, of the account where one is named. False where there is no such key in force.
create or replace function key_revoke(p_key uuid, p_account uuid) returns boolean language plpgsql as $$
begin
  update api_keys set revoked_at = meter_now()
   where id = p_key and account_id = coalesce(p_account, account_id) and environment <> 'web'
     and key_in_force(revoked_at, expires_at, meter_now());
  return found;
end $$;
