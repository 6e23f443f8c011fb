/** Keeps the sums of days near the end of the ledger, so that figures read few entries beside them. */
import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'

/** Size of one statement; small, because the embedded database decides no charge meanwhile. */
const ACCOUNTS = 100
const ENTRIES = 1_000
/** Deadline, long because old entries lie anywhere on the disk. */
const DEADLINE_MS = 60_000

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** Adds all entries up to now to the sums of days, account by account. Several instances may do so at once. */
export async function sumLedger(
  database: Database,
  { accounts = ACCOUNTS, entries = ENTRIES } = {},
): Promise<void> {
  let after: string | null | undefined = BEFORE_ALL
  while (after) {
    const startedMs = performance.now()
    const from: string = after
    after = await database.use(
      ({ sql }) => scalar<string>(sql`select ledger_sum(${from}, ${accounts}, ${entries})`),
      { deadlineMs: DEADLINE_MS },
    )
    // Without pauses charges were a third slower.
    if (after) await setTimeout(performance.now() - startedMs)
  }
}
