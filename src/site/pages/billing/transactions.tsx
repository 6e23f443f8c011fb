/** @jsxImportSource hono/jsx */
/** The ledger as the Usage page lists it, and `/balance/ledger.csv` with the same filters. */
import {
  type Entry,
  type LedgerFilter,
  ledgerCsv,
  ledgerFilters,
  ledgerPage,
} from '../../../money/accounts/ledger.ts'
import type { SignedInContext } from '../../http/page.ts'
import { ownCsvFile } from '../../http/rights.ts'
import { Submit } from '../../ui/actions.tsx'
import { Badge } from '../../ui/badges.tsx'
import { Field, Select } from '../../ui/form.tsx'
import { numbers, Table } from '../../ui/page-parts.tsx'
import { figure, humanize, Moment, plural } from '../../ui/text.tsx'

/** Entries on a page: on a phone the link to older ones stays a few screens away. */
const SHOWN = 25

/** Time limit of the search for matching entries. */
const SEARCH_MS = 1_000

type TransactionList = Awaited<ReturnType<typeof readTransactions>>

const FILTERS = ['key', 'endpoint', 'day', 'request'] as const

/**
 * Reads the page of the ledger that the query asks for, and what it can be filtered by. A cursor that is not a
 * number means the first page; `next`, the next older page's, is null on the last one.
 */
export async function readTransactions(context: SignedInContext) {
  const { database } = context.application
  const { id } = context.session.account
  const filter = filterOf(context)
  const cursor = new URLSearchParams(context.query).get('before') ?? ''
  const before = /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined
  const endsMs = performance.now() + SEARCH_MS
  let [choices, { entries, next }] = await Promise.all([
    ledgerFilters(database, id),
    ledgerPage(database, id, { ...filter, before }, SHOWN),
  ])
  while (entries.length === 0 && next !== null && performance.now() < endsMs) {
    ;({ entries, next } = await ledgerPage(database, id, { ...filter, before: next }, SHOWN))
  }
  return { filter, isFirstPage: before === undefined, entries, next, choices }
}

/** Answers `/balance/ledger.csv`: every entry that the page's filters match. */
export function transactionsFile(context: SignedInContext): Response {
  const { application, session } = context
  const lines = ledgerCsv(application.database, session.account.id, filterOf(context))
  return ownCsvFile(context, 'ledger', lines)
}

/** Filters of a query. Forms also send empty fields. */
function filterOf({ query }: SignedInContext): LedgerFilter {
  const parameters = new URLSearchParams(query)
  return Object.fromEntries(
    FILTERS.flatMap((name) => (parameters.get(name) ? [[name, parameters.get(name)]] : [])),
  )
}

function queryOf(filter: LedgerFilter, before?: number): string {
  const query = new URLSearchParams(Object.entries(filter))
  if (before !== undefined) query.set('before', String(before))
  return query.size > 0 ? `?${query}` : ''
}

interface TransactionsProps {
  context: SignedInContext
  list: TransactionList
}

export function Transactions({ context, list }: TransactionsProps) {
  const { filter, isFirstPage, entries, next, choices } = list
  const link = (query: string) => `${context.href(`/balance${query}`)}#ledger`
  return (
    <>
      <form class="filters" action={link('')}>
        <Select
          name="key"
          label="API key"
          none="All"
          options={choices.keys.map(({ id, label }) => ({ value: id, label }))}
          chosen={filter.key}
        />
        <Select
          name="endpoint"
          label="Endpoint"
          none="All"
          options={choices.endpoints.map((value) => ({ value, label: value }))}
          chosen={filter.endpoint}
        />
        <Field isOptional name="day" label="Day (UTC)" type="date" value={filter.day} />
        {filter.request ? <input type="hidden" name="request" value={filter.request} /> : null}
        <Submit tone="quiet">Filter</Submit>
        {queryOf(filter) === '' ? null : <a href={link('')}>Clear filters</a>}
      </form>
      {entries.length > 0 ? (
        <Entries
          entries={entries}
          isAll={isFirstPage && next === null && choices.archivedUntil === null}
        />
      ) : (
        <NoEntries isWhole={next === null} />
      )}
      {next === null ? <Archived until={choices.archivedUntil} day={filter.day} /> : null}
      <p class="pager">
        {isFirstPage ? null : <a href={link(queryOf(filter))}>Newest</a>}
        {next === null ? null : (
          <a rel="next" href={link(queryOf(filter, next))}>
            {entries.length > 0 ? 'Older' : 'Search older transactions'}
          </a>
        )}
        {entries.length > 0 || next !== null ? (
          <a href={context.href(`/balance/ledger.csv${queryOf(filter)}`)} download>
            Download as CSV
          </a>
        ) : null}
      </p>
    </>
  )
}

/** Note at the end of the list about archived transactions. */
function Archived({ until, day }: { until: string | null; day: string | undefined }) {
  if (until === null || (day !== undefined && day >= until)) return null
  return (
    <p class="note">
      Transactions before {until} are archived and not listed here. The balance carries their sum
      forward.
    </p>
  )
}

function NoEntries({ isWhole }: { isWhole: boolean }) {
  if (isWhole) return <p class="empty">No transactions match.</p>
  return (
    <p class="empty">
      None found so far, and older transactions are not searched yet. Choose a day to find it at
      once, or go on.
    </p>
  )
}

interface EntriesProps {
  entries: readonly Entry[]
  /** True if these are all matches, so that their sum is the total. */
  isAll: boolean
}

export function Entries({ entries, isAll }: EntriesProps) {
  const sum = entries.reduce((total, { credits }) => total + credits, 0)
  return (
    <>
      <p class="note">
        {plural(entries.length, 'transaction', 'transactions')}
        {isAll ? null : ' on this page'}, {signed(sum)} credits {isAll ? 'in total' : 'together'}.
      </p>
      <Table
        label="Transactions, newest first"
        isCards
        columns={[
          'Date (UTC)',
          { label: 'Description', card: 'title' },
          numbers('Credits', 'end'),
          numbers('Balance'),
          { label: 'API key', card: 'plain' },
          { label: 'Request ID', card: 'line' },
        ]}
        rows={entries.map((entry) => [
          <Moment at={entry.at} />,
          descriptionOf(entry),
          signed(entry.credits),
          figure(entry.balanceAfter),
          entry.via ? <bdi>{entry.via}</bdi> : '',
          entry.requestId ? <code class="id">{entry.requestId}</code> : '',
        ])}
      />
    </>
  )
}

const KIND_LABELS = { grant: 'Added', expiry: 'Expired' } as const

function descriptionOf({ kind, endpoint, source, credits, at }: Entry) {
  if (kind === 'charge') return <code class="id">{endpoint}</code>
  if (kind === 'carried') {
    return `Carried forward: the sum of all transactions before ${at.slice(0, 10)}`
  }
  const reversed = credits < 0 ? 'Taken back' : 'Given again'
  const label = kind === 'reversal' ? reversed : KIND_LABELS[kind]
  return (
    <Badge tone={credits > 0 ? 'good' : 'warn'}>
      {source ? `${label}: ${sourceName(source).toLowerCase()}` : label}
    </Badge>
  )
}

/** Display name of a source of credits. */
export function sourceName(source: string): string {
  return source === 'topup' ? 'Top-up' : humanize(source)
}

function signed(credits: number): string {
  return credits < 0 ? figure(credits) : `+${figure(credits)}`
}
