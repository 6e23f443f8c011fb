/** @jsxImportSource hono/jsx */
/** The ledger, line by line, on `/balance`; and `/balance/ledger.csv`, by the same filters. */
import {
  type Entry,
  type LedgerFilter,
  ledgerCsv,
  type ledgerFilters,
  type ledgerPage,
} from '../../accounts/ledger.ts'
import { Badge } from '../components/badges.tsx'
import { Select } from '../components/fields.tsx'
import { Table } from '../components/table.tsx'
import { figure, humanize, Moment, plural } from '../components/text.tsx'
import type { Child, Html } from '../http/html.ts'
import type { SignedInContext } from '../http/page.ts'
import { csvFile } from '../http/streams.ts'

/** What of the ledger is asked for: which entries, and those before which one. */
export interface Asked {
  filter: LedgerFilter
  /** The `next` of the page before; undefined is the first page. */
  before: number | undefined
}

/** What is no cursor is the first page. @param query of the page or the file */
export function askedOf(query: string): Asked {
  const asked = new URLSearchParams(query)
  const before = asked.get('before') ?? ''
  return {
    // A form sends fields that were left empty.
    filter: Object.fromEntries(
      FILTERS.flatMap((name) => (asked.get(name) ? [[name, asked.get(name)]] : [])),
    ),
    before: /^\d{1,15}$/.test(before) ? Number(before) : undefined,
  }
}

const FILTERS = ['key', 'endpoint', 'day', 'request'] as const

/** `/balance/ledger.csv`, with the page's filters: every page of it. */
export function ledgerFile({ application, session, query }: SignedInContext): Response {
  const { filter } = askedOf(query)
  return csvFile('ledger', ledgerCsv(application.database, session.account.id, filter))
}

/** A page of the ledger with its filters and the ways on. @param choices what there is to filter by */
export function Ledger({
  context,
  asked: { filter, before },
  choices,
  page: { entries, next },
}: {
  context: SignedInContext
  asked: Asked
  choices: Awaited<ReturnType<typeof ledgerFilters>>
  page: Awaited<ReturnType<typeof ledgerPage>>
}): Html {
  return (
    <>
      <Filters context={context} filter={filter} choices={choices} />
      <Lines entries={entries} />
      <p class="pager">
        {before === undefined ? null : <a href={linkTo(context, filter)}>Newest</a>}
        {next === null ? null : (
          <a rel="next" href={linkTo(context, filter, next)}>
            Older
          </a>
        )}
        <a href={context.href(`/balance/ledger.csv${queryOf(filter)}`)} download>
          {queryOf(filter) === '' ? 'All of it as CSV' : 'These as CSV'}
        </a>
      </p>
    </>
  )
}

function queryOf(filter: LedgerFilter, before?: number): string {
  const query = new URLSearchParams(Object.entries(filter))
  if (before !== undefined) query.set('before', String(before))
  return query.size > 0 ? `?${query}` : ''
}

function linkTo(context: SignedInContext, filter: LedgerFilter, before?: number): string {
  return `${context.href(`/balance${queryOf(filter, before)}`)}#ledger`
}

function Filters({
  context,
  filter,
  choices,
}: {
  context: SignedInContext
  filter: LedgerFilter
  choices: Awaited<ReturnType<typeof ledgerFilters>>
}): Html {
  return (
    <form class="filters" action={linkTo(context, {})}>
      <Select
        name="key"
        label="Key"
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
      <div class="field">
        <label for="field-day">Day (UTC)</label>
        <input id="field-day" type="date" name="day" value={filter.day} />
      </div>
      {filter.request ? <input type="hidden" name="request" value={filter.request} /> : null}
      <button class="button quiet" type="submit">
        Show
      </button>
      {queryOf(filter) === '' ? null : <a href={linkTo(context, {})}>Show all</a>}
    </form>
  )
}

function Lines({ entries }: { entries: readonly Entry[] }): Html {
  if (entries.length === 0) return <p class="empty">There are no such entries.</p>
  const sum = entries.reduce((total, { credits }) => total + credits, 0)
  return (
    <>
      <p class="note">
        {plural(entries.length, 'entry', 'entries')}, {signed(sum)} together.
      </p>
      <Table
        label="Ledger, newest first"
        columns={[
          { label: 'When (UTC)' },
          { label: 'What' },
          { label: 'Credits', isNumber: true },
          { label: 'Balance after', isNumber: true },
          { label: 'Via' },
          { label: 'Request' },
        ]}
        rows={entries.map((entry) => [
          <Moment at={entry.at} />,
          whatOf(entry),
          signed(entry.credits),
          figure(entry.balanceAfter),
          entry.via ?? '',
          entry.requestId ? <code class="id">{entry.requestId}</code> : '',
        ])}
      />
    </>
  )
}

function whatOf({ kind, endpoint, source }: Entry): Child {
  if (kind === 'charge') return <code class="id">{endpoint}</code>
  const label = { grant: 'Credits', expiry: 'Expired', reversal: 'Taken back' }[kind]
  return (
    <Badge tone={kind === 'grant' ? 'good' : 'warn'}>
      {source ? `${label}: ${sourceName(source).toLowerCase()}` : label}
    </Badge>
  )
}

/** Where credits came from, in words. */
export function sourceName(source: string): string {
  return source === 'topup' ? 'Top-up' : humanize(source)
}

/** With its sign, the true minus among them. */
function signed(credits: number): string {
  return credits < 0 ? `−${figure(-credits)}` : `+${figure(credits)}`
}
