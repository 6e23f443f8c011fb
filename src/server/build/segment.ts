/** The write-ahead log of a prepared database, of which only the last segment is needed. */
import type { Database } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'

const SEGMENT = /(^|\/)pg_wal\/\w+$/

/**
 * Begins a segment of the log, in which the checkpoint of a clean stop will be: PostgreSQL starts from that one and reads none before it.
 * @returns whether a file of the stopped cluster is needed, by its path: all are but other segments, 16 MB each.
 */
export async function beginSegment(database: Database): Promise<(path: string) => boolean> {
  const segment = await database.use(async ({ sql }) => {
    await sql`select pg_switch_wal()`
    return scalar<string>(sql`select pg_walfile_name(pg_current_wal_insert_lsn())`)
  })
  return (path) => !SEGMENT.test(path) || path.endsWith(`/${segment}`)
}
