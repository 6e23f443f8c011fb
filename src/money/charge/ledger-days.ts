/** Keeps the daily sums of the ledger: folds entries into them from time to time, checks them, makes them anew. */
import { setTimeout } from 'node:timers/promises'
import type { AreCallsAnswered } from '../../database/calls.ts'
import type { Database } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'

/** Interval of rounds. Charges that are not in the sums yet are read one by one. */
export const FOLD_EVERY_MS = 60_000

/** Change of an account's balance from which it is looked at. */
const MIN_CREDITS = 100
/** Entries from which an account is folded. Fewer are read within a millisecond, and most accounts never have more. */
const LEAST = 500
/** Entries per account, and accounts, of one statement; few, because the embedded database decides no charge meanwhile. */
const ENTRIES = 500
const ACCOUNTS = 5
/** Limits of a statement that folds few entries each of many accounts. */
const FEW = { entries: ENTRIES * ACCOUNTS, accounts: 250 }
/** Accounts whose balance one statement compares. */
const LOOKED_AT = 4_000
/** Accounts of one round: those with most entries to fold. */
const ROUND_ACCOUNTS = 10_000
const ROUND_MS = 30_000
/** Pause after a statement, as a multiple of its time: without pauses charges were a third slower. */
const REST = 2
/** Pause while another instance folds. */
const OTHERS_MS = 100
/** Deadline, long because old entries lie anywhere on the disk. */
const DEADLINE_MS = 60_000
const CHECK_DEADLINE_MS = 300_000

interface Round {
  /** Change of the balance from which an account is looked at, in credits. */
  minCredits?: number
  /** Entries from which an account is folded. */
  least?: number
  /** Entries per account and statement. */
  entries?: number
  /** Milliseconds during which the round may begin statements. */
  forMs?: number
}

/**
 * Folds new entries of accounts into their daily sums, unless another instance does so. The next round takes what this one didn't
 * reach: figures are exact meanwhile, only slower.
 */
export async function foldLedger(
  database: Database,
  { minCredits = MIN_CREDITS, least = LEAST, entries = ENTRIES, forMs = ROUND_MS }: Round = {},
): Promise<void> {
  const endsMs = performance.now() + forMs
  const due = await unfolded(database, minCredits)
  while (due.length > 0 && performance.now() < endsMs) {
    const startedMs = performance.now()
    const more = await fold(database, due.splice(0, ACCOUNTS), { entries, least })
    if (!more) return
    due.push(...more)
    if (due.length > 0) await setTimeout(REST * (performance.now() - startedMs))
  }
}

interface Look {
  /** Last account of the look; null at the end. */
  last: string | null
  due: string[]
  moved: number[]
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** @returns accounts whose balance moved by `minCredits`, those with most entries to fold first. */
export async function unfolded(
  database: Database,
  minCredits: number,
  lookedAt = LOOKED_AT,
): Promise<string[]> {
  const moved = new Map<string, number>()
  let last: string | null = BEFORE_ALL
  while (last !== null) {
    const after: string = last
    const [look] = await database.use(
      ({ sql }) => sql<Look[]>`
        select last, to_json(due) as due, to_json(moved) as moved
          from ledger_unfolded(${after}, ${lookedAt}, ${minCredits})`,
      { deadlineMs: DEADLINE_MS },
    )
    for (const [place, id] of (look?.due ?? []).entries()) moved.set(id, look?.moved[place] ?? 0)
    last = look?.last ?? null
  }
  const mostFirst = [...moved].sort(([, one], [, other]) => other - one)
  return mostFirst.slice(0, ROUND_ACCOUNTS).map(([id]) => id)
}

/** @returns accounts that may have more entries; undefined where another instance folds. */
async function fold(
  database: Database,
  accounts: readonly string[],
  { entries = ENTRIES, least = LEAST }: Round,
) {
  const more = await database.use(
    ({ sql }) =>
      scalar<string[] | null>(
        sql`select to_json(ledger_fold(${textArray(accounts)}::text::uuid[], ${entries}, ${least}))`,
      ),
    { deadlineMs: DEADLINE_MS },
  )
  return more ?? undefined
}

/**
 * Compares the daily sums with the entries, one partition at a time, so that no statement reads more than a month.
 * Archived days have no entries and are not compared. @returns accounts whose sums are wrong.
 */
export async function wrongLedgerDays(database: Database): Promise<string[]> {
  const deadline = { deadlineMs: CHECK_DEADLINE_MS }
  const ends = await database.use(
    ({ sql }) => sql<{ until: string }[]>`
      select ledger_archived_until()::text as until
       union all (select p.until::text from ledger_parts() p where p.until > ledger_archived_until() order by p.until)
       union all select 'infinity'`,
    deadline,
  )
  const wrong = new Set<string>()
  for (const [place, { until }] of ends.slice(1).entries()) {
    const since = ends[place]?.until ?? ''
    const rows = await database.use(
      ({ sql }) => sql<{ id: string }[]>`
        select ledger_days_wrong(${since}::text::timestamptz, ${until}::text::timestamptz) as id`,
      deadline,
    )
    for (const { id } of rows) wrong.add(id)
  }
  const lost = await database.use(
    ({ sql }) => sql<{ id: string }[]>`select ledger_folds_wrong() as id`,
    deadline,
  )
  for (const { id } of lost) wrong.add(id)
  return [...wrong].sort()
}

/** Recomputes the daily sums of these accounts. Meanwhile their figures are read from the entries. */
export async function refoldLedger(database: Database, accounts: readonly string[]): Promise<void> {
  if (accounts.length === 0) return
  await database.use(({ sql }) => sql`select ledger_unfold(${textArray(accounts)}::text::uuid[])`, {
    deadlineMs: CHECK_DEADLINE_MS,
  })
  await foldAccounts(database, accounts, {})
}

/** Folds all entries of these accounts. Waits while another instance folds. */
export async function foldAccounts(
  database: Database,
  accounts: readonly string[],
  round: Round = { least: 1 },
): Promise<void> {
  const due = [...accounts]
  while (due.length > 0) {
    const bite = due.slice(0, ACCOUNTS)
    const more = await fold(database, bite, round)
    if (more) due.splice(0, bite.length, ...more)
    else await setTimeout(OTHERS_MS)
  }
}

/** An account with its number of unfolded entries. */
export interface Behind {
  id: string
  entries: number
}

/**
 * Folds at least the given number of entries of each account, accounts of similar size together. Pauses after each statement while
 * calls are answered.
 * @param behind accounts with fewest entries first
 */
export async function foldEntries(
  database: Database,
  behind: readonly Behind[],
  areCallsAnswered: AreCallsAnswered,
): Promise<void> {
  let due = [...behind]
  while (due.length > 0) {
    const startedMs = performance.now()
    const bite = alike(due)
    const entries = Math.min(ENTRIES, bite.at(-1)?.entries ?? 1)
    const more = await fold(
      database,
      bite.map(({ id }) => id),
      { entries, least: 1 },
    )
    if (more) {
      const left = bite.map(({ id, entries: all }) => ({ id, entries: all - entries }))
      due = [...due.slice(bite.length), ...left.filter((account) => account.entries > 0)]
    }
    const tookMs = performance.now() - startedMs
    if (!more) await setTimeout(OTHERS_MS)
    else if (due.length > 0 && (await areCallsAnswered())) await setTimeout(REST * tookMs)
  }
}

/** The first accounts, as many as fit in one statement. */
function alike(due: readonly Behind[]): Behind[] {
  const end = due.findIndex(
    ({ entries }, place) =>
      place === FEW.accounts || (place + 1) * Math.min(ENTRIES, entries) > FEW.entries,
  )
  return due.slice(0, end < 0 ? undefined : Math.max(1, end))
}
