/** The three directories of companies: `/v1/projects`, `/v1/investors`, `/v1/services`. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import type { DirectoryName } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/records/company.ts'
import type { DirectoryReads } from '../../directory/records/directory.ts'
import type { Shown } from '../../directory/records/kept-answers.ts'
import {
  investorItem,
  personMember,
  portfolioItem,
  projectDetail,
  projectItem,
} from '../../directory/records/render.ts'
import { arrayOf, lockedText, template } from '../../directory/records/template.ts'
import {
  apiEndpoint,
  envelope,
  listReading,
  MISSING,
  recordReading,
  sampleEnvelope,
} from './endpoint.ts'
import * as samples from './samples.ts'

const ITEMS = { projects: projectItem, investors: investorItem, services: projectItem }

/** `GET /v1/projects`, `/v1/investors` or `/v1/services`. */
export function listCompanies(name: DirectoryName) {
  const item = ITEMS[name]
  return apiEndpoint(ENDPOINTS[name], {
    list: name,
    read(directory, query) {
      const answer = directory.ready(`${name} ${JSON.stringify(query)}`, () => {
        const { companies, total } = directory.companies(name, query)
        const text = () => envelope(companies.map(item), total, query)
        return { shows: [...companies, total], text }
      })
      return listReading(answer)
    },
    sample(query) {
      const page = samples.page(samples.companies[name], query.limit)
      const members = sampleEnvelope(page.length, query)
      return { data: lockedText(arrayOf(page.map(item))), total: page.length, members }
    },
  })
}

/** A record as JSON text. */
type Render = (company: Company, directory: DirectoryReads) => string

/** `GET /v1/projects/{id}`: any kind of company; `companyType` tells which directory it lives in. */
export const readProject = readCompany('project', null, (company, directory) =>
  projectDetail(company, directory.fundingRounds(company)),
)

/** `GET /v1/investors/{slug}`: another company is a 404, even if it has backed rounds. */
export const readInvestor = readCompany(
  'investor',
  'investors',
  (fund) => lockedText(investorItem(fund)),
  (fund, directory) => `,"portfolio":[${directory.portfolio(fund).map(portfolioItem).join(',')}]`,
)

/** `GET /v1/services/{slug}`. */
export const readService = readCompany('service', 'services', (company) =>
  lockedText(projectItem(company)),
)

/**
 * One company under its endpoint's name, and its team.
 * @param list the directory that must list it; null: any.
 * @param more members after the team, each beginning with a comma.
 */
function readCompany(
  name: 'project' | 'investor' | 'service',
  list: DirectoryName | null,
  record: Render,
  more: Render = () => '',
) {
  const shown = (company: Company, directory: DirectoryReads): Shown => {
    const team = directory.team(company)
    const [described, rest] = [record(company, directory), more(company, directory)]
    const text = () =>
      template`"${name}":${described},"team":${arrayOf(team.map(personMember))}${rest}`
    return { shows: [described, ...team, rest], text }
  }
  const find = (directory: DirectoryReads, id: string) => {
    const company = directory.company(id)
    return company && (!list || directory.lists(company, list)) ? company : undefined
  }
  return apiEndpoint(ENDPOINTS[name], {
    find: (directory, id) => ({ exists: find(directory, id) !== undefined, person: null }),
    read(directory, _, id) {
      const company = find(directory, id)
      if (!company) return MISSING
      return recordReading(
        directory.ready(`${name} ${company.id}`, () => shown(company, directory)),
      )
    },
    sample() {
      const [company] = samples.companies[`${name}s`]
      const data = `[${record(company, samples.directory)}]`
      return { data, total: 1, members: lockedText(shown(company, samples.directory).text()) }
    },
  })
}
