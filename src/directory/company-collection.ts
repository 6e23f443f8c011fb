/** How companies are listed: directories, orders and filters. */
import { companyDocument } from '../../index-build/documents.ts'
import type { DirectoryName } from '../contract/vocabulary.ts'
import { Collection } from './collection.ts'
import type { Company } from './company.ts'
import type { CompaniesQuery } from './directory.ts'
import { alphabetical, largestFirst } from './orders.ts'

/** What filters of companies look at; text in lower case. */
export interface CompanyCell {
  directories: readonly DirectoryName[]
  sectors: readonly string[]
  tokenLaunched: boolean | null
  fundType: string | null
  trustTier: string | null
}

type Order = 'recent' | 'name' | 'portfolio' | 'roi'
type CompanyCollection = Collection<Company, CompanyCell, Order>

export function newCompanies(): CompanyCollection {
  return new Collection<Company, CompanyCell, Order>({
    cell: (company) => {
      const cell = {
        directories: company.directories,
        sectors: company.sectors.map((sector) => sector.toLowerCase()).sort(),
        tokenLaunched: company.tokenLaunched,
        fundType: company.fundType?.toLowerCase() ?? null,
        trustTier: company.trustTier?.toLowerCase() ?? null,
      }
      return { key: JSON.stringify(cell), cell }
    },
    orders: new Map([
      ['recent', largestFirst((company: Company) => company.createdAt)],
      ['name', alphabetical<Company>()],
      ['portfolio', largestFirst((company: Company) => company.portfolioCount)],
      ['roi', largestFirst((company: Company) => company.roi)],
      ['popular', largestFirst((company: Company) => company.followers)],
    ]),
    document: ({ project }) => companyDocument(JSON.parse(project)),
  })
}

export function listCompanies(
  companies: CompanyCollection,
  directory: DirectoryName,
  query: CompaniesQuery,
) {
  const q = query.q?.trim() ?? ''
  const order = query.sort ?? (q ? null : directory === 'investors' ? 'portfolio' : 'recent')
  const filter = filterOf(directory, query)
  const { records, total } = companies.list(q, filter, order, query.page, query.limit)
  return { companies: records, total }
}

/** The companies of a sector with most followers, and how many it has; the sector's case is ignored. */
export function prominentCompanies(
  companies: CompanyCollection,
  directory: DirectoryName,
  sector: string,
  limit: number,
) {
  const filter = filterOf(directory, { sector: [sector], page: 1, limit })
  const { records, total } = companies.list('', filter, null, 1, limit)
  return { companies: records, total }
}

/** AND-ed with each other, the sectors OR-ed, case ignored (D11, D25). */
function filterOf(directory: DirectoryName, query: CompaniesQuery) {
  const sectors = (query.sector ?? []).map((sector) => sector.toLowerCase())
  const fundType = query.fundType?.toLowerCase()
  const trustTier = query.trustTier?.toLowerCase()
  // An unchecked token (null) is neither launched nor pre.
  const tokenLaunched = query.token && query.token === 'launched'
  return {
    key: JSON.stringify([directory, sectors, tokenLaunched, fundType, trustTier]),
    accepts: (cell: CompanyCell) =>
      cell.directories.includes(directory) &&
      (sectors.length === 0 || cell.sectors.some((sector) => sectors.includes(sector))) &&
      (tokenLaunched === undefined || cell.tokenLaunched === tokenLaunched) &&
      (fundType === undefined || cell.fundType === fundType) &&
      (trustTier === undefined || cell.trustTier === trustTier),
  }
}
