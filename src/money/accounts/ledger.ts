/** Reports of an account's ledger: filtered pages, CSV and sums. */
import { csvLine } from '../../csv.ts'
import type { Connection, Database } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'
import { isUuid } from '../../database/uuid.ts'

export interface Entry {
  /** The order of entries, and the cursor of pages. */
  sequence: number
  at: string
  /** `carried` is the sum of older entries, which are archived in files. */
  kind: 'charge' | 'grant' | 'expiry' | 'reversal' | 'carried'
  /** Signed change of the balance. */
  credits: number
  balanceAfter: number
  requestId: string | null
  /** Path of the endpoint, or operation of the web application. */
  endpoint: string | null
  keyId: string | null
  /** Label of the key; `web` for the web application. */
  via: string | null
  /** Source of a grant or an expiry. */
  source: string | null
}

export interface LedgerFilter {
  key?: string | undefined
  endpoint?: string | undefined
  /** `YYYY-MM-DD`, a day in UTC. */
  day?: string | undefined
  /** Request id; the entries of an export or a bulk search share one. */
  request?: string | undefined
}

/** `before` is the `next` of the page before. */
type PageFilter = LedgerFilter & { before?: number | undefined }

const CSV_PAGE = 1_000

/** Entries that a page searches for a request id, which has no index: about 0.1 s. */
const SEARCHED = 20_000

/** `next` is the next page's `before`, null on the last page. A page filtered by request may be empty and have a `next`. */
type Page = { entries: Entry[]; next: number | null }

/** A page of entries that match every filter given, newest first. */
export async function ledgerPage(
  database: Database,
  accountId: string,
  filter: PageFilter = {},
  limit = 50,
  searched = SEARCHED,
): Promise<Page> {
  if (matchesNothing(filter)) return { entries: [], next: null }
  const from = await searchedFrom(database, accountId, filter, searched)
  const rows = await database.use(
    ({ sql }) => sql<Entry[]>`
      ${partOf(sql, accountId, filter, limit + 1)}
      select l.sequence::double precision, l.kind, l.credits, l.balance_after::double precision as "balanceAfter",
             l.at, l.request_id as "requestId", l.endpoint, l.key_id as "keyId", k.label as via, g.source
        from ledger l
        left join api_keys k on k.id = l.key_id
        left join credit_grants g on g.id = l.grant_id
       where l.account_id = ${accountId} ${conditions(sql, accountId, filter)}
         and l.sequence >= ${from ?? 0}::bigint
       order by l.sequence desc limit ${limit + 1}::integer`,
  )
  const entries = rows.slice(0, limit)
  return { entries, next: rows.length > limit ? (entries.at(-1)?.sequence ?? null) : from }
}

/**
 * Lower bound of a page's search for a request id. Entries of one may be anywhere, because callers choose the id.
 * @returns null if the page searches all that is left.
 */
async function searchedFrom(
  database: Database,
  accountId: string,
  { request, day, before }: PageFilter,
  searched: number,
): Promise<number | null> {
  if (request === undefined || day !== undefined) return null
  const [entry] = await database.use(
    ({ sql }) => sql<{ sequence: number }[]>`
      select sequence::double precision from ledger
       where account_id = ${accountId} and sequence < ${before ?? Number.MAX_SAFE_INTEGER}::bigint
       order by ledger.sequence desc offset ${searched - 1}::integer limit 1`,
  )
  return entry?.sequence ?? null
}

/**
 * Values of the filters: the account's keys, and the endpoints they called. Entries before `archivedUntil` (`YYYY-MM-DD`) are in
 * files; null if none is.
 */
export async function ledgerFilters(database: Database, accountId: string) {
  const [row] = await database.use(
    ({ sql }) => sql<LedgerChoices[]>`
      select (select coalesce(json_agg(json_build_object('id', id, 'label', label) order by created_at, id), '[]')
                from api_keys where account_id = ${accountId}) as keys,
             (select coalesce(json_agg(endpoint order by endpoint), '[]')
                from ledger_endpoints(${accountId}) endpoint) as endpoints,
             (select to_char(ledger_archived_until() at time zone 'UTC', 'YYYY-MM-DD') from accounts
               where id = ${accountId} and created_at < ledger_archived_until()) as "archivedUntil"`,
  )
  return row ?? { keys: [], endpoints: [], archivedUntil: null }
}

export interface LedgerChoices {
  keys: { id: string; label: string }[]
  endpoints: string[]
  archivedUntil: string | null
}

export interface DayUse {
  /** `YYYY-MM-DD`, in UTC. */
  day: string
  endpoint: string
  calls: number
  credits: number
}

/** Charged calls of the last `days` days (today is one), by day and endpoint; days without any are absent. */
export function creditsPerDay(database: Database, accountId: string, days = 30): Promise<DayUse[]> {
  return database.use(
    ({ sql }) => sql<DayUse[]>`
      select to_char(day, 'YYYY-MM-DD') as day, endpoint, sum(calls)::double precision as calls,
             sum(credits)::double precision as credits
        from ledger_use(${accountId}, ${lastDays(sql, days)})
       group by 1, 2 order by 1, 2`,
  )
}

/** SQL: start of the last `days` days in UTC, today included. */
export function lastDays(sql: Connection['sql'], days: number): Fragment {
  return sql`utc_start(utc_day(meter_now()) - ${days - 1}::integer)`
}

export const USAGE_GROUPS = ['day', 'endpoint', 'key'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** SQL of each group's name and of the order of groups. */
const GROUPINGS: Readonly<Record<UsageGroup, { name: string; order: string }>> = {
  day: { name: `to_char(day, 'YYYY-MM-DD')`, order: '1' },
  endpoint: { name: 'endpoint', order: '3 desc, 1' },
  key: { name: 'key_id::text', order: '3 desc, 1' },
}

/**
 * Charged calls and their credits since `sinceSeconds` ago: days in order, endpoints and keys by most credits.
 * @returns rows whose `group` is the day (UTC), the endpoint's path, or the key's id.
 */
export async function usage(
  database: Database,
  accountId: string,
  sinceSeconds: number,
  by: UsageGroup,
) {
  const { name, order } = GROUPINGS[by]
  return database.use(
    ({ sql }) => sql<{ group: string; calls: number; credits: number }[]>`
      select ${sql.unsafe(name)} as "group", sum(calls)::double precision as calls,
             sum(credits)::double precision as credits
        from ledger_use(${accountId}, meter_now() - make_interval(secs => ${sinceSeconds}))
       group by 1 order by ${sql.unsafe(order)}`,
  )
}

/**
 * SQL: entries of `ledger l` since `start`, a timestamptz. A condition on `at` alone would read the account's whole ledger, because
 * it has no index. The subqueries fix both limits of the scan before it begins.
 */
function entriesSince(sql: Connection['sql'], accountId: string, start: Fragment): Fragment {
  return sql`l.sequence >= (select ledger_since(${accountId}, ${start})) and l.at >= (select ${start})`
}

/** Total of a batch of reveals. */
export interface Charged {
  people: number
  credits: number
}

/** Reads the charges of a request in the last day, one per person. @throws DatabaseUnavailable */
export async function chargedFor(
  database: Database,
  accountId: string,
  request: string,
): Promise<Charged> {
  const [row] = await database.use(
    ({ sql }) => sql<Charged[]>`
      select count(*)::integer as people, coalesce(-sum(credits), 0)::integer as credits from ledger l
       where account_id = ${accountId} and kind = 'charge' and request_id = ${request}
         and ${entriesSince(sql, accountId, sql`meter_now() - interval '24 hours'`)}`,
  )
  return row ?? { people: 0, credits: 0 }
}

const CSV_COLUMNS: readonly (keyof Entry)[] = [
  'at',
  'kind',
  'endpoint',
  'via',
  'source',
  'credits',
  'balanceAfter',
  'requestId',
]

/** Yields the entries that match as CSV with a header, newest first, a page at a time. */
export async function* ledgerCsv(database: Database, accountId: string, filter: LedgerFilter = {}) {
  yield csvLine(CSV_COLUMNS)
  let before: number | undefined
  do {
    const page: Page = await ledgerPage(database, accountId, { ...filter, before }, CSV_PAGE)
    const lines = page.entries.map((entry) => csvLine(CSV_COLUMNS.map((name) => entry[name])))
    yield lines.join('')
    before = page.next ?? undefined
  } while (before !== undefined)
}

/** SQL: the account's entries of the day that begins at `start`; `ledger_since` reads two hours more. */
function entriesOfDay(sql: Connection['sql'], accountId: string, start: Fragment): Fragment {
  return sql`${entriesSince(sql, accountId, start)} and l.at < ${start} + interval '24 hours'
         and l.sequence < (select ledger_since(${accountId}, ${start} + interval '26 hours'))`
}

/** True for a filter whose key is no id or whose day is in no calendar. */
function matchesNothing({ key, day }: LedgerFilter): boolean {
  if (key !== undefined && !isUuid(key)) return true
  return day !== undefined && !isDay(day)
}

/** True for `YYYY-MM-DD` where the calendar has that day: JavaScript takes a 31 February for 3 March. */
export function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text
}

/** Filters by which the daily sums can narrow the range of sequence numbers. */
const hasPart = ({ key, endpoint, day }: LedgerFilter) =>
  (key !== undefined || endpoint !== undefined) && day === undefined

/** SQL: `part`, the range of sequence numbers that holds the newest entries of a key or an endpoint. */
function partOf(sql: Connection['sql'], accountId: string, filter: PageFilter, entries: number) {
  if (!hasPart(filter)) return sql``
  const { key = null, endpoint = null, before = null } = filter
  return sql`with part as materialized (
        select * from ledger_part(${accountId}, ${key}, ${endpoint}, ${before}::bigint, ${entries}::integer))`
}

/** SQL: `and …` for each filter. */
function conditions(sql: Connection['sql'], accountId: string, filter: PageFilter) {
  const { key, endpoint, day, request, before } = filter
  const start = sql`((${day ?? null}::date)::timestamp at time zone 'UTC')`
  return [
    key === undefined ? sql`` : sql`and l.key_id = ${key}`,
    endpoint === undefined ? sql`` : sql`and l.endpoint = ${endpoint}`,
    request === undefined ? sql`` : sql`and l.request_id = ${request}`,
    hasPart(filter)
      ? sql`and l.sequence >= (select first from part) and l.sequence < (select past from part)`
      : sql``,
    day === undefined ? sql`` : sql`and ${entriesOfDay(sql, accountId, start)}`,
    before === undefined ? sql`` : sql`and l.sequence < ${before}::bigint`,
  ]
}
