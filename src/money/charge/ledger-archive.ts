/** Takes old months of the ledger into files: a file for each, then one transaction that leaves a carried entry for each account. */
import { setTimeout as pause } from 'node:timers/promises'
import { watchCalls } from '../../database/calls.ts'
import { type Database, DatabaseUnavailable, errorCode } from '../../database/client.ts'
import { isTrue, scalar } from '../../database/scalar.ts'
import { type Behind, foldEntries } from './ledger-days.ts'
import { LedgerFiles, type Month } from './ledger-files.ts'
import { holdersOf } from './ledger-holders.ts'
import { foldService } from './service-days.ts'

/** What can't be archived, and why. */
export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused'
}

/** A table of the ledger. */
interface Part {
  name: string
  /** ISO 8601; null for the first one, which holds everything before its end. */
  since: string | null
  until: string
}

export interface Archived extends Month {
  /** How many have an entry that carries their sum forward. */
  accounts: number
}

/** To read one table once, which nothing waits for. */
const DEADLINE_MS = 600_000
/** How long a backup or a report that reads the ledger is waited for: an hour. */
const WAIT_MS = 3_600_000
/** Between two looks at who reads the ledger: at first, and at most. */
const LOOK_MS = { first: 100, most: 2_000 }
/** After a try that found somebody there all the same, which charges waited for. */
const TRY_MS = { first: 1_000, most: 30_000 }
/** A lock that is not available, a deadlock; what the function refuses. */
const IN_USE = /^(55P03|40P01)$/
const REFUSED = '55000'

/**
 * Archives the months that end before `before`, oldest first, each by itself: one that was begun and not ended is begun again.
 * @param before the beginning of a month, ISO 8601
 * @param folder where their files and the manifest go
 * @param onWait told who reads the ledger where that is waited for
 * @returns what it archived, and the table that would have been next, where it has entries
 * @throws ArchiveRefused; the system's errors
 */
export async function archiveLedger(
  database: Database,
  folder: string,
  before: string,
  onWait: (holders: string) => void = () => {},
): Promise<{ archived: Archived[]; next: Part | undefined }> {
  const files = await LedgerFiles.in(folder)
  const archived: Archived[] = []
  for (const part of await partsOf(database)) {
    if (part.until > before) {
      return { archived, next: (await hasEntries(database, part)) ? part : undefined }
    }
    await foldWhole(database, part)
    await foldService(database, { forMs: DEADLINE_MS })
    const month = await files.write(part, () => bitesOf(database, part))
    archived.push({ ...month, accounts: await takeAway(database, part, month, onWait) })
  }
  return { archived, next: undefined }
}

function hasEntries(database: Database, { name }: Part): Promise<boolean> {
  return database.use(({ sql }) => isTrue(sql`select exists (select from ${sql(name)})`))
}

/** The tables of the ledger, oldest first. */
export function partsOf(database: Database): Promise<Part[]> {
  return database.use(({ sql }) => sql<Part[]>`select name, since, until from ledger_parts()`)
}

/**
 * What an operator would look at: the tables, entries in none of them (`strays`; `late` ones are of months that are in files), and
 * tables that end before the last `months` began.
 */
export async function ledgerState(database: Database, months: number | undefined) {
  const [row] = await database.use(
    ({ sql }) => sql<State[]>`
      with strays as (select month_start(at) as month, count(*) as n from ledger_default group by 1)
      select count(*)::integer as tables,
             coalesce(bool_or(meter_now() < until and (since <= meter_now()) is not false), false) as "hasThisMonth",
             (select coalesce(sum(n) filter (where not ledger_month_archived(month)), 0) from strays)::integer as strays,
             (select coalesce(sum(n) filter (where ledger_month_archived(month)), 0) from strays)::integer as late,
             (count(*) filter (where until <= month_start(month_start(meter_now()) - make_interval(months => ${months ?? null}::integer))))::integer as due
        from ledger_parts()`,
    { deadlineMs: DEADLINE_MS },
  )
  return row ?? { tables: 0, hasThisMonth: false, strays: 0, late: 0, due: 0 }
}

interface State {
  tables: number
  hasThisMonth: boolean
  strays: number
  late: number
  due: number
}

/** The beginning of the month that is `months` before this one, by the database's time, as ISO 8601. */
export async function monthsAgo(database: Database, months: number): Promise<string> {
  const start = await database.use(({ sql }) =>
    scalar<string>(
      sql`select month_start(month_start(meter_now()) - make_interval(months => ${months}::integer))`,
    ),
  )
  return start ?? ''
}

/** Adds what the table holds to the daily sums, which then know it alone. */
async function foldWhole(database: Database, { name }: Part): Promise<void> {
  const areCallsAnswered = watchCalls(database)
  for (;;) {
    const behind = await database.use(
      ({ sql }) => sql<Behind[]>`
        select account as id, entries::integer from ledger_part_unfolded(${name})`,
      { deadlineMs: DEADLINE_MS },
    )
    if (behind.length === 0) return
    await foldEntries(database, behind, areCallsAnswered)
  }
}

/** Pages of a table that a statement reads: the embedded database decides no charge meanwhile. */
const BITE_PAGES = 64

/** Rows of a table as lines of CSV, as they lie, and their sums. Whom a reveal unlocked stays out: an erasure could not reach it there. */
async function* bitesOf(database: Database, { name }: Part) {
  const pages = await database.use(({ sql }) =>
    scalar<number>(
      sql`select (pg_relation_size(${name}) / current_setting('block_size')::integer)::integer`,
    ),
  )
  for (let page = 0; page < (pages ?? 0); page += BITE_PAGES) {
    const [from, to] = [`(${page},0)`, `(${page + BITE_PAGES},0)`]
    const [bite] = await database.use(
      ({ sql }) => sql<{ entries: number; credits: string; numbers: string; lines: string }[]>`
        select count(*)::integer as entries, coalesce(sum(credits), 0)::text as credits,
               coalesce(sum(sequence), 0)::text as numbers,
               coalesce(string_agg(concat(
                 sequence, ',', account_id, ',', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ',',
                 kind, ',', credits, ',', balance_after, ',', '"' || replace(request_id, '"', '""') || '"', ',',
                 '"' || replace(endpoint, '"', '""') || '"', ',', key_id, ',', grant_id, e'\r\n'), ''), '') as lines
          from ${sql(name)} where ctid >= ${from}::text::tid and ctid < ${to}::text::tid`,
      { deadlineMs: DEADLINE_MS },
    )
    if (bite) yield bite
  }
}

/**
 * Replaces the table by the accounts' carried entries, in one transaction. It drops a table of the ledger, which waits for everybody
 * who reads any of them, and charges wait behind it. So it begins when nobody has been reading for long, and gives up for now
 * where it waits for a fifth of a second (`archive_ledger_part`). @returns how many accounts there are.
 */
async function takeAway(
  database: Database,
  { name }: Part,
  month: Month,
  onWait: (holders: string) => void,
): Promise<number> {
  const { entries, credits, numbers, file, sha256 } = month
  const endsMs = performance.now() + WAIT_MS
  for (let pauseMs = TRY_MS.first; ; pauseMs = Math.min(2 * pauseMs, TRY_MS.most)) {
    await untilFree(database, name, endsMs, onWait)
    try {
      const accounts = await database.use(
        ({ sql }) =>
          scalar<number>(sql`
            select archive_ledger_part(${name}, ${entries}, ${credits}::text::bigint, ${numbers}::text::numeric, ${file}, ${sha256})`),
        { deadlineMs: DEADLINE_MS },
      )
      return accounts ?? 0
    } catch (error) {
      const code = errorCode(error) ?? ''
      if (code === REFUSED && error instanceof Error) throw new ArchiveRefused(error.message)
      const isInUse = error instanceof DatabaseUnavailable && IN_USE.test(code)
      if (!isInUse || performance.now() > endsMs) throw error
      await pause(pauseMs)
    }
  }
}

/** Waits, with no lock and in no transaction, while one transaction goes on reading the ledger. @throws ArchiveRefused where it does at the end */
async function untilFree(
  database: Database,
  name: string,
  endsMs: number,
  onWait: (holders: string) => void,
): Promise<void> {
  let told = ''
  let pauseMs = LOOK_MS.first
  let before = await holdersOf(database, name)
  while (before.size > 0) {
    await pause(pauseMs)
    const now = await holdersOf(database, name)
    // Whoever was not there before is one of many short ones, as charges are.
    const long = [...now].filter(([transaction]) => before.has(transaction))
    if (long.length === 0) return
    const holders = long.map(([, holder]) => holder).join(', ')
    if (performance.now() > endsMs) {
      throw new ArchiveRefused(`the ledger is being read by ${holders}: nothing of ${name} went`)
    }
    if (holders !== told) onWait(holders)
    told = holders
    before = now
    pauseMs = Math.min(2 * pauseMs, LOOK_MS.most)
  }
}
