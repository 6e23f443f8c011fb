/** Archive of the ledger: a file for each old month, then one transaction that leaves each account an entry with the sum. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { syncPath } from '../../database/archive.ts'
import { type Database, DatabaseUnavailable, errorCode } from '../../database/client.ts'
import { isTrue, scalar } from '../../database/scalar.ts'
import { sumLedger } from './ledger-days.ts'

export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused'
}

/** A partition of the ledger. */
interface Part {
  name: string
  /** ISO 8601; null for the first one, which holds everything before its end. */
  since: string | null
  until: string
}

/** A month's file. Numbers that may exceed 2^53 are text. */
interface Month {
  file: string
  since: string | null
  until: string
  entries: number
  /** Sum of the entries' credits. */
  credits: string
  /** Sum of the sequence numbers. */
  numbers: string
  /** Hash of the file. */
  sha256: string
  bytes: number
}

export interface Archived extends Month {
  /** Accounts with an entry that carries their sum forward. */
  accounts: number
}

/** Deadline for reading one partition; nothing waits for it. */
const DEADLINE_MS = 600_000
/** Longest wait for a backup or a report that reads the ledger. */
const WAIT_MS = 3_600_000
/** Time after which a transaction that still reads the ledger is a long one; charges are short. */
const LOOK_MS = 300
/** Back-off after a lock timeout, during which charges waited. */
const TRY_MS = { first: 1_000, most: 30_000 }
/** SQLSTATE of a lock that is not available, and of a deadlock. */
const IN_USE = /^(55P03|40P01)$/
const REFUSED = '55000'

/**
 * Archives the months that end before `before`, oldest first. A month that was interrupted is begun again.
 * @param before start of a month, ISO 8601
 * @param folder for the files
 * @param onWait called with the readers of the ledger that hold it up
 * @returns the archived months, and the `next` partition, if it has entries
 * @throws ArchiveRefused, or an error of the system
 */
export async function archiveLedger(
  database: Database,
  folder: string,
  before: string,
  onWait: (holders: string) => void = () => {},
): Promise<{ archived: Archived[]; next: Part | undefined }> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const archived: Archived[] = []
  for (const part of await partsOf(database)) {
    if (part.until > before) {
      return { archived, next: (await hasEntries(database, part)) ? part : undefined }
    }
    // The sums of days are the only trace of an archived entry in the database.
    await sumLedger(database)
    const month = await writeMonth(database, folder, part)
    archived.push({ ...month, accounts: await takeAway(database, part, month, onWait) })
  }
  return { archived, next: undefined }
}

function hasEntries(database: Database, { name }: Part): Promise<boolean> {
  return database.use(({ sql }) => isTrue(sql`select exists (select from ${sql(name)})`))
}

/** Partitions of the ledger, oldest first. */
export function partsOf(database: Database): Promise<Part[]> {
  return database.use(({ sql }) => sql<Part[]>`select name, since, until from ledger_parts()`)
}

/**
 * State of the ledger for operators: the number of partitions, entries in none of them (`strays`; `late` ones belong to archived
 * months), and partitions that end before the last `months` months began.
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

/** Start of the month `months` before this one, by the database's time, as ISO 8601. */
export async function monthsAgo(database: Database, months: number): Promise<string> {
  const start = await database.use(({ sql }) =>
    scalar<string>(
      sql`select month_start(month_start(meter_now()) - make_interval(months => ${months}::integer))`,
    ),
  )
  return start ?? ''
}

const COLUMNS =
  'sequence,account_id,at,kind,credits,balance_after,request_id,endpoint,key_id,grant_id'

/**
 * Writes and syncs a month's file. Part of the file's name is its hash, so a run that was interrupted writes the same
 * file again, and no run writes over the file of another database.
 */
async function writeMonth(database: Database, folder: string, part: Part): Promise<Month> {
  const { name, since, until } = part
  const partial = join(folder, `${name}.partial`)
  const hash = createHash('sha256')
  let [entries, credits, numbers, bytes] = [0, 0n, 0n, 0]
  async function* lines() {
    yield `${COLUMNS}\r\n`
    for await (const bite of bitesOf(database, part)) {
      entries += bite.entries
      credits += BigInt(bite.credits)
      numbers += BigInt(bite.numbers)
      yield bite.lines
    }
  }
  async function* counted(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  try {
    // A file left by a killed run would keep its mode.
    await rm(partial, { force: true })
    const file = createWriteStream(partial, { flags: 'wx', mode: 0o600 })
    await pipeline(Readable.from(lines()), createGzip(), counted, file)
    await syncPath(partial)
    const sha256 = hash.digest('hex')
    const last = new Date(Date.parse(until) - 1).toISOString().slice(0, 7)
    const month = `ledger-${since === null ? 'until-' : ''}${last}-${sha256.slice(0, 16)}.csv.gz`
    await rename(partial, join(folder, month))
    await syncPath(folder)
    const sums = { entries, credits: String(credits), numbers: String(numbers) }
    return { file: month, since, until, ...sums, sha256, bytes }
  } finally {
    await rm(partial, { force: true })
  }
}

/** Pages that one statement reads; few, because the embedded database decides no charge meanwhile. */
const BITE_PAGES = 64

/** Rows as CSV with their sums. The unlocked person is left out, because an erasure could not reach the file. */
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
 * Replaces a partition by the accounts' carried entries, in one transaction. Dropping a partition waits for every reader of the
 * ledger, and charges wait behind it: so it begins when nobody reads for long, and gives up after a fifth of a second
 * (`archive_ledger_part`). @returns the number of accounts.
 */
async function takeAway(
  database: Database,
  { name }: Part,
  { entries, credits, numbers, file, sha256 }: Month,
  onWait: (holders: string) => void,
): Promise<number> {
  const endsMs = performance.now() + WAIT_MS
  let pauseMs = TRY_MS.first
  for (let reported = ''; ; ) {
    const holders = await readersOf(database, name)
    if (holders && performance.now() > endsMs) {
      throw new ArchiveRefused(`the ledger is being read by ${holders}: nothing of ${name} went`)
    }
    if (holders) {
      if (holders !== reported) onWait(holders)
      reported = holders
      continue
    }
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
    }
    await pause(pauseMs)
    pauseMs = Math.min(2 * pauseMs, TRY_MS.most)
  }
}

/** Descriptions of transactions that read the ledger or a partition, now and a while ago; empty where there is none. */
async function readersOf(database: Database, part: string): Promise<string> {
  const before = await holdersOf(database, part)
  if (before.size === 0) return ''
  await pause(LOOK_MS)
  const now = await holdersOf(database, part)
  const long = [...now].filter(([transaction]) => before.has(transaction))
  return long.map(([, holder]) => holder).join(', ')
}

/** Holders of a lock of the ledger or of a partition, by their transaction's virtual id. Any role may ask. */
async function holdersOf(database: Database, part: string): Promise<ReadonlyMap<string, string>> {
  const rows = await database.use(
    ({ sql }) => sql<{ transaction: string; holder: string }[]>`
      select distinct l.virtualtransaction as transaction,
             case when l.pid is null then 'a prepared transaction'
                  else concat('process ', l.pid, ' of ' || a.usename, ' (' || nullif(a.application_name, '') || ')') end as holder
        from pg_locks l left join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'relation' and l.granted and l.pid is distinct from pg_backend_pid()
         and l.database = (select oid from pg_database where datname = current_database())
         and l.relation in ('ledger'::regclass, ${part}::text::regclass)`,
  )
  return new Map(rows.map(({ transaction, holder }) => [transaction, holder]))
}
