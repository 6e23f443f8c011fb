/** The endpoints and their prices: the one table of routes, meter, `/v1/me`, documentation and clients. */
import {
  INVESTORS_PARAMETERS,
  PEOPLE_API_PARAMETERS,
  PERSON_PARAMETERS,
  PROJECTS_PARAMETERS,
  SEARCH_PARAMETERS,
  SERVICES_PARAMETERS,
} from './parameters.ts'
import type { Parameters } from './query.ts'

export const SCOPES = ['read:metadata', 'read:contacts'] as const
export type Scope = (typeof SCOPES)[number]

/** Credits of an ordinary data call. */
export const CALL_CREDITS = 5

/** Credits of a contact's first reveal (`include=private`), which unlocks it for good. */
export const REVEAL_CREDITS = 10

/** Groups of endpoints in the documentation. */
export const TAGS = {
  Account: 'Who calls, with how many credits, at what prices.',
  People: 'Founders, operators and allocators, and their contact channels.',
  Projects: 'Projects and institutions; one company of any kind by its id.',
  Investors: 'Funds and angels with their portfolios.',
  Services: 'Service providers, platforms and launchpads.',
  Search: 'Projects and people at once.',
} as const satisfies Record<string, string>

/** An endpoint of the API. Each needs the scope `read:metadata`; a reveal also `read:contacts`. */
export interface Endpoint {
  readonly method: 'GET'
  /** As routes name it; `documentedPath` gives the form of `/v1/me` and the documentation. */
  readonly path: `/v1/${string}`
  readonly operationId: string
  readonly tag: keyof typeof TAGS
  /** One line, as `/v1/me` gives it. */
  readonly summary: string
  /** CommonMark. */
  readonly description: string
  readonly parameters: Parameters
  /** A slug for examples, where the path takes one: that of the first sample record. */
  readonly exampleId?: string
  /** Credits of a call. */
  readonly credits: number
  /** Credits of a call that turns out to be a first reveal; the same as `credits` where none can be. */
  readonly revealCredits: number
}

const free = { method: 'GET', credits: 0, revealCredits: 0 } as const
const billed = { method: 'GET', credits: CALL_CREDITS, revealCredits: CALL_CREDITS } as const

/** Every live endpoint. */
export const ENDPOINTS = {
  me: {
    ...free,
    path: '/v1/me',
    operationId: 'getAccount',
    tag: 'Account',
    summary: 'Identity, plan, balance, endpoint list',
    description:
      'The account behind the key: its tier, its balance, and every endpoint with its price, from the table that bills. Free.',
    parameters: {},
  },
  people: {
    ...billed,
    path: '/v1/people',
    operationId: 'listPeople',
    tag: 'People',
    summary: 'Search and filter people',
    description:
      'Private channels are always null here; the `has*` flags say which of them a reveal would show. `isLocked` speaks for the calling account.',
    parameters: PEOPLE_API_PARAMETERS,
  },
  person: {
    ...billed,
    revealCredits: REVEAL_CREDITS,
    path: '/v1/people/:id',
    operationId: 'getPerson',
    tag: 'People',
    summary: 'Full profile and coworkers; include=private reveals channels',
    description: `With \`include=private\` the channels of a contact are revealed: ${REVEAL_CREDITS} credits once, and the contact stays unlocked. Later reads show its channels for ${CALL_CREDITS} credits, with or without \`include\`. A contact without any channel on file has nothing to reveal and costs ${CALL_CREDITS}.`,
    parameters: PERSON_PARAMETERS,
    exampleId: 'alex-sample',
  },
  projects: {
    ...billed,
    path: '/v1/projects',
    operationId: 'listProjects',
    tag: 'Projects',
    summary: 'Search and filter projects',
    description: 'Companies of the types project and institution.',
    parameters: PROJECTS_PARAMETERS,
  },
  project: {
    ...billed,
    path: '/v1/projects/:id',
    operationId: 'getProject',
    tag: 'Projects',
    summary: 'One company with team',
    description:
      'A company of any kind: `project.companyType` tells the directory it lives in. Team members show private channels where the contact is already unlocked.',
    parameters: {},
    exampleId: 'sample-protocol',
  },
  investors: {
    ...billed,
    path: '/v1/investors',
    operationId: 'listInvestors',
    tag: 'Investors',
    summary: 'Search and filter funds',
    description: 'Companies of the type investor.',
    parameters: INVESTORS_PARAMETERS,
  },
  investor: {
    ...billed,
    path: '/v1/investors/:slug',
    operationId: 'getInvestor',
    tag: 'Investors',
    summary: 'One fund with team and portfolio',
    description:
      'One fund with its team and what it invested in. This path answers 404 for a company that is not a fund, even if the company has backed rounds.',
    parameters: {},
    exampleId: 'sample-capital',
  },
  services: {
    ...billed,
    path: '/v1/services',
    operationId: 'listServices',
    tag: 'Services',
    summary: 'Search and filter service providers',
    description:
      'Companies of the types service, platform and launchpad, and others that also sell a service.',
    parameters: SERVICES_PARAMETERS,
  },
  service: {
    ...billed,
    path: '/v1/services/:slug',
    operationId: 'getService',
    tag: 'Services',
    summary: 'One provider with team',
    description: 'One provider with its team.',
    parameters: {},
    exampleId: 'sample-audits',
  },
  search: {
    ...billed,
    path: '/v1/search',
    operationId: 'search',
    tag: 'Search',
    summary: 'Cross search of projects and people',
    description:
      'The first records of each group, without paging. For a complete set, page through `/v1/projects?q=` or `/v1/people?q=`.',
    parameters: SEARCH_PARAMETERS,
  },
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof ENDPOINTS

/** Paths that are planned and answer 404 `not_live`. */
export const PLANNED_PATHS = ['/v1/network'] as const

/**
 * Charged operations of the web application, by the path that the ledger has. `credits` is the price of a unit of `rows`
 * rows of a CSV or lines of a search.
 */
export const WEB_OPERATIONS = {
  csvExport: {
    path: 'web/csv-export',
    summary: 'CSV export, by the started hundred rows',
    credits: CALL_CREDITS,
    rows: 100,
  },
  bulkSearch: {
    path: 'web/bulk-search',
    summary: 'Bulk search, by the line',
    credits: CALL_CREDITS,
    rows: 1,
  },
} as const
export type WebOperation = (typeof WEB_OPERATIONS)[keyof typeof WEB_OPERATIONS]

/** Built once, because every call needs one. */
const DOCUMENTED_PATHS = new Map(
  Object.values<{ path: string }>(ENDPOINTS).map(({ path }) => [
    path,
    path.replace(/:(\w+)/g, '{$1}'),
  ]),
)

/** A path as the documentation and `/v1/me` write it: `/v1/people/{id}`. */
export const documentedPath = (path: string): string => DOCUMENTED_PATHS.get(path) ?? path
