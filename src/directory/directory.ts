/**
 * The directory as the rest of the service reads it. Everything is answered from memory,
 * synchronously: what is asked without an `await` between is of one moment. Only `refresh`, `rebuild`
 * and `stop` wait for the database.
 */
import type { Channel, ContactType, DirectoryName } from '../contract/vocabulary.ts'
import type { Company, FundingRound, PortfolioRow } from './company.ts'
import type { Person } from './person.ts'

/** One value of a filter and how many records it would leave (D27). */
export interface Facet {
  value: string
  count: number
}

export interface PeopleQuery {
  /** Search text (D36); empty is as if absent. */
  q?: string | undefined
  contactType?: ContactType | undefined
  /** OR-ed, case ignored (D11). */
  roles: readonly string[]
  /** OR-ed (D11). */
  channels: readonly Channel[]
  /** Default: by relevance where `q` is given, else `recent` (D31). */
  sort?: 'recent' | 'name' | undefined
  /** From 1. A page past the end is empty (D10). */
  page: number
  limit: number
}

export interface CompaniesQuery {
  q?: string | undefined
  /** OR-ed, case ignored (D11). */
  sectors: readonly string[]
  /** `launched` is `tokenLaunched: true`, `pre` is `false`; unchecked (`null`) matches neither. */
  token?: 'launched' | 'pre' | undefined
  fundType?: string | undefined
  trustTier?: string | undefined
  /** Default: by relevance where `q` is given, else `recent` (`portfolio` for investors) (D31). */
  sort?: 'recent' | 'name' | 'portfolio' | 'roi' | undefined
  page: number
  limit: number
}

export interface PeoplePage {
  people: Person[]
  total: number
  facets: { roles: Facet[]; channels: Facet[] }
}

export interface CompaniesPage {
  companies: Company[]
  total: number
}

export interface Directory {
  people(query: PeopleQuery): PeoplePage
  companies(directory: DirectoryName, query: CompaniesQuery): CompaniesPage
  /** The head of exactly what `companies('projects', { q })` and `people({ q })` page through (D37). */
  search(q: string, limit: number): { projects: Company[]; people: Person[] }
  person(idOrSlug: string): Person | undefined
  company(idOrSlug: string): Company | undefined
  /** Whether the company is listed in the directory (D25). */
  lists(company: Company, directory: DirectoryName): boolean
  /** Everyone of the company, by name (D29). */
  team(company: Company): readonly Person[]
  /** The others of the person's company, by name, at most 100 (D29). */
  coworkers(person: Person): Person[]
  /** The rounds that the company raised, newest first (D30). */
  fundingRounds(company: Company): FundingRound[]
  /** What the company invested in, newest first (D30). */
  portfolio(company: Company): PortfolioRow[]
  readonly counts: { people: number; companies: number; rounds: number }
  /** The change-log sequence that the memory has caught up with (D38). */
  readonly position: number
  /** Applies the change log up to its end now. */
  refresh(): Promise<void>
  /** Loads everything anew while the old records serve, then swaps; every other instance does the same. */
  rebuild(): Promise<void>
  stop(): Promise<void>
}
