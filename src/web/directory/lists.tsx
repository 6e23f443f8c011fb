/** @jsxImportSource hono/jsx */
/** The lists of people, `/people`, and of companies, `/projects`, `/investors`, `/services`. */
import type { DirectoryName } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/company.ts'
import { CHANNEL_NAMES } from '../components/contact.tsx'
import type { FacetField } from '../components/facet-fields.tsx'
import { listPage } from '../components/list.tsx'
import type { ListColumn } from '../components/list-table.tsx'
import { CompanyRow, InvestorRow } from '../components/rows.tsx'
import { SelectionForm } from '../components/selection.tsx'
import { humanize } from '../components/text.tsx'
import type { Child } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { valuesOf } from './list-query.ts'
import { fundRow, personRow, projectRow, serviceRow } from './list-rows.tsx'
import { facetNames, LIST_PARAMETERS, listedCompanies, listedPeople } from './listed.ts'
import { investorRecord, projectRecord } from './view-models.ts'

/** What a facet is called, and its values where they are words of ours. */
const FACETS: Readonly<Record<string, Pick<FacetField, 'legend' | 'labels'>>> = {
  roles: { legend: 'Role', labels: humanize },
  channels: {
    legend: 'Channel on file',
    labels: (value) => CHANNEL_NAMES[value as keyof typeof CHANNEL_NAMES].label,
  },
  company: { legend: 'Company' },
  contactType: { legend: 'Contact type', labels: humanize },
  kind: { legend: 'Kind', labels: humanize },
  sector: { legend: 'Sector' },
  chain: { legend: 'Chain' },
  token: {
    legend: 'Token',
    labels: (value) => (value === 'launched' ? 'Launched' : 'Not launched'),
  },
  stage: { legend: 'Last round', labels: humanize },
  raised: { legend: 'Last raised in' },
  fundType: { legend: 'Fund type', labels: humanize },
  trustTier: { legend: 'Trust tier', labels: humanize },
  entity: {
    legend: 'Firm or angel',
    labels: (value) => (value.toLowerCase() === 'individual' ? 'Angel' : 'Firm'),
  },
}

/** Facets in the order of the list's parameters. */
function facetFields(
  { directory }: PageContext,
  list: keyof typeof LIST_PARAMETERS,
  values: Readonly<Record<string, unknown>>,
  counted: Readonly<Record<string, FacetField['values']>>,
): FacetField[] {
  const companyName = (slug: string) => directory.company(slug)?.name ?? slug
  return facetNames(LIST_PARAMETERS[list]).map((name) => ({
    name,
    legend: FACETS[name]?.legend ?? humanize(name),
    labels: name === 'company' ? companyName : FACETS[name]?.labels,
    values: counted[name] ?? [],
    chosen: values[name] as readonly string[],
  }))
}

const FOLLOWERS: ListColumn = { label: 'Followers', order: 'followers', isNumber: true }
const RAISED: ListColumn = { label: 'Raised', order: 'raised', isNumber: true }
const LAST_ROUND: ListColumn = { label: 'Last round', order: 'last-round' }

export function peoplePage(context: PageContext): Page {
  const parameters = LIST_PARAMETERS.people
  const values = valuesOf(parameters, context.query)
  const { records, total, all, facets } = listedPeople(context.directory, values)
  return listPage({
    context,
    title: 'People',
    lead: 'Founders, operators and allocators, with the channels on file for each.',
    path: '/people',
    ...{ parameters, values, total, all },
    orders: parameters.sort.choices,
    facets: facetFields(context, 'people', values, facets),
    columns: [
      { label: 'Name', order: 'name' },
      { label: 'Company' },
      { label: 'Channels on file' },
      FOLLOWERS,
    ],
    rows: records.map((person) => personRow(person, context)),
    selection: <SelectionForm context={context} />,
  })
}

const LEADS = {
  projects: 'Protocols, chains, wallets and institutions, with their teams and funding.',
  investors: 'Funds and angels, with their teams and portfolios.',
  services: 'Auditors, law firms, agencies, exchanges and launchpads, with their teams.',
} as const satisfies Record<DirectoryName, string>

const NAME: ListColumn = { label: 'Name', order: 'name' }
const SECTORS: ListColumn = { label: 'Sectors', isExtra: true }

const COLUMNS: Readonly<Record<DirectoryName, readonly ListColumn[]>> = {
  projects: [
    NAME,
    SECTORS,
    RAISED,
    LAST_ROUND,
    { label: 'Investors', order: 'investors', isNumber: true },
    FOLLOWERS,
  ],
  investors: [
    NAME,
    { label: 'Kind' },
    { label: 'Investments', order: 'portfolio', isNumber: true },
    { label: 'Newest investment', isExtra: true },
    { label: 'Return', order: 'roi', isNumber: true },
    FOLLOWERS,
  ],
  services: [NAME, { label: 'Kind' }, SECTORS, RAISED, LAST_ROUND, FOLLOWERS],
}

const ROWS = { projects: projectRow, investors: fundRow, services: serviceRow } as const

export const projectsPage = (context: PageContext) => companiesPage(context, 'projects')
export const investorsPage = (context: PageContext) => companiesPage(context, 'investors')
export const servicesPage = (context: PageContext) => companiesPage(context, 'services')

function companiesPage(context: PageContext, name: DirectoryName): Page {
  const parameters = LIST_PARAMETERS[name]
  const values = valuesOf(parameters, context.query)
  const { records, total, all, facets } = listedCompanies(context.directory, name, values)
  return listPage({
    context,
    title: humanize(name),
    lead: LEADS[name],
    path: `/${name}`,
    ...{ parameters, values, total, all },
    orders: parameters.sort.choices,
    facets: facetFields(context, name, values, facets),
    columns: COLUMNS[name],
    rows: records.map((company) => ROWS[name](company, context)),
  })
}

/** The companies as rows of their directory's list. */
export function companyRows(
  companies: readonly Company[],
  name: DirectoryName,
  context: PageContext,
): Child[] {
  return companies.map((company) =>
    name === 'investors' ? (
      <InvestorRow fund={investorRecord(company)} context={context} />
    ) : (
      <CompanyRow company={projectRecord(company)} context={context} />
    ),
  )
}
