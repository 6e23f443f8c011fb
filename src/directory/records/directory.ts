/** The directory as the service reads it: from memory, so what is asked without an `await` is of one moment. */
import type {
  FilterName,
  INVESTORS_PARAMETERS,
  PEOPLE_PARAMETERS,
  PROJECTS_PARAMETERS,
} from '../../contract/parameters.ts'
import type { Parameters, Values } from '../../contract/query.ts'
import type { DirectoryName, ListName } from '../../contract/vocabulary.ts'
import type { Company, FundingRound, PortfolioRow, Round } from './company.ts'
import type { FacetValue } from './facets.ts'
import type { AnswerCounts, Shown } from './kept-answers.ts'
import type { Person } from './person.ts'
import type { ReadyAnswer } from './ready-answer.ts'

/** One value of a filter and how many records it would leave. */
export interface Facet {
  value: string
  count: number
}

/** A list's parameters as the API takes them; a filter that is absent lets all pass. */
type ListQuery<P extends Parameters> = Partial<Values<P>> & { page: number; limit: number }

export type PeopleQuery = ListQuery<typeof PEOPLE_PARAMETERS>

/** The parameters of all three lists of companies. */
export type CompaniesQuery = ListQuery<
  Omit<typeof PROJECTS_PARAMETERS, 'sort'> & typeof INVESTORS_PARAMETERS
>

export interface PeoplePage {
  people: Person[]
  total: number
  facets: { readonly roles: readonly Facet[]; readonly channels: readonly Facet[] }
}

/** Facets of lists. `sector` and `raised` of a person are those of the company. */
export type CompanyFacet =
  | 'kind'
  | 'sector'
  | 'chain'
  | 'token'
  | 'stage'
  | 'raised'
  | 'fundType'
  | 'trustTier'
  | 'entity'
export type PeopleFacet = 'roles' | 'channels' | 'contactType' | 'sector' | 'raised' | 'company'

/** The orders of pages; the API has some of them. */
export type PeopleSort = 'prominence' | 'followers' | 'recent' | 'name'
export type CompanyOrder = PeopleSort | 'raised' | 'last-round' | 'investors' | 'portfolio' | 'roi'
/** `active`: by the investments of the last twelve months. */
export type CompanySort = CompanyOrder | 'active'

/** A list as pages show it. @typeParam F its facets. @typeParam S its orders */
export interface BrowseQuery<F extends string, S extends string> {
  q?: string | undefined
  /** OR-ed within a facet, AND-ed between them; case is ignored. */
  wanted: Readonly<Partial<Record<F, readonly string[]>>>
  /** By relevance where there is a query, else by prominence, unless given. */
  sort?: S | undefined
  page: number
  limit: number
  /** The facet of which the values with this text are counted, and no others but what is wanted. */
  within?: { facet: F; text: string } | undefined
  /** The facets that are counted, which is most of the work; all of them unless given. */
  facets?: readonly F[] | undefined
}

export interface BrowsedPage<R, F extends string> {
  records: readonly R[]
  total: number
  /** How many the list has without query and filters. */
  all: number
  /** Counted over everything that the other facets leave, the most frequent first; none where they were not to be counted. */
  facets: Readonly<Partial<Record<F, readonly FacetValue[]>>>
}

export type FoundRecord = { kind: 'person'; person: Person } | { kind: 'company'; company: Company }

/** Matches of a query among people and companies together. */
export interface FoundPage {
  /** One page of what was found of the kind that is wanted, the best first. */
  found: readonly FoundRecord[]
  /** How many there are of every kind. A company that several lists have counts once. */
  total: number
  /** How many each list has. */
  totals: Readonly<Record<ListName, number>>
}

export interface FindQuery {
  q: string
  /** List to search; all lists if undefined. */
  kind?: ListName | undefined
  page: number
  limit: number
}

/** Lists as pages show them. */
export interface PageReads {
  /** Identity of the present state: a new object after each change and each day. Reads with the same one agree. */
  moment(): object
  find(query: FindQuery): FoundPage
  browsePeople(query: BrowseQuery<PeopleFacet, PeopleSort>): BrowsedPage<Person, PeopleFacet>
  browseCompanies(
    list: DirectoryName,
    query: BrowseQuery<CompanyFacet, CompanySort>,
  ): BrowsedPage<Company, CompanyFacet>
  /** How many investments of the company were announced in the last twelve months. */
  recentInvestments(company: Company): number
  /** These companies, those who invested most in the last twelve months first, the others in their order. */
  mostActive(companies: readonly Company[]): Company[]
  /** Rounds of `fundingRounds` as stored, with investors by id. */
  rounds(company: Company): readonly Round[]
  /** The version of the record's picture; undefined where none is kept. */
  pictureVersion(record: { id: string }): number | undefined
}

/** Read access to the directory. */
export interface DirectoryReads {
  people(query: PeopleQuery): PeoplePage
  companies(list: DirectoryName, query: CompaniesQuery): { companies: Company[]; total: number }
  /**
   * Every value that a filter of the list has, and how many records have it, the most frequent first; the same array until
   * records change, and an empty one where the list has no such filter.
   */
  values(list: ListName, filter: FilterName): readonly Facet[]
  /** The companies of a sector that have most followers, at most `limit`, and how many are in it. */
  prominent(
    list: DirectoryName,
    sector: string,
    limit: number,
  ): { companies: Company[]; total: number }
  /** The head of exactly what `companies('projects', { q })` and `people({ q })` page through. */
  search(q: string, limit: number): { projects: Company[]; people: Person[] }
  person(idOrSlug: string): Person | undefined
  company(idOrSlug: string): Company | undefined
  /** True if the company is listed in the directory. */
  lists(company: Company, directory: DirectoryName): boolean
  /** Everyone of the company, by name. */
  team(company: Company): readonly Person[]
  /** The others of the person's company, by name, at most 100. */
  coworkers(person: Person): Person[]
  /** The rounds that the company raised, newest first, with those of their investors that are known. @param from the first of them @param to the one after the last; all unless given */
  fundingRounds(company: Company, from?: number, to?: number): FundingRound[]
  /** Investments of the company, newest first. @param newest how many; all unless given */
  portfolio(company: Company, newest?: number): PortfolioRow[]
  /**
   * An answer as bytes, kept for the next call that asks for the same.
   * @param key names endpoint and query, so that each answer has its own.
   * @param look what the answer shows now; asked where it may have changed.
   */
  ready(key: string, look: () => Shown): ReadyAnswer
}

/** A changed record that could not be taken in: what is shown of it is what it was before. */
export interface SetAside {
  readonly kind: 'company' | 'person' | 'round' | 'redirect' | 'picture' | 'rebuild'
  readonly id: string
  /** How often it was tried. */
  readonly tries: number
}

/** How following the change log goes. */
export interface Following {
  /** Seconds since the memory was last seen to have all of the log. */
  readonly secondsSinceInStep: number
  /** How often following failed so far, and the last time in epoch milliseconds; undefined where it never did. */
  readonly failures: number
  readonly lastFailureMs: number | undefined
  readonly setAside: readonly SetAside[]
}

export interface Directory extends DirectoryReads, PageReads {
  readonly following: Following
  /** How often answers were kept, and how many are. */
  readonly answers: AnswerCounts
  readonly counts: { people: number; companies: number; rounds: number }
  /** The change-log sequence that the memory has caught up with. */
  readonly position: number
  /** Applies the change log up to its end now. */
  refresh(): Promise<void>
  /** Loads everything anew while the old records serve, then swaps; every other instance does the same. */
  rebuild(): Promise<void>
  stop(): Promise<void>
}
