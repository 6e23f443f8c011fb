/** @jsxImportSource hono/jsx */
/** `/requests`: the account's latest calls of the API, errors with what to do about them. */

import { isErrorCode } from '../../../contract/errors.ts'
import { uuidOf } from '../../../database/uuid.ts'
import { KEPT_CALLS, WRITTEN_AFTER_MS } from '../../../money/accounts/request-log.ts'
import {
  isAskedFor,
  type RequestEntry,
  type RequestFilter,
  requestsOf,
  STATUS_CLASSES,
} from '../../../money/accounts/requests.ts'
import type { Page, SignedInContext } from '../../http/page.ts'
import { Submit } from '../../ui/actions.tsx'
import { Cure, StatusBadge } from '../../ui/call-status.tsx'
import { Select } from '../../ui/form.tsx'
import { type Column, numbers, personalPage, Table } from '../../ui/page-parts.tsx'
import { Pager } from '../../ui/pager.tsx'
import { figure, Moment, plural } from '../../ui/text.tsx'

const PER_PAGE = 50

const STATUS_NAMES = { '2xx': 'Answered', '4xx': 'Refused (4xx)', '5xx': 'Failed (5xx)' } as const

export async function requestsPage(context: SignedInContext): Promise<Page> {
  const { database, requests } = context.application
  const { id } = context.session.account
  // Writes this process's queue; other processes write within seconds.
  await requests?.write(id)
  const all = await requestsOf(database, id)
  const parameters = new URLSearchParams(context.query)
  const filter = filterOf(parameters)
  const matches = all.filter(isAskedFor(filter))
  const totalPages = Math.max(1, Math.ceil(matches.length / PER_PAGE))
  const page = Math.min(pageOf(parameters), totalPages)
  const href = (number: number) => context.href(`/requests${queryOf(filter, number)}`)
  return personalPage(
    { title: 'Requests', shape: 'wide' },
    <>
      <p class="lead">
        The latest {figure(KEPT_CALLS)} calls of this account’s keys. A call shows within{' '}
        {WRITTEN_AFTER_MS / 1_000} seconds of its end.
      </p>
      {requests ? null : (
        <p class="note">The operator has switched the log off: calls are not added.</p>
      )}
      {requests && all.length === 0 ? (
        <p class="empty">
          No calls yet. <a href={context.href('/docs')}>Make the first one</a>
        </p>
      ) : null}
      {all.length > 0 ? (
        <>
          <Filters context={context} all={all} filter={filter} />
          <p class="note">
            {plural(matches.length, 'call', 'calls')}
            {matches.length < all.length ? ` of ${figure(all.length)}` : ''}. Times are in UTC, and
            each call has its request id. Ids of records and values of parameters are not kept.
          </p>
          <Requests
            context={context}
            entries={matches.slice((page - 1) * PER_PAGE, page * PER_PAGE)}
          />
          <Pager page={page} totalPages={totalPages} href={href} />
        </>
      ) : null}
    </>,
  )
}

/** Filters of a query; invalid values are ignored. */
function filterOf(parameters: URLSearchParams): RequestFilter {
  return {
    status: STATUS_CLASSES.find((each) => each === parameters.get('status')),
    key: uuidOf(parameters.get('key')),
    path: parameters.get('path') || undefined,
  }
}

function pageOf(parameters: URLSearchParams): number {
  const page = parameters.get('page') ?? ''
  return /^[1-9]\d{0,3}$/.test(page) ? Number(page) : 1
}

function queryOf(filter: RequestFilter, page: number): string {
  const active = Object.entries(filter).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(active as [string, string][])
  if (page > 1) query.set('page', String(page))
  return query.size > 0 ? `?${query}` : ''
}

interface FiltersProps {
  context: SignedInContext
  all: readonly RequestEntry[]
  filter: RequestFilter
}

function Filters({ context, all, filter }: FiltersProps) {
  const keys = new Map(all.map(({ key }) => [key.id, `${key.label} (${key.prefix}…)`]))
  const paths = [...new Set(all.map(({ path }) => path))].sort()
  const options = (values: Iterable<readonly [string, string]>) =>
    [...values].map(([value, label]) => ({ value, label }))
  return (
    <form class="filters" action={context.href('/requests')}>
      <Select
        name="status"
        label="Outcome"
        none="All"
        options={options(Object.entries(STATUS_NAMES))}
        chosen={filter.status}
      />
      <Select name="key" label="API key" none="All" options={options(keys)} chosen={filter.key} />
      <Select
        name="path"
        label="Endpoint"
        none="All"
        options={options(paths.map((path) => [path, path] as const))}
        chosen={filter.path}
      />
      <Submit tone="quiet">Filter</Submit>
      {queryOf(filter, 1) === '' ? null : <a href={context.href('/requests')}>Clear filters</a>}
    </form>
  )
}

const COLUMNS: readonly Column[] = [
  'Time',
  { label: 'Call', card: 'title' },
  { label: 'Status', card: 'end' },
  numbers('Credits', 'unit'),
  numbers('ms', 'unit'),
  { label: 'Key', card: 'plain' },
]

interface RequestsProps {
  context: SignedInContext
  entries: readonly RequestEntry[]
}

function Requests({ context, entries }: RequestsProps) {
  if (entries.length === 0) return <p class="empty">No calls match.</p>
  // The cure of an error is shown once, at the first call that ended with it.
  const explained = new Set(
    [...Map.groupBy(entries, ({ code }) => code).values()].map(([first]) => first),
  )
  return (
    <Table
      label="Requests"
      isCards
      columns={COLUMNS}
      rows={entries.map((entry) => [
        <Moment at={entry.at} />,
        <>
          <p class="asked">
            <Asked entry={entry} />
          </p>
          <code class="id">{entry.requestId}</code>
          {isErrorCode(entry.code) ? (
            <Cure context={context} code={entry.code} isShort={!explained.has(entry)} />
          ) : null}
        </>,
        <StatusBadge entry={entry} />,
        entry.credits === null ? 'not known' : figure(entry.credits),
        entry.tookMs,
        <span>
          <bdi>{entry.key.label}</bdi> <code class="number">{entry.key.prefix}…</code>
        </span>,
      ])}
    />
  )
}

/** Method, path and names of parameters of a call. */
export function Asked({ entry: { method, path, parameters } }: { entry: RequestEntry }) {
  return (
    <>
      <code>
        {method} {path}
      </code>
      {parameters.length > 0 ? <span class="note"> with {parameters.join(', ')}</span> : null}
    </>
  )
}
