// Made by `bun run sdk` from src/contract. Changes go there.

/** What the company is; it decides its directory: project and institution live under /projects, investor under /investors, service, platform and launchpad under /services. */
export type CompanyType = 'project' | 'investor' | 'platform' | 'launchpad' | 'service' | 'institution'

/** A handle that the company used before. */
export interface HandleSeen {
  /** The handle, without @. */
  handle: string
  /** When it was seen. */
  seenAt: string
}

/** How much speaks against the account. */
export type RiskLevel = 'low' | 'medium' | 'high'

/** What speaks against trusting the X account. */
export interface TwitterRisk {
  /** How much speaks against the account. */
  level: RiskLevel
  /** What was found. */
  reasons: string[]
}

/** Why a company is no longer active. */
export type Lifecycle = 'defunct' | 'deceased'

/** A company as the projects and services directories list it. */
export interface Project {
  /** Permanent identifier. */
  id: string
  /** Name. */
  name: string
  /** Readable identifier, unique among companies; routes take it like the id. */
  slug: string
  /** What the company is; it decides its directory: project and institution live under /projects, investor under /investors, service, platform and launchpad under /services. */
  companyType: CompanyType
  /** Token symbol, without $; null: none is recorded. */
  ticker: string | null
  /** Domain name of the website. */
  domain: string | null
  /** Sectors it works in. */
  sectors: string[]
  /** Chains it ships on. */
  chains: string[]
  /** Number of people, as a range. */
  size: string | null
  /** Logo. */
  logoUrl: string | null
  /** X handle, without @. */
  twitterHandle: string | null
  /** Community, for example a Telegram group. */
  communityLink: string | null
  /** Discord invitation. */
  discordUrl: string | null
  /** LinkedIn page of the company. */
  linkedinUrl: string | null
  /** Whether a token was launched; null: unchecked, which is not false. */
  tokenLaunched: boolean | null
  /** Where the token is found. */
  tokenLink: string | null
  /** A short description, machine-written. */
  aiSummary: string | null
  /** Followers on X. */
  followers: number | null
  /** Earlier X handles, oldest first. */
  handleHistory: HandleSeen[]
  /** null: nothing is known. */
  twitterRisk: TwitterRisk | null
  /** null: no liveness signal. */
  lifecycle: Lifecycle | null
  /** When the record was made. */
  createdAt: string
}

/** One investor of a funding round. */
export interface RoundInvestor {
  /** Permanent identifier. */
  id: string
  /** Name. */
  name: string
  /** Readable identifier, unique among companies; routes take it like the id. */
  slug: string
  /** Whether it led the round. */
  isLead: boolean
}

/** A round that the company raised. */
export interface FundingRound {
  /** Kind of round, for example Seed. */
  roundType: string | null
  /** Name of the round as it was announced. */
  roundEventName: string | null
  /** Amount in US dollars. */
  amountUsd: number | null
  /** When it was announced. */
  announceDate: string | null
  /** Leads first, then by name. */
  investors: RoundInvestor[]
}

/** A project record and its funding rounds. */
export interface ProjectDetail extends Project {
  /** Newest first. */
  fundingRounds: FundingRound[]
}

/** A firm or an angel. */
export type EntityKind = 'organization' | 'individual'

/** A directory, as routes name it. */
export type Directory = 'projects' | 'investors' | 'services'

/** A fund or angel. */
export interface Investor {
  /** Permanent identifier. */
  id: string
  /** Name. */
  name: string
  /** Readable identifier, unique among companies; routes take it like the id. */
  slug: string
  /** Always investor. */
  companyType: 'investor'
  /** Logo. */
  logoUrl: string | null
  /** Domain name of the website. */
  domain: string | null
  /** LinkedIn page of the company. */
  linkedinUrl: string | null
  /** Discord invitation. */
  discordUrl: string | null
  /** X handle, without @. */
  twitterHandle: string | null
  /** Community, for example a Telegram group. */
  communityLink: string | null
  /** Kind of fund, for example Venture. */
  fundType: string | null
  /** organization: a firm; individual: an angel. */
  entityKind: EntityKind | null
  /** Return on investment of all time, in percent. */
  fundAllTimeRoiPct: number | null
  /** How far the fund is trusted. */
  trustTier: string | null
  /** The same as a rank. */
  trustTierRank: number | null
  /** A short description, machine-written. */
  aiSummary: string | null
  /** Followers on X. */
  followers: number | null
  /** Earlier X handles, oldest first. */
  handleHistory: HandleSeen[]
  /** null: nothing is known. */
  twitterRisk: TwitterRisk | null
  /** The other directories in which the same entity appears. */
  altRoles: Directory[]
  /** Entries in its portfolio. */
  portfolioCount: number
  /** null: no liveness signal. */
  lifecycle: Lifecycle | null
  /** When the record was made. */
  createdAt: string
}

/** One investment of a fund. */
export interface PortfolioRow {
  /** Permanent identifier of the investment. */
  investmentId: string
  /** A company as the projects and services directories list it. */
  company: Project
  /** Kind of round, for example Seed. */
  roundType: string | null
  /** Name of the round as it was announced. */
  roundEventName: string | null
  /** Amount in US dollars. */
  amountUsd: number | null
  /** When it was announced. */
  announceDate: string | null
  /** Whether the fund led the round. */
  isLead: boolean
}
