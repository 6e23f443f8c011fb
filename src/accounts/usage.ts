/** What an account spent, from the ledger. */
import type { Database } from '../database/client.ts'

export const USAGE_GROUPS = ['day', 'endpoint', 'key'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** SQL of what each kind of group is named by, and of the order of the groups. */
const GROUPINGS: Readonly<Record<UsageGroup, { name: string; order: string }>> = {
  day: { name: `to_char(at at time zone 'UTC', 'YYYY-MM-DD')`, order: '1' },
  endpoint: { name: 'endpoint', order: '3 desc, 1' },
  key: { name: 'key_id::text', order: '3 desc, 1' },
}

/**
 * Charged calls and their credits since `sinceSeconds` ago: days in order, endpoints and keys by most credits.
 * @returns rows whose `group` is the day (UTC), the endpoint's path, or the key's id.
 */
export async function usage(
  database: Database,
  accountId: string,
  sinceSeconds: number,
  by: UsageGroup,
) {
  const { name, order } = GROUPINGS[by]
  return database.use(
    ({ sql }) => sql<{ group: string; calls: number; credits: number }[]>`
      select ${sql.unsafe(name)} as "group", count(*)::integer as calls, -sum(credits)::integer as credits
        from ledger
       where account_id = ${accountId} and kind = 'charge'
         and at > meter_now() - make_interval(secs => ${sinceSeconds})
       group by 1 order by ${sql.unsafe(order)}`,
  )
}
