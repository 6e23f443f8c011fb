/** Checks that every account's balance is the sum of its ledger. */
import type { Database } from '../../database/client.ts'

const DEADLINE_MS = 300_000

/**
 * Adds up every ledger in one statement, so that concurrent charges don't disturb it.
 * @returns the number of accounts, and the ids of those whose balance is `wrong`.
 */
export async function checkBooks(database: Database) {
  const [row] = await database.use(
    ({ sql }) => sql<{ accounts: number; wrong: string[] }[]>`
      select count(*)::integer as accounts,
             coalesce(json_agg(a.id) filter (where a.balance <> coalesce(l.sum, 0)), '[]') as wrong
        from accounts a
        left join (select account_id, sum(credits) as sum from ledger group by 1) l
          on l.account_id = a.id`,
    { deadlineMs: DEADLINE_MS },
  )
  return row ?? { accounts: 0, wrong: [] }
}
