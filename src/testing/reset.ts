/** Resets a test directory. */
import type { Database } from '../database/client.ts'

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
