/** Keeps the sums of all accounts by day: adds what was charged and granted since to them, from time to time. */
import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'

/** Accounts whose rows one statement looks at. */
const LOOKED_AT = 4_000
/**
 * A statement adds at most so many entries of each of so many accounts: first a few of many, then many of the few that have them.
 * The embedded database decides no charge meanwhile.
 */
const MANY = { accounts: 50, entries: 50 }
const FEW = { accounts: 5, entries: 500 }
const ROUND_MS = 30_000
/** After each statement a round waits this many times as long as the statement took. */
const REST = 2
const DEADLINE_MS = 60_000
const CHECK_DEADLINE_MS = 300_000

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

interface Round {
  /** How long the round may begin further statements. */
  forMs?: number
  /** Accounts that one statement looks at. */
  lookedAt?: number
}

/**
 * Adds what accounts were charged and given since the last round, where another instance doesn't. What one round doesn't reach is the
 * next one's: no figure depends on it, only how long it takes.
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
  /** The last account that was looked at; null where there was none. */
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

/** @returns the accounts that may have more; null where another instance adds to the sums. */
function fold(database: Database, accounts: readonly string[], entries: number) {
  return database.use(
    ({ sql }) =>
      scalar<string[] | null>(
        sql`select to_json(service_fold(${textArray(accounts)}::text::uuid[], ${entries}))`,
      ),
    { deadlineMs: DEADLINE_MS },
  )
}

/** Compares the sums of credits with the ledger's entries, of days that are not in files. @returns the days that are wrong, `YYYY-MM-DD` */
export async function wrongServiceDays(database: Database): Promise<string[]> {
  const days = await database.use(
    ({ sql }) => sql<{ day: string }[]>`select day::text as day from service_days_wrong() day`,
    { deadlineMs: CHECK_DEADLINE_MS },
  )
  return days.map(({ day }) => day)
}

/** Makes the sums of credits of those days anew, from the entries. Nobody adds to them meanwhile. */
export async function sumServiceDaysAgain(database: Database): Promise<void> {
  await database.use(({ sql }) => sql`select service_days_again()`, {
    deadlineMs: CHECK_DEADLINE_MS,
  })
}
