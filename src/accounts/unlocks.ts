/** Which contacts an account has unlocked. Their channels are read by the meter alone. */
import type { Database } from '../database/client.ts'

/** @returns those of `personIds` whose channels the account has revealed. */
export async function unlockedAmong(database: Database, accountId: string, personIds: string[]) {
  if (personIds.length === 0) return new Set<string>()
  const rows = await database.use(
    ({ sql }) => sql<{ id: string }[]>`
      select person_id as id from unlocks
       where account_id = ${accountId} and person_id = any (${`{${personIds.join()}}`}::uuid[])`,
  )
  return new Set(rows.map(({ id }) => id))
}
