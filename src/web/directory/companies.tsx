/** @jsxImportSource hono/jsx */
/** `/projects`, `/investors`, `/services`: the lists of companies, with the API's filters. */
import {
  INVESTORS_PARAMETERS,
  PROJECTS_PARAMETERS,
  SERVICES_PARAMETERS,
} from '../../contract/parameters.ts'
import type { DirectoryName } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/company.ts'
import type { CompaniesQuery } from '../../directory/directory.ts'
import { Select, SortField, TextField } from '../components/fields.tsx'
import { type ListPage, listPage } from '../components/list.tsx'
import { CompanyRow, InvestorRow } from '../components/rows.tsx'
import { humanize } from '../components/text.tsx'
import type { Child } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { COMPANIES_PARAMETERS, valuesOf } from './list-query.ts'
import { investorRecord, projectRecord } from './view-models.ts'

const TOKENS = [
  { value: 'launched', label: 'Launched' },
  { value: 'pre', label: 'Not launched' },
]

export function projectsPage(context: PageContext): Page {
  const values = valuesOf(PROJECTS_PARAMETERS, context.query)
  return companiesPage(context, 'projects', values, {
    lead: 'Protocols, chains, wallets and institutions, with their teams and funding.',
    fields: (
      <>
        <Sector sectors={values.sector} />
        <Select name="token" label="Token" none="Any" options={TOKENS} chosen={values.token} />
        <SortField choices={PROJECTS_PARAMETERS.sort.choices} values={values} fallback="recent" />
      </>
    ),
  })
}

export function servicesPage(context: PageContext): Page {
  const values = valuesOf(SERVICES_PARAMETERS, context.query)
  return companiesPage(context, 'services', values, {
    lead: 'Auditors, law firms, agencies, exchanges and launchpads, with their teams.',
    fields: (
      <>
        <Sector sectors={values.sector} />
        <SortField choices={SERVICES_PARAMETERS.sort.choices} values={values} fallback="recent" />
      </>
    ),
  })
}

export function investorsPage(context: PageContext): Page {
  const values = valuesOf(INVESTORS_PARAMETERS, context.query)
  const { fundType, trustTier, sort } = INVESTORS_PARAMETERS
  return companiesPage(context, 'investors', values, {
    lead: 'Funds and angels, with their teams and portfolios.',
    fields: (
      <>
        <TextField
          name="fundType"
          label="Fund type"
          value={values.fundType}
          placeholder={`such as ${fundType.example}`}
        />
        <TextField
          name="trustTier"
          label="Trust tier"
          value={values.trustTier}
          placeholder={`such as ${trustTier.example}`}
        />
        <SortField choices={sort.choices} values={values} fallback="portfolio" />
      </>
    ),
  })
}

function companiesPage(
  context: PageContext,
  name: DirectoryName,
  values: ListPage['values'] & CompaniesQuery,
  texts: Pick<ListPage, 'lead' | 'fields'>,
): Page {
  const { companies, total } = context.directory.companies(name, values)
  return listPage({
    context,
    title: humanize(name),
    path: `/${name}`,
    parameters: COMPANIES_PARAMETERS[name],
    values,
    total,
    rows: companyRows(companies, name, context),
    ...texts,
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

function Sector({ sectors }: { sectors: readonly string[] }) {
  const value = sectors.join(', ') || undefined
  return (
    <TextField name="sector" label="Sector" value={value} placeholder="such as DeFi, Wallets" />
  )
}
