/** Which contacts an account has unlocked. Their channels are read by the meter alone. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Database } from '../database/client.ts'
import { unlocks } from '../database/tables/metering.ts'

/** @returns those of `personIds` whose channels the account has revealed. */
export async function unlockedAmong(
  database: Database,
  accountId: string,
  personIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (personIds.length === 0) return new Set()
  const rows = await database.use(({ db }) =>
    db
      .select({ id: unlocks.personId })
      .from(unlocks)
      .where(and(eq(unlocks.accountId, accountId), inArray(unlocks.personId, [...personIds]))),
  )
  return new Set(rows.map(({ id }) => id))
}
