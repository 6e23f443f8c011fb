/** Pages of LinkedIn that are nobody's profile, which earlier releases stored as channels of people. */
import type { Database } from './client.ts'
import { scalar } from './scalar.ts'

/** For one step, whose writes may wait for those of others. */
const STEP_DEADLINE_MS = 60_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Clears them, as one change of the journal. In steps that are each committed, so that neither charges nor imports of running
 * instances wait long for it.
 */
export async function clearLinkedinPages(database: Database): Promise<void> {
  const change = await database.use(({ sql }) =>
    scalar<string>(sql`select nextval('journal_change_seq')`),
  )
  let last: string | null = FIRST
  while (last !== null) {
    const after: string = last
    last = await database.use(
      ({ sql }) =>
        scalar<string>(sql`select clear_linkedin_pages(${change}::text::bigint, ${after}::uuid)`),
      { deadlineMs: STEP_DEADLINE_MS },
    )
  }
}
