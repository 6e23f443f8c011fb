/** @jsxImportSource hono/jsx */
/** `/projects`, `/investors`, `/services`: the lists of companies, with the filters of the API's. */
import {
  INVESTORS_PARAMETERS,
  PROJECTS_PARAMETERS,
  SERVICES_PARAMETERS,
} from '../../contract/parameters.ts'
import { Select, TextField } from '../components/fields.tsx'
import { listPage } from '../components/list.tsx'
import { CompanyRow, InvestorRow } from '../components/rows.tsx'
import type { Page, PageContext } from '../http/page.ts'
import { valuesOf } from './list-query.ts'
import { ORDERS } from './orders.ts'
import { investorRecord, projectRecord } from './view-models.ts'

const TOKENS = [
  { value: 'launched', label: 'Launched' },
  { value: 'pre', label: 'Not yet' },
]

export function projectsPage(context: PageContext): Page {
  const values = valuesOf(PROJECTS_PARAMETERS, context.query)
  const { companies, total } = context.directory.companies('projects', {
    ...values,
    sectors: values.sector,
  })
  return listPage({
    context,
    title: 'Projects',
    lead: 'Protocols, chains, wallets, institutions: who builds them, and who paid for it.',
    path: '/projects',
    parameters: PROJECTS_PARAMETERS,
    values,
    total,
    fields: (
      <>
        <Sector sectors={values.sector} />
        <Select name="token" label="Token" none="Any" options={TOKENS} chosen={values.token} />
        <Order options={ORDERS.projects} values={values} none="Newest" />
      </>
    ),
    rows: companies.map((company) => (
      <CompanyRow company={projectRecord(company)} context={context} />
    )),
  })
}

export function servicesPage(context: PageContext): Page {
  const values = valuesOf(SERVICES_PARAMETERS, context.query)
  const { companies, total } = context.directory.companies('services', {
    ...values,
    sectors: values.sector,
  })
  return listPage({
    context,
    title: 'Services',
    lead: 'Auditors, counsel, agencies, exchanges and launchpads, with their teams.',
    path: '/services',
    parameters: SERVICES_PARAMETERS,
    values,
    total,
    fields: (
      <>
        <Sector sectors={values.sector} />
        <Order options={ORDERS.services} values={values} none="Newest" />
      </>
    ),
    rows: companies.map((company) => (
      <CompanyRow company={projectRecord(company)} context={context} />
    )),
  })
}

export function investorsPage(context: PageContext): Page {
  const values = valuesOf(INVESTORS_PARAMETERS, context.query)
  const { companies, total } = context.directory.companies('investors', { ...values, sectors: [] })
  return listPage({
    context,
    title: 'Investors',
    lead: 'Funds and angels, with their teams and what they put money into.',
    path: '/investors',
    parameters: INVESTORS_PARAMETERS,
    values,
    total,
    fields: (
      <>
        <TextField
          name="fundType"
          label="Kind of fund"
          value={values.fundType}
          placeholder={`such as ${INVESTORS_PARAMETERS.fundType.example}`}
        />
        <TextField
          name="trustTier"
          label="Trust tier"
          value={values.trustTier}
          placeholder={`such as ${INVESTORS_PARAMETERS.trustTier.example}`}
        />
        <Order options={ORDERS.investors} values={values} none="Largest portfolio" />
      </>
    ),
    rows: companies.map((company) => (
      <InvestorRow fund={investorRecord(company)} context={context} />
    )),
  })
}

function Sector({ sectors }: { sectors: readonly string[] }) {
  return (
    <TextField
      name="sector"
      label="Sector"
      value={sectors.join(', ') || undefined}
      placeholder="such as DeFi, Wallets"
    />
  )
}

/** @param none the order where none is chosen and nothing is searched for (D31). */
function Order({
  options,
  values: { q, sort },
  none,
}: {
  options: readonly { value: string; label: string }[]
  values: { q?: string | undefined; sort?: string | undefined }
  none: string
}) {
  return (
    <Select
      name="sort"
      label="Order"
      none={q ? 'Best match' : none}
      options={options}
      chosen={sort}
    />
  )
}
