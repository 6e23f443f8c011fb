/** Daily sums over all accounts: folds new charges and grants into them. */
import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'

/** Accounts that one statement looks at. */
const LOOKED_AT = 4_000
/**
 * Size of a statement, small because the embedded database decides no charge meanwhile: first a few entries of many accounts, then
 * many of the few accounts that have more.
 */
const MANY = { accounts: 50, entries: 50 }
const FEW = { accounts: 5, entries: 500 }
const ROUND_MS = 30_000
/** Pause after a statement, as a multiple of its time. */
const REST = 2
const DEADLINE_MS = 60_000
const CHECK_DEADLINE_MS = 300_000

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

interface Round {
  /** Milliseconds during which the round may begin statements. */
  forMs?: number
  /** Accounts that one statement looks at. */
  lookedAt?: number
}

/**
 * Folds new entries into the sums, unless another instance does so. The next round takes what this one didn't reach: figures are
 * exact meanwhile, only slower.
 */
export async function foldService(
  database: Database,
  { forMs = ROUND_MS, lookedAt = LOOKED_AT }: Round = {},
): Promise<void> {
  const endsMs = performance.now() + forMs
  for (let after: string | null = BEFORE_ALL; after !== null; ) {
    const look: Look = await unfolded(database, after, lookedAt)
    const entriesLeft: string[] = []
    for (const [due, size] of [
      [look.due, MANY],
      [entriesLeft, FEW],
    ] as const) {
      while (due.length > 0) {
        if (performance.now() > endsMs) return
        const startedMs = performance.now()
        const more = await fold(database, due.splice(0, size.accounts), size.entries)
        if (!more) return
        entriesLeft.push(...more)
        if (due.length > 0) await setTimeout(REST * (performance.now() - startedMs))
      }
    }
    after = look.last
  }
}

interface Look {
  /** Last account of the look; null at the end. */
  last: string | null
  due: string[]
}

async function unfolded(database: Database, after: string, accounts: number): Promise<Look> {
  const [look] = await database.use(
    ({ sql }) => sql<Look[]>`
      select last, to_json(due) as due from service_unfolded(${after}, ${accounts})`,
    { deadlineMs: DEADLINE_MS },
  )
  return look ?? { last: null, due: [] }
}

/** @returns accounts that may have more entries; null where another instance folds. */
function fold(database: Database, accounts: readonly string[], entries: number) {
  return database.use(
    ({ sql }) =>
      scalar<string[] | null>(
        sql`select to_json(service_fold(${textArray(accounts)}::text::uuid[], ${entries}))`,
      ),
    { deadlineMs: DEADLINE_MS },
  )
}

/** Compares the sums with the ledger's entries, except for archived days. @returns the wrong days, `YYYY-MM-DD` */
export async function wrongServiceDays(database: Database): Promise<string[]> {
  const days = await database.use(
    ({ sql }) => sql<{ day: string }[]>`select day::text as day from service_days_wrong() day`,
    { deadlineMs: CHECK_DEADLINE_MS },
  )
  return days.map(({ day }) => day)
}

/** Recomputes the sums of all days that are not archived, under a lock. */
export async function sumServiceDaysAgain(database: Database): Promise<void> {
  await database.use(({ sql }) => sql`select service_days_again()`, {
    deadlineMs: CHECK_DEADLINE_MS,
  })
}
