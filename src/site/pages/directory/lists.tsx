/** @jsxImportSource hono/jsx */
/** `/people`, `/projects`, `/investors` and `/services`: lists with filters, orders and facets. */

import type { Parameters } from '../../../contract/query.ts'
import type { DirectoryName, ListName } from '../../../contract/vocabulary.ts'
import type { BrowsedPage } from '../../../directory/records/directory.ts'
import { ASSETS } from '../../http/assets.ts'
import type { Child } from '../../http/html.ts'
import type { Page, PageContext } from '../../http/page.ts'
import {
  facetNames,
  LIST_PARAMETERS,
  listedCompanies,
  listedPeople,
} from '../../profiles/directory-lists.ts'
import { facetNamesOf } from '../../profiles/filter-facts.ts'
import { COLUMNS, ROWS } from '../../profiles/list-rows.tsx'
import { SelectionForm } from '../../profiles/selection.tsx'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { ActiveFilters, FILTERS_SHOWN } from '../../ui/active-filters.tsx'
import { type FacetField, FacetFields } from '../../ui/facet-fields.tsx'
import { SearchField, SortField } from '../../ui/form.tsx'
import { queryOf, valuesOf } from '../../ui/list-query.ts'
import { type ListColumn, type ListRow, ListTable } from '../../ui/list-table.tsx'
import { Notice } from '../../ui/page-parts.tsx'
import { Pager, PastTheEnd } from '../../ui/pager.tsx'
import { Shared, type SharedPart, sharedPart } from '../../ui/shared-part.ts'
import { figure, humanize, wordList } from '../../ui/text.tsx'
import { viewLinks } from '../kept/views.tsx'

type Counted = BrowsedPage<unknown, string>['facets']

function facetFields(
  { directory }: PageContext,
  list: keyof typeof LIST_PARAMETERS,
  values: Readonly<Record<string, unknown>>,
  counted: Counted,
): FacetField[] {
  return facetNames(LIST_PARAMETERS[list]).map((name) => ({
    name,
    ...facetNamesOf(name, directory),
    values: counted[name] ?? [],
    chosen: values[name] as readonly string[],
  }))
}

/**
 * Selected values that no record of the list has any more.
 * @param countAll counts one facet over the whole list
 */
function unknownIn(
  fields: readonly FacetField[],
  countAll: (name: string, chosen: readonly string[]) => FacetField['values'],
) {
  return fields.flatMap(({ name, legend, values, chosen }) => {
    const isIn = (known: FacetField['values'], one: string) =>
      known.some(({ value }) => value.toLowerCase() === one.toLowerCase())
    const left = chosen.filter((one) => !isIn(values, one))
    if (left.length === 0) return []
    const all = countAll(name, left)
    return left.filter((one) => !isIn(all, one)).map((value) => ({ legend, value }))
  })
}

/** Query for the counts of one facet over the whole list. */
const narrowedBy = (name: string, chosen: readonly string[]) =>
  ({ wanted: { [name]: chosen }, page: 1, limit: 1 }) as const

export async function peoplePage(context: PageContext): Promise<Page> {
  const values = valuesOf(LIST_PARAMETERS.people, context.query)
  const { directory } = context
  const read = readList(context, 'people', values, {
    listed: listedPeople(directory, values),
    rowOf: (person) => ROWS.people(person, context),
  })
  return listPage({
    context,
    title: 'People',
    lead: 'Founders, operators and allocators, with the channels on file for each.',
    path: '/people',
    parameters: LIST_PARAMETERS.people,
    values,
    ...read,
    orders: LIST_PARAMETERS.people.sort.choices,
    unknown: unknownIn(read.fields, (facet, chosen) => {
      const all: Counted = directory.browsePeople(narrowedBy(facet, chosen)).facets
      return all[facet] ?? []
    }),
    columns: COLUMNS.people,
    selection: <SelectionForm context={context} />,
    views: await viewLinks(context, 'people', values),
  })
}

const LEADS = {
  projects: 'Protocols, chains, wallets and institutions, with their teams and funding.',
  investors: 'Funds and angels, with their teams and portfolios.',
  services: 'Auditors, law firms, agencies, exchanges and launchpads, with their teams.',
} as const satisfies Record<DirectoryName, string>

export const projectsPage = (context: PageContext) => companiesPage(context, 'projects')
export const investorsPage = (context: PageContext) => companiesPage(context, 'investors')
export const servicesPage = (context: PageContext) => companiesPage(context, 'services')

async function companiesPage(context: PageContext, name: DirectoryName): Promise<Page> {
  const parameters = LIST_PARAMETERS[name]
  const values = valuesOf(parameters, context.query)
  const { directory } = context
  const read = readList(context, name, values, {
    listed: listedCompanies(directory, name, values),
    rowOf: (company) => ROWS[name](company, context),
  })
  return listPage({
    context,
    title: humanize(name),
    lead: LEADS[name],
    path: `/${name}`,
    parameters,
    values,
    ...read,
    orders: parameters.sort.choices,
    unknown: unknownIn(read.fields, (facet, chosen) => {
      const all: Counted = directory.browseCompanies(name, narrowedBy(facet, chosen)).facets
      return all[facet] ?? []
    }),
    columns: COLUMNS[name],
    selection: context.session ? <SelectionForm context={context} kind="companies" /> : null,
    views: await viewLinks(context, name, values),
  })
}

interface Listing<R> {
  listed: BrowsedPage<R, string>
  rowOf: (record: R) => ListRow
}

/** Reads a list. All readers of the URL share facets and rows; boxes depend on being signed in. */
function readList<R>(
  context: PageContext,
  list: ListName,
  values: Readonly<Record<string, unknown>> & { q?: string | undefined },
  { listed, rowOf }: Listing<R>,
) {
  const address = list + queryOf(LIST_PARAMETERS[list], values)
  const boxes = context.session ? 'with boxes' : 'without'
  const { records, total, all, facets: counted } = listed
  const fields = facetFields(context, list, values, counted)
  return {
    total,
    all,
    fields,
    facets: sharedPart(context, `facets of ${address}`, () => fields),
    rows: sharedPart(context, `rows of ${address} ${boxes}`, () => records.map(rowOf)),
  }
}

interface ListPage {
  context: PageContext
  title: string
  /** One sentence on what the list holds. */
  lead: string
  path: string
  parameters: Parameters
  /** The parsed parameters. */
  values: Readonly<Record<string, unknown>> & {
    q?: string | undefined
    sort?: string | undefined
    more?: string | undefined
    within?: string | undefined
    view?: string | undefined
    page: number
    limit: number
  }
  total: number
  /** The number of records without query and filters. */
  all: number
  /** The orders that can be chosen. */
  orders: readonly string[]
  fields: readonly FacetField[]
  /** The part of the page that shows the fields. */
  facets: SharedPart<readonly FacetField[]>
  columns: readonly ListColumn[]
  rows: SharedPart<readonly ListRow[]>
  /** Stands above the rows: the form of their boxes. */
  selection?: Child
  /** Stands above the filters in force: the account's views. */
  views: Child
  /** Chosen values that no record of the list has, whatever else is chosen. */
  unknown: readonly { legend: string; value: string }[]
}

/** The form's id, by which boxes that stand outside it belong to it. */
const FORM = 'list'

function listPage(list: ListPage): Page {
  const { context, title, lead, path, values } = list
  const address = (changes: Readonly<Record<string, unknown>>) =>
    context.href(path) +
    queryOf(list.parameters, { ...values, more: undefined, within: undefined, ...changes })
  const { filters, count, ticked } = activeFilters(list, address)
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
        <SearchForm list={list} />
        <div class="said unseen" id="said" role="status"></div>
        <div class="browse" id="browse">
          <Facets list={list} ticked={ticked} address={address} />
          <div id="results">
            {list.views}
            <Unknown values={list.unknown} />
            <ActiveFilters filters={filters} count={count} clear={address(noFilters(list))} />
            <Results list={list} address={address} />
          </div>
        </div>
        <script src={context.href(ASSETS.lists.path)} defer></script>
      </>
    ),
  }
}

/** Query and order. Autocomplete is off so that the fields have the values of the address, not those of an earlier visit. */
function SearchForm({ list }: { list: ListPage }) {
  return (
    <form
      class="filters"
      id={FORM}
      action={list.context.href(list.path)}
      autocomplete="off"
      data-list="browse"
      data-said="said"
    >
      <SearchField id="list-q" label="Search" value={list.values.q} shortcut="/" />
      <SortField choices={list.orders} values={list.values} />
      {list.values.view ? <input type="hidden" name="view" value={list.values.view} /> : null}
      {list.values.more ? <input type="hidden" name="more" value={list.values.more} /> : null}
      <Submit>Show</Submit>
    </form>
  )
}

interface FacetsProps extends ListProps {
  /** The number of ticked values. */
  ticked: number
}

function Facets({ list, ticked, address }: FacetsProps) {
  return (
    <details class="facets" open={list.values.more !== undefined}>
      <summary class="button quiet small">Filters{ticked > 0 ? ` (${ticked})` : null}</summary>
      <Shared part={list.facets}>
        {(fields) => (
          <FacetFields
            form={FORM}
            fields={fields}
            more={list.values.more}
            within={list.values.within}
            moreHref={(name) => address({ more: name })}
          />
        )}
      </Shared>
      <Submit tone="quiet" form={FORM}>
        Show results
      </Submit>
    </details>
  )
}

function Unknown({ values }: { values: ListPage['unknown'] }) {
  if (values.length === 0) return null
  const words = values.map(({ legend, value }) => `${legend}: ${value}`)
  return (
    <Notice tone="warn">
      Nothing on this list has what is asked for here any more, or ever had:{' '}
      {wordList(words, FILTERS_SHOWN)}.
    </Notice>
  )
}

interface ListProps {
  list: ListPage
  /** Returns the link to the list with other values. */
  address(changes: Readonly<Record<string, unknown>>): string
}

function Results({ list, address }: ListProps) {
  const { context, title, path, values, total } = list
  if (total === 0) {
    return (
      <>
        <p class="count">Nothing matches.</p>
        <div class="empty">
          <p>Try fewer filters, or another spelling.</p>
          <p>
            <QuietLink href={context.href(path)}>Clear all</QuietLink>
          </p>
        </div>
      </>
    )
  }
  const last = Math.ceil(total / values.limit)
  if (values.page > last) {
    return (
      <PastTheEnd last={last} href={address({ page: last })}>
        {figure(total)} {title.toLowerCase()}
      </PastTheEnd>
    )
  }
  const filters = queryOf(list.parameters, exported(values))
  return (
    <>
      <div class="above">
        <p class="count">
          <Range list={list} />
        </p>
        {context.session ? (
          <p class="note">
            <a href={context.href(`/export${path}`) + filters}>Export as CSV</a>
          </p>
        ) : null}
      </div>
      {list.selection}
      <Shared part={list.rows}>
        {(rows) => (
          <ListTable
            label={title}
            columns={list.columns}
            rows={rows}
            order={values.sort ?? (values.q ? undefined : list.orders[0])}
            sorted={(order) => address({ sort: order, page: 1 })}
          />
        )}
      </Shared>
      <Pager page={values.page} totalPages={last} href={(page) => address({ page })} />
    </>
  )
}

/** An export has the list's filters and order, on as many rows as there are. */
const exported = (values: ListPage['values']) => ({
  ...values,
  page: undefined,
  limit: undefined,
  more: undefined,
  within: undefined,
  view: undefined,
})

function Range({ list: { total, all, title, values } }: { list: ListPage }) {
  const first = (values.page - 1) * values.limit + 1
  const last = Math.min(first + values.limit - 1, total)
  return (
    <>
      <strong>{figure(total)}</strong> {total < all ? `of ${figure(all)} ` : null}
      {title.toLowerCase()}
      {last - first + 1 < total ? `, ${figure(first)} to ${figure(last)}` : null}
    </>
  )
}

/** The number of active filters, and the first ones, each with the address that removes it. */
function activeFilters({ values, fields }: ListPage, address: ListProps['address']) {
  const search = values.q ? [{ text: `“${values.q}”`, without: { q: undefined } }] : []
  const chosen = fields.flatMap(({ name, chosen, values: known, labels }) =>
    chosen.map((one) => {
      const isIt = ({ value }: { value: string }) => value.toLowerCase() === one.toLowerCase()
      const text = labels?.(one) ?? known.find(isIt)?.label ?? one
      return { text, without: { [name]: chosen.filter((other) => other !== one) } }
    }),
  )
  const all = [...search, ...chosen]
  const filters = all
    .slice(0, FILTERS_SHOWN)
    .map(({ text, without }) => ({ text, href: address({ ...without, page: 1 }) }))
  return { filters, count: all.length, ticked: chosen.length }
}

/** Leaves the order as it is. */
function noFilters({ fields }: ListPage): Readonly<Record<string, undefined>> {
  return Object.fromEntries(
    ['q', 'page', 'view', ...fields.map(({ name }) => name)].map((it) => [it, undefined]),
  )
}
