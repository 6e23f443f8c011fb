/** Which contacts an account has unlocked: what a button says of its price. What they hold only the meter reads. */
import { sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'

/** Of these people, the ids of those whose channels the account has revealed. */
export async function unlockedAmong(
  database: Database,
  accountId: string,
  personIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (personIds.length === 0) return new Set()
  const rows = await database.use(({ db }) =>
    db.execute<{ id: string }>(sql`
      select person_id as id from unlocks
       where account_id = ${accountId} and person_id = any (${`{${personIds.join()}}`}::uuid[])`),
  )
  return new Set(rows.map(({ id }) => id))
}
