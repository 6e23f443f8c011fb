/** The three directories of companies: `/v1/projects`, `/v1/investors`, `/v1/services`. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import type { DirectoryName } from '../../contract/vocabulary.ts'
import type { Company, PortfolioRow } from '../../directory/company.ts'
import type { Directory } from '../../directory/directory.ts'
import type { Person } from '../../directory/person.ts'
import {
  investorItem,
  personMember,
  portfolioItem,
  projectDetail,
  projectItem,
} from '../../directory/render.ts'
import { arrayOf, lockedText, type Template, template } from '../../directory/template.ts'
import {
  apiEndpoint,
  listReading,
  missingReading,
  recordReading,
  type Sample,
} from '../endpoint.ts'
import * as samples from '../samples.ts'
import { envelope, sampleEnvelope } from './envelope.ts'

export const listProjects = apiEndpoint(ENDPOINTS.projects, {
  read: (directory, { sector: sectors, ...query }) =>
    listOf(directory.companies('projects', { ...query, sectors }), query, projectItem),
  sample: (query) => sampleList(samples.projects, query, projectItem),
})

export const readProject = apiEndpoint(ENDPOINTS.project, {
  // Any company kind resolves here; `companyType` tells which directory it lives in.
  read(directory, _, id) {
    const company = directory.company(id)
    if (!company) return missingReading()
    const record = projectDetail(company, directory.fundingRounds(company))
    return recordReading(members('project', record, directory.team(company)))
  },
  sample: () => sampleRecord('project', projectDetail(samples.projects[0], samples.rounds)),
})

export const listInvestors = apiEndpoint(ENDPOINTS.investors, {
  read: (directory, query) =>
    listOf(directory.companies('investors', { ...query, sectors: [] }), query, investorItem),
  sample: (query) => sampleList(samples.investors, query, investorItem),
})

export const readInvestor = apiEndpoint(ENDPOINTS.investor, {
  read(directory, _, id) {
    // Another company is a 404 here, even if it has backed rounds (D25).
    const fund = listedCompany(directory, 'investors', id)
    if (!fund) return missingReading()
    const more = portfolioMember(directory.portfolio(fund))
    return recordReading(members('investor', investorItem(fund), directory.team(fund), more))
  },
  sample: () =>
    sampleRecord(
      'investor',
      investorItem(samples.investors[0]),
      portfolioMember(samples.portfolio),
    ),
})

export const listServices = apiEndpoint(ENDPOINTS.services, {
  read: (directory, { sector: sectors, ...query }) =>
    listOf(directory.companies('services', { ...query, sectors }), query, projectItem),
  sample: (query) => sampleList(samples.services, query, projectItem),
})

export const readService = apiEndpoint(ENDPOINTS.service, {
  read(directory, _, id) {
    const service = listedCompany(directory, 'services', id)
    if (!service) return missingReading()
    return recordReading(members('service', projectItem(service), directory.team(service)))
  },
  sample: () => sampleRecord('service', projectItem(samples.services[0])),
})

function listedCompany(directory: Directory, name: DirectoryName, id: string): Company | undefined {
  const company = directory.company(id)
  return company && directory.lists(company, name) ? company : undefined
}

function portfolioMember(rows: readonly PortfolioRow[]): string {
  return `,"portfolio":[${rows.map(portfolioItem).join(',')}]`
}

type PageQuery = { page: number; limit: number }
type Render = (company: Company) => string

function listOf(found: ReturnType<Directory['companies']>, query: PageQuery, render: Render) {
  const { companies, total } = found
  return listReading(envelope(companies.map(render), total, query))
}

/** The members `<name>` and `team`, then `more`, which begins with a comma. */
function members(name: string, record: string, team: readonly Person[], more = ''): Template {
  return template`"${name}":${record},"team":${arrayOf(team.map(personMember))}${more}`
}

function sampleList(companies: readonly Company[], query: PageQuery, render: Render): Sample {
  const page = samples.page(companies, query.limit)
  const members = sampleEnvelope(page.length, query)
  return { data: `[${page.map(render).join(',')}]`, total: page.length, members }
}

function sampleRecord(name: string, record: string, more = ''): Sample {
  const body = members(name, record, samples.people, more)
  return { data: `[${record}]`, total: 1, members: lockedText(body) }
}
