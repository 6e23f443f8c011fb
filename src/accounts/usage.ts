/** What an account spent, from the ledger. */
import { sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'

export const USAGE_GROUPS = ['day', 'endpoint', 'key'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

export interface UsageRow {
  /** The day (UTC), the endpoint's path, or the key's id. */
  group: string
  calls: number
  credits: number
}

const GROUP_BY = {
  day: sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD')`,
  endpoint: sql`endpoint`,
  key: sql`key_id::text`,
}

/** Charged calls and their credits since `sinceSeconds` ago, days in order, else the dearest first. */
export async function usage(
  database: Database,
  accountId: string,
  sinceSeconds: number,
  by: UsageGroup,
): Promise<UsageRow[]> {
  const order = by === 'day' ? sql`1` : sql`3 desc, 1`
  return database.use(async ({ db }) => [
    ...(await db.execute<{ group: string; calls: number; credits: number }>(sql`
      select ${GROUP_BY[by]} as "group", count(*)::integer as calls, -sum(credits)::integer as credits
        from ledger
       where account_id = ${accountId} and kind = 'charge'
         and at > meter_now() - make_interval(secs => ${sinceSeconds})
       group by 1 order by ${order}`)),
  ])
}
