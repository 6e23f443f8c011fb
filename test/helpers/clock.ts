/** A clock that tests set: `meter_now()` of one test database reads it from a table of one row. */
import type { Sql } from 'postgres'

export interface Clock {
  /** An ISO time, or epoch milliseconds. */
  set(time: string | number): Promise<void>
  advance(seconds: number): Promise<void>
  /** Epoch milliseconds. */
  now(): number
}

export async function startClock(sql: Sql, time: string | number): Promise<Clock> {
  let nowMs = 0
  const set = async (next: string | number) => {
    nowMs = typeof next === 'number' ? next : Date.parse(next)
    await sql`update test_clock set now = ${new Date(nowMs).toISOString()}::timestamptz`
  }
  await sql.unsafe(`
    create table test_clock (now timestamptz not null);
    insert into test_clock values ('epoch');
    create or replace function meter_now() returns timestamptz language sql volatile
    return (select now from test_clock)`)
  await set(time)
  return { set, advance: (seconds) => set(nowMs + seconds * 1_000), now: () => nowMs }
}

/**
 * A clock that is a second later each time it is read: under load, an account's windows pass as fast
 * as its calls, so no request rate gets in the way of what a test is about.
 */
export async function startTickingClock(sql: Sql, time: string) {
  await sql.unsafe(`
    create sequence test_ticks;
    create or replace function meter_now() returns timestamptz language sql volatile
    return timestamptz '${time}' + make_interval(secs => nextval('test_ticks'))`)
  return {
    async advance(seconds: number) {
      await sql`select setval('test_ticks', nextval('test_ticks') + ${seconds})`
    },
  }
}
