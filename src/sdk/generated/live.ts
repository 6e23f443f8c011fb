// Made by `bun run sdk` from src/contract. Changes go there.
import type { Facets, Person, PersonDetail, TeamMember } from './people.ts'
import type { Investor, PortfolioRow, Project, ProjectDetail } from './companies.ts'
import type { Meta } from './account.ts'

/** A page of people. */
export interface PersonPage {
  /** Records of the page. */
  data: Person[]
  /** Records of all pages. */
  total: number
  /** Number of the page. */
  page: number
  /** Page size actually used. */
  limit: number
  /** Pages to walk. */
  totalPages: number
  /** What the filters would leave, most frequent first. A facet ignores its own filter. */
  facets: Facets
  /** What the call cost. */
  meta: Meta
}

/** A person and who works at the same company. */
export interface PersonData {
  /** A person in full. */
  person: PersonDetail
  /** By name, at most 100. */
  coworkers: TeamMember[]
}

/** One person. */
export interface PersonRead {
  /** A person and who works at the same company. */
  data: PersonData
  /** Credits that this call took. */
  creditsCharged?: number
  /** Balance after the call; below zero only where there is no ceiling. */
  creditsBalance?: number
  /** What the call cost. */
  meta: Meta
}

/** A page of projects. */
export interface ProjectPage {
  /** Records of the page. */
  data: Project[]
  /** Records of all pages. */
  total: number
  /** Number of the page. */
  page: number
  /** Page size actually used. */
  limit: number
  /** Pages to walk. */
  totalPages: number
  /** What the call cost. */
  meta: Meta
}

/** One company. */
export interface ProjectRead {
  /** A project record and its funding rounds. */
  project: ProjectDetail
  /** Its people, by name. Channels show for contacts already unlocked. */
  team: TeamMember[]
  /** What the call cost. */
  meta: Meta
}

/** A page of investors. */
export interface InvestorPage {
  /** Records of the page. */
  data: Investor[]
  /** Records of all pages. */
  total: number
  /** Number of the page. */
  page: number
  /** Page size actually used. */
  limit: number
  /** Pages to walk. */
  totalPages: number
  /** What the call cost. */
  meta: Meta
}

/** One investor. */
export interface InvestorRead {
  /** A fund or angel. */
  investor: Investor
  /** Its people, by name. Channels show for contacts already unlocked. */
  team: TeamMember[]
  /** Its investments, newest first. */
  portfolio: PortfolioRow[]
  /** What the call cost. */
  meta: Meta
}

/** A page of service providers. */
export interface ServicePage {
  /** Records of the page. */
  data: Project[]
  /** Records of all pages. */
  total: number
  /** Number of the page. */
  page: number
  /** Page size actually used. */
  limit: number
  /** Pages to walk. */
  totalPages: number
  /** What the call cost. */
  meta: Meta
}

/** One service provider. */
export interface ServiceRead {
  /** A company as the projects and services directories list it. */
  service: Project
  /** Its people, by name. Channels show for contacts already unlocked. */
  team: TeamMember[]
  /** What the call cost. */
  meta: Meta
}

/** Projects and people that match. */
export interface SearchResult {
  /** The search text. */
  q: string
  /** Size of each group actually used. */
  limit: number
  /** The head of /v1/projects?q=. */
  projects: Project[]
  /** The head of /v1/people?q=. */
  people: Person[]
  /** What the call cost. */
  meta: Meta
}
