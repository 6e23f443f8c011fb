-- Counts a failed authentication of an address. Returns how many its window holds.
create or replace function meter_reject(p_address text, p_seconds integer) returns json language sql as $$
  insert into rejected_keys as r (address, started_at, count)
  values (p_address, meter_now(), 1)
  on conflict (address) do update
    set (started_at, count) = (
          select window_start(r.started_at, make_interval(secs => p_seconds), now),
                 window_count(r.started_at, r.count, make_interval(secs => p_seconds), now) + 1
            from (select meter_now() as now) as clock)
  returning json_build_object(
    'count', count,
    'resetMs', meter_ms(started_at + make_interval(secs => p_seconds)),
    'nowMs', meter_ms(meter_now()))
$$;
