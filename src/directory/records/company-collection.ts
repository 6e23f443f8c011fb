/** How companies are listed: directories, orders and filters. */
import {
  COMPANY_TEXT,
  type CompanyText,
  companyDocument,
  isSameText,
} from '../../../index-build/documents.ts'
import type { DirectoryName } from '../../contract/vocabulary.ts'
import { Collection } from './collection.ts'
import type { Company } from './company.ts'
import type {
  BrowsedPage,
  BrowseQuery,
  CompaniesQuery,
  CompanyFacet,
  CompanyOrder,
} from './directory.ts'
import { TextColumn } from './facet-columns.ts'
import type { Wanted } from './facets.ts'
import { alphabetical, largestFirst, type Ordering } from './orders.ts'
import { companyProminence } from './prominence.ts'
import { textAt } from './text-pages.ts'

/** The orders of lists of companies: those of the API, and those that pages have beside them. */
type Order = 'recent' | 'name' | 'portfolio' | 'roi' | keyof typeof PAGE_ORDERS

/** Largest first; what is unknown is last. */
const PAGE_ORDERS = {
  prominence: companyProminence,
  raised: ({ funding }: Company) => funding.raisedUsd,
  'last-round': ({ funding }: Company) => funding.announcedAt,
  investors: ({ funding }: Company) => funding.investors,
} as const

const ORDERS = new Map<string, Ordering<Company>>([
  ['recent', largestFirst((company) => company.createdAt)],
  ['name', alphabetical()],
  ['portfolio', largestFirst((company) => company.portfolioCount)],
  ['roi', largestFirst((company) => company.roi)],
  ['popular', largestFirst((company) => company.followers)],
  ...Object.entries(PAGE_ORDERS).map(([name, value]) => [name, largestFirst(value)] as const),
])

/** Facets of companies; `directory` is the list itself. */
const FACETS = {
  directory: ({ directories }: Company) => directories,
  kind: ({ companyType }: Company) => companyType,
  sector: ({ sectors }: Company) => sectors,
  chain: ({ chains }: Company) => chains,
  token: ({ tokenLaunched }: Company) =>
    tokenLaunched === null ? null : tokenLaunched ? 'launched' : 'pre',
  stage: ({ funding }: Company) => funding.stage,
  raised: lastRaised,
  fundType: ({ fundType }: Company) => fundType,
  trustTier: ({ trustTier }: Company) => trustTier,
  entity: ({ entityKind }: Company) => entityKind,
} as const satisfies Record<CompanyFacet | 'directory', unknown>

/** The year of the newest round, in UTC. */
export function lastRaised({ funding }: Company): string | null {
  return funding.announcedAt === null
    ? null
    : String(new Date(funding.announcedAt).getUTCFullYear())
}

type CompanyCollection = Collection<Company, Order>

export function newCompanies(): CompanyCollection {
  return new Collection<Company, Order>({
    orders: ORDERS as ReadonlyMap<Order, Ordering<Company>>,
    facets: Object.fromEntries(
      Object.entries(FACETS).map(([name, values]) => [name, new TextColumn<Company>(values)]),
    ),
    document: (company) => companyDocument(textOf(company)),
  })
}

const textOf = ({ project }: Company): CompanyText => JSON.parse(textAt(project))

/** Searchable text of a changed company; null if it is unchanged, as where figures alone change. */
export const changedCompany = (row: CompanyText, before: Company | undefined) =>
  before && isSameText(textOf(before), row, COMPANY_TEXT) ? null : companyDocument(row)

export function listCompanies(
  companies: CompanyCollection,
  directory: DirectoryName,
  query: CompaniesQuery,
) {
  const q = query.q?.trim() ?? ''
  const order = query.sort ?? (q ? null : directory === 'investors' ? 'portfolio' : 'recent')
  const { page, limit } = query
  const wanted = wantedOf(directory, query)
  const { records, total } = companies.list({ q, wanted, order, page, limit })
  return { companies: records, total }
}

const orderOf = (sort: CompanyOrder | undefined) => (sort === 'followers' ? 'popular' : sort)

/** These companies in an order of pages. */
export function sortedCompanies(companies: readonly Company[], sort: CompanyOrder): Company[] {
  return companies.toSorted(ORDERS.get(orderOf(sort) ?? '')?.compare)
}

/** A page of a list as the application shows it. */
export function browseCompanies(
  companies: CompanyCollection,
  directory: DirectoryName,
  query: BrowseQuery<CompanyFacet, CompanyOrder>,
): BrowsedPage<Company, CompanyFacet> {
  const { q = '', sort, ...others } = query
  const text = q.trim()
  const order = orderOf(sort) ?? (text ? null : 'prominence')
  const listed = { directory: [directory] }
  const wanted = { ...query.wanted, ...listed }
  const found = companies.browse({ ...others, q: text, wanted, order })
  const whole = { q: '', wanted: listed, order: 'prominence', page: 1, limit: 1 } as const
  const { total: all } = companies.list(whole)
  return { ...found, all }
}

/** The companies of a sector with most followers, and how many it has; the sector's case is ignored. */
export function prominentCompanies(
  companies: CompanyCollection,
  directory: DirectoryName,
  sector: string,
  limit: number,
) {
  const page = { page: 1, limit }
  const wanted = wantedOf(directory, { sector: [sector], ...page })
  const { records, total } = companies.list({ q: '', wanted, order: null, ...page })
  return { companies: records, total }
}

function wantedOf(directory: DirectoryName, query: CompaniesQuery): Wanted {
  const { sector = [], token, fundType, trustTier } = query
  const one = (value: string | undefined) => (value === undefined ? [] : [value])
  return {
    directory: [directory],
    sector,
    token: one(token),
    fundType: one(fundType),
    trustTier: one(trustTier),
  }
}
