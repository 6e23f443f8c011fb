/** The clock of a test directory: `meter_now()` reads it, which every window and expiry is measured by. */
import type { Database } from '../database/client.ts'

export interface Clock {
  /** Advances the database's time. */
  advance(seconds: number): Promise<void>
}

/**
 * Installs the clock in a database.
 * @param now the time at which the clock stands still; undefined for the real time.
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
