/** @jsxImportSource hono/jsx */
/** The page of a list: filters, the number of results, the records, the pager. */
import type { Parameters } from '../../contract/query.ts'
import { queryOf } from '../directory/list-query.ts'
import type { Child } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { QuietLink } from './actions.tsx'
import { figure } from './text.tsx'

export interface ListPage {
  context: PageContext
  title: string
  /** One sentence on what the list holds. */
  lead: string
  path: string
  parameters: Parameters
  /** The parsed parameters. */
  values: Readonly<Record<string, unknown>> & {
    q?: string | undefined
    page: number
    limit: number
  }
  total: number
  /** Form fields after the search text. */
  fields: Child
  rows: readonly Child[]
}

export function listPage(list: ListPage): Page {
  const { context, title, lead, path, values, total } = list
  const address = (changes: Readonly<Record<string, unknown>>) =>
    context.href(path) + queryOf(list.parameters, { ...values, ...changes })
  const filters = queryOf(list.parameters, { ...values, page: undefined, limit: undefined })
  return {
    title,
    description: lead,
    shape: 'wide',
    // Search engines index the list without parameters, not every filter of it.
    canonical: path,
    isUnlisted: context.query !== '',
    main: (
      <>
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        <form class="filters" action={context.href(path)}>
          <div class="field grows">
            <label for="list-q">Search</label>
            <input id="list-q" type="search" name="q" value={values.q} maxlength={200} />
          </div>
          {list.fields}
          <button class="button" type="submit">
            Show
          </button>
        </form>
        <Active list={list} address={address} />
        <div id="results">
          <p class="count" role="status">
            {total === 0 ? 'Nothing matches.' : <Range list={list} />}
          </p>
          {total === 0 ? (
            <Empty href={context.href(path)} />
          ) : (
            <>
              <ul class="rows">{list.rows}</ul>
              {context.session ? (
                <p class="note">
                  <a href={context.href(`/export${path}`) + filters}>Export as CSV</a>
                </p>
              ) : null}
              <Pager
                page={values.page}
                totalPages={Math.ceil(total / values.limit)}
                href={(page) => address({ page })}
              />
            </>
          )}
        </div>
      </>
    ),
  }
}

function Range({ list: { total, values } }: { list: ListPage }) {
  const first = (values.page - 1) * values.limit + 1
  if (first > total) return <>This page is past the end: there are {figure(total)}.</>
  return (
    <>
      {figure(first)} to {figure(Math.min(first + values.limit - 1, total))} of{' '}
      <strong>{figure(total)}</strong>
    </>
  )
}

function Empty({ href }: { href: string }) {
  return (
    <div class="empty">
      <p>Try fewer filters, or another spelling: every word must match.</p>
      <p>
        <QuietLink href={href}>Clear all</QuietLink>
      </p>
    </div>
  )
}

interface ActiveProps {
  list: ListPage
  address(changes: Readonly<Record<string, unknown>>): string
}

/** Active filters, each a link that removes it. */
function Active({ list: { parameters, values }, address }: ActiveProps) {
  const active = Object.keys(parameters).flatMap((name) => {
    const value = values[name]
    if (['page', 'limit', 'sort'].includes(name) || value === undefined) return []
    if (!Array.isArray(value)) {
      return [{ text: String(value), href: address({ [name]: undefined, page: 1 }) }]
    }
    return value.map((one: unknown) => ({
      text: String(one),
      href: address({ [name]: value.filter((other) => other !== one), page: 1 }),
    }))
  })
  if (active.length === 0) return null
  return (
    <ul class="active" aria-label="Active filters">
      {active.map(({ text, href }) => (
        <li>
          <a href={href} aria-label={`Remove ${text}`}>
            {text} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

interface PagerProps {
  page: number
  totalPages: number
  href(page: number): string
}

/** @param href returns the link to a page of this list */
export function Pager({ page, totalPages, href }: PagerProps) {
  if (totalPages <= 1) return null
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 ? (
        <a rel="prev" href={href(Math.min(page - 1, totalPages))}>
          Previous
        </a>
      ) : null}
      {around(page, totalPages).map((number, i, all) => (
        <>
          {number - (all[i - 1] ?? number - 1) > 1 ? <span class="gap">…</span> : null}
          <a
            href={href(number)}
            aria-label={`Page ${number}`}
            aria-current={number === page ? 'page' : undefined}
          >
            {figure(number)}
          </a>
        </>
      ))}
      {page < totalPages ? (
        <a rel="next" href={href(page + 1)}>
          Next
        </a>
      ) : null}
    </nav>
  )
}

/** Returns the first and the last page, the current one and its neighbours. */
function around(page: number, totalPages: number): number[] {
  const near = [1, page - 1, page, page + 1, totalPages]
  return [...new Set(near)]
    .filter((number) => number >= 1 && number <= totalPages)
    .sort((a, b) => a - b)
}
