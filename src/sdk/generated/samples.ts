// Made by `bun run sdk` from src/contract. Changes go there.
import type { Facets, Person, TeamMember } from './people.ts'
import type { Investor, PortfolioRow, Project, ProjectDetail } from './companies.ts'
import type { PersonData } from './live.ts'
import type { SampleMeta } from './account.ts'

/** A page of people, invented: the balance was too low. */
export interface PersonPageSample {
  /** Says that the data is not real, and where to get credits. */
  notice: string
  /** Marks a sample. */
  sample: true
  /** Records of the page. */
  data: Person[]
  /** Number of synthetic records. */
  total: number
  /** Number of the page. */
  page: number
  /** Page size actually used. */
  limit: number
  /** Pages to walk. */
  totalPages: number
  /** What the filters would leave, most frequent first. A facet ignores its own filter. */
  facets: Facets
  /** What the call would have cost. */
  meta: SampleMeta
}

/** One person, invented: the balance was too low. */
export interface PersonReadSample {
  /** Says that the data is not real, and where to get credits. */
  notice: string
  /** Marks a sample. */
  sample: true
  /** A person and who works at the same company. */
  data: PersonData
  /** Number of synthetic records. */
  total: number
  /** What the call would have cost. */
  meta: SampleMeta
}

/** A page of projects, invented: the balance was too low. */
export interface ProjectPageSample {
  /** Says that the data is not real, and where to get credits. */
  notice: string
  /** Marks a sample. */
  sample: true
  /** Records of the page. */
  data: Project[]
  /** Number of synthetic records. */
  total: number
  /** Number of the page. */
  page: number
  /** Page size actually used. */
  limit: number
  /** Pages to walk. */
  totalPages: number
  /** What the call would have cost. */
  meta: SampleMeta
}

/** One company, invented: the balance was too low. */
export interface ProjectReadSample {
  /** Says that the data is not real, and where to get credits. */
  notice: string
  /** Marks a sample. */
  sample: true
  /** A project record and its funding rounds. */
  project: ProjectDetail
  /** Its people, by name. Channels show for contacts already unlocked. */
  team: TeamMember[]
  /** The same synthetic record. */
  data: ProjectDetail[]
  /** Number of synthetic records. */
  total: number
  /** What the call would have cost. */
  meta: SampleMeta
}

/** A page of investors, invented: the balance was too low. */
export interface InvestorPageSample {
  /** Says that the data is not real, and where to get credits. */
  notice: string
  /** Marks a sample. */
  sample: true
  /** Records of the page. */
  data: Investor[]
  /** Number of synthetic records. */
  total: number
  /** Number of the page. */
  page: number
  /** Page size actually used. */
  limit: number
  /** Pages to walk. */
  totalPages: number
  /** What the call would have cost. */
  meta: SampleMeta
}

/** One investor, invented: the balance was too low. */
export interface InvestorReadSample {
  /** Says that the data is not real, and where to get credits. */
  notice: string
  /** Marks a sample. */
  sample: true
  /** A fund or angel. */
  investor: Investor
  /** Its people, by name. Channels show for contacts already unlocked. */
  team: TeamMember[]
  /** Its investments, newest first. */
  portfolio: PortfolioRow[]
  /** The same synthetic record. */
  data: Investor[]
  /** Number of synthetic records. */
  total: number
  /** What the call would have cost. */
  meta: SampleMeta
}

/** A page of service providers, invented: the balance was too low. */
export interface ServicePageSample {
  /** Says that the data is not real, and where to get credits. */
  notice: string
  /** Marks a sample. */
  sample: true
  /** Records of the page. */
  data: Project[]
  /** Number of synthetic records. */
  total: number
  /** Number of the page. */
  page: number
  /** Page size actually used. */
  limit: number
  /** Pages to walk. */
  totalPages: number
  /** What the call would have cost. */
  meta: SampleMeta
}

/** One service provider, invented: the balance was too low. */
export interface ServiceReadSample {
  /** Says that the data is not real, and where to get credits. */
  notice: string
  /** Marks a sample. */
  sample: true
  /** A company as the projects and services directories list it. */
  service: Project
  /** Its people, by name. Channels show for contacts already unlocked. */
  team: TeamMember[]
  /** The same synthetic record. */
  data: Project[]
  /** Number of synthetic records. */
  total: number
  /** What the call would have cost. */
  meta: SampleMeta
}

/** Projects and people that match, invented: the balance was too low. */
export interface SearchResultSample {
  /** Says that the data is not real, and where to get credits. */
  notice: string
  /** Marks a sample. */
  sample: true
  /** The search text. */
  q: string
  /** Size of each group actually used. */
  limit: number
  /** The head of /v1/projects?q=. */
  projects: Project[]
  /** The head of /v1/people?q=. */
  people: Person[]
  /** The synthetic records of both groups. */
  data: (Project | Person)[]
  /** Number of synthetic records. */
  total: number
  /** What the call would have cost. */
  meta: SampleMeta
}
