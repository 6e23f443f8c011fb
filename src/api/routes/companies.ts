/** The three directories of companies: `/v1/projects`, `/v1/investors`, `/v1/services`. */

import { ENDPOINTS } from '../../contract/endpoints.ts'
import type { Company } from '../../directory/company.ts'
import type { Directory } from '../../directory/directory.ts'
import type { Person } from '../../directory/person.ts'
import {
  investorItem,
  personMember,
  portfolio,
  projectDetail,
  projectItem,
} from '../../directory/render.ts'
import { arrayOf, lockedText, type Template, template } from '../../directory/template.ts'
import {
  apiEndpoint,
  listReading,
  missingReading,
  type Reading,
  recordReading,
  type Sample,
} from '../endpoint.ts'
import {
  sampleInvestors,
  samplePage,
  samplePeople,
  sampleProjects,
  sampleServices,
} from '../samples.ts'
import { envelope, sampleEnvelope } from './envelope.ts'

export const listProjects = apiEndpoint(ENDPOINTS.projects, {
  read: (directory, { sector: sectors, ...query }) =>
    listOf(directory.companies('projects', { ...query, sectors }), query, projectItem),
  sample: (query) => sampleList(sampleProjects, query, projectItem),
})

export const readProject = apiEndpoint(ENDPOINTS.project, {
  // Any company kind resolves here; `companyType` tells which directory it lives in.
  read: (directory, _, id) => recordOf(directory, directory.company(id), 'project', projectDetail),
  sample: () => sampleRecord(sampleProjects, 'project', projectDetail),
})

export const listInvestors = apiEndpoint(ENDPOINTS.investors, {
  read: (directory, query) =>
    listOf(directory.companies('investors', { ...query, sectors: [] }), query, investorItem),
  sample: (query) => sampleList(sampleInvestors, query, investorItem),
})

export const readInvestor = apiEndpoint(ENDPOINTS.investor, {
  read(directory, _, id) {
    const company = directory.company(id)
    // Another company is a 404 here, even if it has backed rounds (D25).
    const fund = company && directory.lists(company, 'investors') ? company : undefined
    return recordOf(directory, fund, 'investor', investorItem, portfolioMember)
  },
  sample: () => sampleRecord(sampleInvestors, 'investor', investorItem, portfolioMember),
})

export const listServices = apiEndpoint(ENDPOINTS.services, {
  read: (directory, { sector: sectors, ...query }) =>
    listOf(directory.companies('services', { ...query, sectors }), query, projectItem),
  sample: (query) => sampleList(sampleServices, query, projectItem),
})

export const readService = apiEndpoint(ENDPOINTS.service, {
  read(directory, _, id) {
    const company = directory.company(id)
    const service = company && directory.lists(company, 'services') ? company : undefined
    return recordOf(directory, service, 'service', projectItem)
  },
  sample: () => sampleRecord(sampleServices, 'service', projectItem),
})

type Render = (company: Company) => string

function portfolioMember(company: Company): string {
  return `,"portfolio":${portfolio(company)}`
}

function noMember(): string {
  return ''
}

function listOf(
  { companies, total }: { companies: Company[]; total: number },
  query: { page: number; limit: number },
  render: Render,
): Reading {
  return listReading(envelope(companies.map(render), total, query))
}

/** `{ <name>: company, team[], ...extra }`, or nothing where there is no such company. */
function recordOf(
  directory: Directory,
  company: Company | undefined,
  name: string,
  render: Render,
  extra: Render = noMember,
): Reading {
  if (!company) return missingReading()
  return recordReading(profile(name, render(company), directory.team(company), extra(company)))
}

function profile(name: string, record: string, team: readonly Person[], extra: string): Template {
  return template`"${name}":${record},"team":${arrayOf(team.map(personMember))}${extra}`
}

function sampleList(
  companies: readonly Company[],
  query: { page: number; limit: number },
  render: Render,
): Sample {
  const page = samplePage(companies, query.limit)
  return {
    data: `[${page.map(render).join(',')}]`,
    total: page.length,
    members: sampleEnvelope(page.length, query),
  }
}

function sampleRecord(
  companies: readonly Company[],
  name: string,
  render: Render,
  extra: Render = noMember,
): Sample {
  const company = companies[0]
  const record = company ? render(company) : 'null'
  return {
    data: `[${record}]`,
    total: 1,
    members: lockedText(profile(name, record, samplePeople, company ? extra(company) : '')),
  }
}
