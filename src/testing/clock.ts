/** The clock of a test directory: `meter_now()`, from which every window and expiry is counted, reads it. */
import type { Database } from '../database/client.ts'

export interface Clock {
  /** Moves the database's time on. */
  advance(seconds: number): Promise<void>
}

/**
 * Puts the clock into a database.
 * @param now where time stands still; undefined: the real time, which flows.
 */
export async function installClock(database: Database, now: Date | undefined): Promise<Clock> {
  await database.use(({ sql }) =>
    sql.unsafe(`
      create table kit_clock (stands_at timestamptz, ahead interval not null default '0');
      insert into kit_clock (stands_at) values (${now ? `'${now.toISOString()}'` : 'null'});
      create or replace function meter_now() returns timestamptz language sql volatile
      return (select coalesce(stands_at, clock_timestamp()) + ahead from kit_clock)`),
  )
  return {
    async advance(seconds) {
      await database.use(
        ({ sql }) => sql`
          update kit_clock set ahead = ahead + make_interval(secs => ${seconds}::integer)`,
      )
    },
  }
}
