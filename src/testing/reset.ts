/** Takes a test directory back to its start. */
import type { Database } from '../database/client.ts'

/** The schema's own tables, which a reset leaves as they are. */
const KEPT = ['change_log', 'chainkin_functions', 'chainkin_migrations', 'kit_clock']

/**
 * Empties every table but those of the directory, which are the ones that the change log follows by
 * triggers, and puts the clock back: in one statement. Triggers that forbid this, as the ledger's, sleep.
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
