/** @jsxImportSource hono/jsx */
/** The page of a list: filters, the number of results, the records, the pager. */
import type { Parameters } from '../../contract/query.ts'
import { queryOf } from '../directory/list-query.ts'
import type { Child } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { QuietLink } from './actions.tsx'
import { ActiveFilters } from './active-filters.tsx'
import { Pager } from './pager.tsx'
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
            <div class="empty">
              <p>Try fewer filters, or another spelling: every word must match.</p>
              <p>
                <QuietLink href={context.href(path)}>Clear all</QuietLink>
              </p>
            </div>
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

interface ListProps {
  list: ListPage
  /** Returns the link to the list with other values. */
  address(changes: Readonly<Record<string, unknown>>): string
}

/** Active filters, each a link that removes it. */
function Active({ list: { parameters, values }, address }: ListProps) {
  const active = Object.keys(parameters).flatMap((name) => {
    if (['page', 'limit', 'sort'].includes(name)) return []
    const chosen = [values[name] ?? []].flat()
    return chosen.map((one) => {
      const others = chosen.filter((other) => other !== one)
      return { text: String(one), href: address({ [name]: others, page: 1 }) }
    })
  })
  return <ActiveFilters filters={active} />
}
