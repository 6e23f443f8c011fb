// Made by `bun run sdk` from src/contract. Changes go there.
import type { Account } from './account.ts'
import type { InvestorPage, InvestorRead, PersonPage, PersonRead, ProjectPage, ProjectRead, SearchResult, ServicePage, ServiceRead } from './live.ts'
import type { InvestorPageSample, InvestorReadSample, PersonPageSample, PersonReadSample, ProjectPageSample, ProjectReadSample, SearchResultSample, ServicePageSample, ServiceReadSample } from './samples.ts'
import type {
  GetAccountQuery,
  GetInvestorQuery,
  GetPersonQuery,
  GetProjectQuery,
  GetServiceQuery,
  ListInvestorsQuery,
  ListPeopleQuery,
  ListProjectsQuery,
  ListServicesQuery,
  SearchQuery,
} from './queries.ts'

/** Path and prices of each operation, in credits. */
export const OPERATIONS = {
  getAccount: { path: '/v1/me', credits: 0, revealCredits: 0 },
  listPeople: { path: '/v1/people', credits: 5, revealCredits: 5 },
  getPerson: { path: '/v1/people/{id}', credits: 5, revealCredits: 10 },
  listProjects: { path: '/v1/projects', credits: 5, revealCredits: 5 },
  getProject: { path: '/v1/projects/{id}', credits: 5, revealCredits: 5 },
  listInvestors: { path: '/v1/investors', credits: 5, revealCredits: 5 },
  getInvestor: { path: '/v1/investors/{slug}', credits: 5, revealCredits: 5 },
  listServices: { path: '/v1/services', credits: 5, revealCredits: 5 },
  getService: { path: '/v1/services/{slug}', credits: 5, revealCredits: 5 },
  search: { path: '/v1/search', credits: 5, revealCredits: 5 },
} as const

/** What each operation takes and answers. */
export interface Contract {
  getAccount: { query: GetAccountQuery; live: Account; sample: never }
  listPeople: { query: ListPeopleQuery; live: PersonPage; sample: PersonPageSample }
  getPerson: { query: GetPersonQuery; live: PersonRead; sample: PersonReadSample }
  listProjects: { query: ListProjectsQuery; live: ProjectPage; sample: ProjectPageSample }
  getProject: { query: GetProjectQuery; live: ProjectRead; sample: ProjectReadSample }
  listInvestors: { query: ListInvestorsQuery; live: InvestorPage; sample: InvestorPageSample }
  getInvestor: { query: GetInvestorQuery; live: InvestorRead; sample: InvestorReadSample }
  listServices: { query: ListServicesQuery; live: ServicePage; sample: ServicePageSample }
  getService: { query: GetServiceQuery; live: ServiceRead; sample: ServiceReadSample }
  search: { query: SearchQuery; live: SearchResult; sample: SearchResultSample }
}
