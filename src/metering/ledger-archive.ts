/** Takes old months of the ledger into files (D175): a file for each, then one transaction that leaves a carried entry for each account. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, DatabaseUnavailable, errorCode } from '../database/client.ts'
import { scalar } from '../database/scalar.ts'
import { type Behind, foldEntries } from './ledger-days.ts'
import { LedgerFiles, type Month } from './ledger-files.ts'

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
/** While the ledger's tables are in use, by a long report for example. */
const TRIES = 120
const PAUSE_MS = 1_000
/** A lock that is not available, a deadlock; what the function refuses. */
const IN_USE = /^(55P03|40P01)$/
const REFUSED = '55000'

/**
 * Archives the months that end before `before`, oldest first, each by itself: one that was begun and not ended is begun again.
 * @param before the beginning of a month, ISO 8601
 * @param folder where their files and the manifest go
 * @returns what it archived, and the table that would have been next
 * @throws ArchiveRefused; the system's errors
 */
export async function archiveLedger(
  database: Database,
  folder: string,
  before: string,
): Promise<{ archived: Archived[]; next: Part | undefined }> {
  const files = await LedgerFiles.in(folder)
  const archived: Archived[] = []
  for (const part of await partsOf(database)) {
    if (part.until > before) return { archived, next: part }
    await foldWhole(database, part)
    const month = await files.write(part, () => bitesOf(database, part))
    archived.push({ ...month, accounts: await takeAway(database, part, month) })
  }
  return { archived, next: undefined }
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
  for (;;) {
    const behind = await database.use(
      ({ sql }) => sql<Behind[]>`
        select account as id, entries::integer from ledger_part_unfolded(${name})`,
      { deadlineMs: DEADLINE_MS },
    )
    if (behind.length === 0) return
    await foldEntries(database, behind)
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

/** Replaces the table by the accounts' carried entries, in one transaction. @returns how many there are. */
async function takeAway(database: Database, { name }: Part, month: Month): Promise<number> {
  const { entries, credits, numbers, file, sha256 } = month
  for (let tries = 1; ; tries++) {
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
      if (!(error instanceof DatabaseUnavailable && IN_USE.test(code)) || tries === TRIES)
        throw error
      await pause(PAUSE_MS)
    }
  }
}
