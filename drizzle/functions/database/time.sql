-- Time: the clock of all rules, fixed windows and the periods of plans.

-- The time that every rule goes by. Tests replace this function.
create or replace function meter_now() returns timestamptz language sql volatile
return clock_timestamp();

-- A fixed window starts at the first call after the last window ended. Returns the start of the
-- window that holds at p_now. A null p_started means that there was no window yet. A window that began in the future was
-- begun by a clock that ran ahead: it begins anew, or its limit would last until that time is reached. So p_now is read
-- behind the lock of the window's row: an earlier time would end a window that another session has just begun.
create or replace function window_start(p_started timestamptz, p_lasts interval, p_now timestamptz)
returns timestamptz language sql stable
return case when p_started <= p_now and p_started + p_lasts > p_now then p_started else p_now end;

-- Returns how many calls the window that holds at p_now has counted.
create or replace function window_count(p_started timestamptz, p_count integer, p_lasts interval, p_now timestamptz)
returns integer language sql stable
return case when p_started <= p_now and p_started + p_lasts > p_now then p_count else 0 end;

-- Epoch milliseconds, rounded up: a window never ends later than the answer says.
create or replace function meter_ms(p_time timestamptz) returns double precision language sql stable
return ceil(extract(epoch from p_time) * 1000);

-- Returns the end of a plan's nth period. It counts from the plan's start, so that the 31st stays the 31st,
-- and in UTC, so that no session's time zone moves the end.
create or replace function plan_period_end(p_started timestamptz, p_periods integer)
returns timestamptz language sql stable
return (p_started at time zone 'UTC' + make_interval(months => p_periods)) at time zone 'UTC';

-- Makes a trigger, given as `pg_get_triggerdef` writes it. Leaves one that is defined so already as it is,
-- because replacing a trigger waits for every writer of its table.
create or replace function set_trigger(p_definition text) returns void language plpgsql as $$
begin
  if not exists (select from pg_trigger where pg_get_triggerdef(oid, true) = p_definition) then
    execute replace(p_definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER');
  end if;
end $$;
