/** @jsxImportSource hono/jsx */
/** The lists of people, `/people`, and of companies, `/projects`, `/investors`, `/services`, with the API's filters. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { PEOPLE_PARAMETERS } from '../../contract/parameters.ts'
import { CONTACT_TYPES, type DirectoryName } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/company.ts'
import { CHANNEL_NAMES } from '../components/contact.tsx'
import { Checkboxes, Field, Select, SortField } from '../components/form.tsx'
import { listPage } from '../components/list.tsx'
import { CompanyRow, InvestorRow, PersonRow } from '../components/rows.tsx'
import { humanize } from '../components/text.tsx'
import type { Child } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { parameterLabel, valuesOf } from './list-query.ts'
import { investorRecord, personRecord, projectRecord } from './view-models.ts'

export function peoplePage(context: PageContext): Page {
  const values = valuesOf(PEOPLE_PARAMETERS, context.query)
  const { people, total, facets } = context.directory.people(values)
  return listPage({
    context,
    title: 'People',
    lead: 'Founders, operators and allocators, with the channels on file for each.',
    path: '/people',
    parameters: PEOPLE_PARAMETERS,
    values,
    total,
    fields: (
      <>
        <SortField choices={PEOPLE_PARAMETERS.sort.choices} values={values} fallback="recent" />
        <Select
          name="contactType"
          label="Contact type"
          none="Any"
          options={CONTACT_TYPES.map((value) => ({ value, label: humanize(value) }))}
          chosen={values.contactType}
        />
        <details class="more" open={values.roles.length > 0 || values.channels.length > 0}>
          <summary>Roles and channels</summary>
          <Checkboxes
            name="roles"
            legend="Roles"
            boxes={withChosen(facets.roles, values.roles)}
            chosen={values.roles}
          />
          <Checkboxes
            name="channels"
            legend="Channels on file"
            boxes={withChosen(facets.channels, values.channels).map((box) => ({
              ...box,
              label: CHANNEL_NAMES[box.value as keyof typeof CHANNEL_NAMES].label,
            }))}
            chosen={values.channels}
          />
        </details>
      </>
    ),
    rows: people.map((person) => <PersonRow person={personRecord(person)} context={context} />),
  })
}

/** The facets, and the chosen values that they don't count: a ticked box never disappears. */
function withChosen(
  facets: readonly { value: string; count: number }[],
  chosen: readonly string[],
) {
  const known = new Set(facets.map(({ value }) => value))
  const others = chosen.filter((value) => !known.has(value.toLowerCase()))
  return [...facets, ...others.map((value) => ({ value, count: 0 }))]
}

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
