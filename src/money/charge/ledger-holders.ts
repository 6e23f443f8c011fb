/** Who reads the ledger, so that whoever needs it for a moment alone can wait without holding up charges. */
import type { Database } from '../../database/client.ts'

/**
 * Transactions that hold a lock of the ledger or of one of its tables. Any role may ask.
 * @param part the table
 * @returns by what names a transaction while it lasts, a few words about who it is
 */
export async function holdersOf(
  database: Database,
  part: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.use(
    ({ sql }) => sql<{ transaction: string; holder: string }[]>`
      select distinct l.virtualtransaction as transaction,
             case when l.pid is null then 'a prepared transaction'
                  else concat('process ', l.pid, ' of ' || a.usename, ' (' || nullif(a.application_name, '') || ')') end as holder
        from pg_locks l left join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'relation' and l.granted and l.pid is distinct from pg_backend_pid()
         and l.database = (select oid from pg_database where datname = current_database())
         and l.relation in ('ledger'::regclass, ${part}::text::regclass)`,
  )
  return new Map(rows.map(({ transaction, holder }) => [transaction, holder]))
}
