/** Keeps the daily sums of the ledger: folds entries into them from time to time, checks them, makes them anew. */
import { setTimeout } from 'node:timers/promises'
import type { AreCallsAnswered } from '../../database/calls.ts'
import type { Database } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'

/** How soon charges are in the sums. Until then those who ask read them one by one. */
export const FOLD_EVERY_MS = 60_000

/** An account is looked at once its balance has moved so far. */
const MIN_CREDITS = 100
/** Entries from which an account is folded. Fewer are read in a millisecond, and most accounts never have as many. */
const LEAST = 500
/** A statement folds at most so many entries of each of so many accounts: the embedded database decides no charge meanwhile. */
const ENTRIES = 500
const ACCOUNTS = 5
/** A statement that folds so many entries may be of so many accounts. */
const FEW = { entries: ENTRIES * ACCOUNTS, accounts: 250 }
/** Accounts whose balance one statement compares. */
const LOOKED_AT = 4_000
/** Accounts of one round, those with most entries to fold. */
const ROUND_ACCOUNTS = 10_000
const ROUND_MS = 30_000
/** After each statement a round waits so many times as long as that took: without pauses charges were a third slower. */
const REST = 2
/** For how long a statement of another instance that folds is waited for at a time. */
const OTHERS_MS = 100
/** Entries of the past stand anywhere on the disk. */
const DEADLINE_MS = 60_000
const CHECK_DEADLINE_MS = 300_000

interface Round {
  /** How far an account's balance must have moved, in credits. */
  minCredits?: number
  /** From how many entries on an account is folded. */
  least?: number
  /** Entries that a statement takes of an account. */
  entries?: number
  /** How long the round may begin further statements. */
  forMs?: number
}

/**
 * Folds what accounts were charged since the last round, where another instance doesn't. What one round doesn't reach
 * is the next one's: nobody's figures depend on it, only how long they take.
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
  /** The last account that was looked at; null where there was none. */
  last: string | null
  due: string[]
  moved: number[]
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** @returns accounts whose balance moved so far, those with most entries to fold first. */
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

/** @returns the accounts that may have more; undefined where another instance folds. */
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
 * Compares the daily sums with the entries, one of the ledger's tables after the other, so that no statement takes longer than a month does.
 * Days that are in files have no entries any more, and are not compared. @returns the accounts whose sums are wrong.
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

/** Makes the daily sums of these accounts anew. While it does, their figures are read from the entries. */
export async function refoldLedger(database: Database, accounts: readonly string[]): Promise<void> {
  if (accounts.length === 0) return
  await database.use(({ sql }) => sql`select ledger_unfold(${textArray(accounts)}::text::uuid[])`, {
    deadlineMs: CHECK_DEADLINE_MS,
  })
  await foldAccounts(database, accounts, {})
}

/** Adds all that these accounts have to the sums, however little. Waits while another instance folds. */
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

/** An account, and how many of its entries are to be added to the sums. */
export interface Behind {
  id: string
  entries: number
}

/**
 * Adds so many entries of these accounts to the sums, or a few more: accounts with as many at a time. Rests after each statement while
 * calls are answered.
 * @param behind those with fewest entries first
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

/** The first of them, as many as one statement takes. */
function alike(due: readonly Behind[]): Behind[] {
  const end = due.findIndex(
    ({ entries }, place) =>
      place === FEW.accounts || (place + 1) * Math.min(ENTRIES, entries) > FEW.entries,
  )
  return due.slice(0, end < 0 ? undefined : Math.max(1, end))
}
