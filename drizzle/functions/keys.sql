-- Keys: until when one is in force, and what its cap leaves (D49). `charge.sql` holds calls to both.

-- Whether a key is in force: neither revoked (which may be said ahead: a grace time) nor past its end.
create or replace function key_in_force(p_revoked timestamptz, p_expires timestamptz, p_now timestamptz)
returns boolean language sql stable
return (least(p_revoked, p_expires) > p_now) is not false;

-- Returns when the day or month (UTC) of a cap began that is counted now. A clock that was set back stays in the period that
-- was counted last, so that no credit is spent twice.
create or replace function key_cap_started(p_cap key_caps, p_now timestamptz) returns timestamptz language sql stable
return greatest((p_cap).period_started_at, date_trunc((p_cap).period, p_now, 'UTC'));

-- Returns the credits that were spent in it.
create or replace function key_cap_spent(p_cap key_caps, p_now timestamptz) returns integer language sql stable
return case when (p_cap).period_started_at >= date_trunc((p_cap).period, p_now, 'UTC') then (p_cap).spent else 0 end;

-- A cap as answers say it: `KeyCap` in `src/contract/keys.ts`. In UTC, so that no session's time zone moves a period's end.
create or replace function key_cap_said(p_cap key_caps, p_now timestamptz) returns json language sql stable
return json_build_object(
  'credits', (p_cap).credits, 'period', (p_cap).period, 'spent', key_cap_spent(p_cap, p_now),
  'renewsAt', to_char(key_cap_started(p_cap, p_now) at time zone 'UTC' + ('1 ' || (p_cap).period)::interval,
                      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
