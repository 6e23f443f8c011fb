/** @jsxImportSource hono/jsx */
/** `/projects`, `/investors`, `/services`: the lists of companies, with the API's filters. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import type { DirectoryName } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/company.ts'
import { Field, Select, SortField } from '../components/form.tsx'
import { listPage } from '../components/list.tsx'
import { CompanyRow, InvestorRow } from '../components/rows.tsx'
import { humanize } from '../components/text.tsx'
import type { Child } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { parameterLabel, valuesOf } from './list-query.ts'
import { investorRecord, projectRecord } from './view-models.ts'

const LEADS = {
  projects: 'Protocols, chains, wallets and institutions, with their teams and funding.',
  investors: 'Funds and angels, with their teams and portfolios.',
  services: 'Auditors, law firms, agencies, exchanges and launchpads, with their teams.',
} as const satisfies Record<DirectoryName, string>

const { fundType, trustTier } = ENDPOINTS.investors.parameters

/** Examples for the filters that are typed. */
const EXAMPLES = {
  sector: 'DeFi, Wallets',
  fundType: fundType.example,
  trustTier: trustTier.example,
}

const TOKENS = [
  { value: 'launched', label: 'Launched' },
  { value: 'pre', label: 'Not launched' },
]

export const projectsPage = (context: PageContext) => companiesPage(context, 'projects')
export const investorsPage = (context: PageContext) => companiesPage(context, 'investors')
export const servicesPage = (context: PageContext) => companiesPage(context, 'services')

function companiesPage(context: PageContext, name: DirectoryName): Page {
  const parameters = ENDPOINTS[name].parameters
  const values = valuesOf(parameters, context.query)
  const { companies, total } = context.directory.companies(name, values)
  const sent: Readonly<Record<string, unknown>> = values
  const { choices } = parameters.sort
  return listPage({
    context,
    title: humanize(name),
    lead: LEADS[name],
    path: `/${name}`,
    parameters,
    values,
    total,
    fields: (
      <>
        {Object.entries(EXAMPLES)
          .filter(([filter]) => filter in parameters)
          .map(([filter, example]) => (
            <Field
              isOptional
              name={filter}
              label={parameterLabel(filter)}
              value={[sent[filter] ?? []].flat().join(', ') || undefined}
              placeholder={`such as ${example}`}
            />
          ))}
        {'token' in values ? (
          <Select name="token" label="Token" none="Any" options={TOKENS} chosen={values.token} />
        ) : null}
        <SortField choices={choices} values={values} fallback={choices[0]} />
      </>
    ),
    rows: companyRows(companies, name, context),
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
