/**
 * The database of a test directory: its clock, read by `meter_now()`, which every window and expiry is measured
 * by, and the reset of everything but the records.
 */
import type { Database } from '../database/client.ts'

/**
 * Installs the clock in a database.
 * @param now the time at which the clock stands still; undefined for the real time.
 */
export async function installClock(database: Database, now: Date | undefined) {
  await database.use(({ sql }) =>
    sql.unsafe(`
      create table kit_clock (stands_at timestamptz, ahead interval not null default '0');
      insert into kit_clock (stands_at) values (${now ? `'${now.toISOString()}'` : 'null'});
      create or replace function meter_now() returns timestamptz language sql volatile
      return (select coalesce(stands_at, clock_timestamp()) + ahead from kit_clock)`),
  )
}

/** Advances the database's time by milliseconds. */
export async function advanceClock(database: Database, ms: number): Promise<void> {
  await database.use(
    ({ sql }) => sql`
      update kit_clock set ahead = ahead + make_interval(secs => ${ms}::double precision / 1000)`,
  )
}

/** The schema's own tables, which a reset leaves as they are. */
const KEPT = ['change_log', 'chainkin_functions', 'chainkin_migrations', 'kit_clock']

/**
 * Empties every table but the directory's, which are those with the change log's triggers, and resets the
 * clock, in one statement. It disables the triggers that forbid this, as the ledger's does.
 */
export async function emptyAccounts(database: Database): Promise<void> {
  await database.use(({ sql }) =>
    sql.unsafe(`do $$
    begin
      set local session_replication_role = replica;
      execute (
        select 'truncate ' || string_agg(format('%I', tablename), ', ') || ' restart identity'
          from pg_tables
         where schemaname = 'public' and tablename <> all ('{${KEPT.join()}}')
           and not exists (select from pg_trigger
                            where tgrelid = format('public.%I', tablename)::regclass
                              and tgname = tablename || '_updated'));
      set local session_replication_role = origin;
      update kit_clock set ahead = '0';
    end $$`),
  )
}
