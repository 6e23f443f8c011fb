/** @jsxImportSource hono/jsx */
/** `/people`, `/projects`, `/investors` and `/services`: lists with filters, orders and facets. */
import type { DirectoryName, ListName } from '../../../contract/vocabulary.ts'
import type { BrowsedPage } from '../../../directory/records/directory.ts'
import type { Page, PageContext } from '../../http/page.ts'
import { consistentRead } from '../../profiles/consistent-read.ts'
import {
  type Counting,
  facetNames,
  inSteps,
  LIST_PARAMETERS,
  listedCompanies,
  listedPeople,
  rowsInSteps,
} from '../../profiles/directory-lists.ts'
import { facetNamesOf } from '../../profiles/filter-facts.ts'
import { COLUMNS, ROWS } from '../../profiles/list-rows.tsx'
import { SelectionForm } from '../../profiles/selection.tsx'
import type { FacetField } from '../../ui/facet-fields.tsx'
import { listPage } from '../../ui/list.tsx'
import { queryOf, valuesOf } from '../../ui/list-query.ts'
import type { ListRow } from '../../ui/list-table.tsx'
import { sharedPart } from '../../ui/shared-part.ts'
import { humanize } from '../../ui/text.tsx'
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
  const read = await readList(context, 'people', values, {
    listed: (counting) => listedPeople(directory, { ...values, ...counting }),
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
  const read = await readList(context, name, values, {
    listed: (counting) => listedCompanies(directory, name, { ...values, ...counting }),
    rowOf: (company) => ROWS[name](company, context),
  })
  return listPage({
    context,
    title: humanize(name),
    lead: LEADS[name],
    path: `/${name}`,
    ...{ parameters, values, ...read },
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
  listed: (counting: Counting) => BrowsedPage<R, string>
  rowOf: (record: R) => ListRow
}

/** Reads a list from one state of the directory. All readers of the URL share facets and rows; boxes depend on being signed in. */
function readList<R>(
  context: PageContext,
  list: ListName,
  values: Readonly<Record<string, unknown>> & { q?: string | undefined },
  { listed, rowOf }: Listing<R>,
) {
  const address = list + queryOf(LIST_PARAMETERS[list], values)
  const boxes = context.session ? 'with boxes' : 'without'
  return consistentRead(context.directory, function* () {
    const { records, total, all, facets: counted } = yield* inSteps(values.q, listed)
    const fields = facetFields(context, list, values, counted)
    return {
      total,
      all,
      fields,
      // biome-ignore lint/correctness/useYield: fields are made already
      facets: yield* sharedPart(context, `facets of ${address}`, function* () {
        return fields
      }),
      rows: yield* sharedPart(context, `rows of ${address} ${boxes}`, () =>
        rowsInSteps(records, rowOf),
      ),
    }
  })
}
