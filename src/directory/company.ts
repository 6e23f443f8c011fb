/** Companies and their rounds as they stand in memory: what is listed by, and their JSON made ready. */

import { type CompanyType, type DirectoryName, HOME_DIRECTORY } from '../contract/vocabulary.ts'
import { byId, byName, nameKey } from './names.ts'
import type { Person } from './person.ts'
import type { CompanyRow, RoundRow } from './rows.ts'

export interface Company {
  id: string
  slug: string
  name: string
  /** What the order by name compares. */
  nameKey: string
  companyType: CompanyType
  /** The directories that list it (D25). */
  directories: DirectoryName[]
  sectors: string[]
  tokenLaunched: boolean | null
  fundType: string | null
  trustTier: string | null
  roi: number | null
  followers: number
  /** Its number in the collection of companies. */
  slot: number
  /** Milliseconds since the epoch. */
  createdAt: number
  /** The project record as JSON text, complete. */
  project: string
  /** The investor record as JSON text around `portfolioCount`; null where it isn't an investor. */
  investor: { before: string; after: string } | null
  /** The rounds it raised, newest first. */
  rounds: Round[]
  /** Its parts in others' rounds, newest first: the portfolio. */
  portfolio: Investment[]
  team: Person[]
  /** Whether `team` has been put in order since it last changed. */
  teamOrdered: boolean
}

export interface Round {
  id: string
  company: Company
  /** `roundType`, `roundEventName`, `amountUsd`, `announceDate` as JSON text without its braces. */
  fields: string
  /** Milliseconds since the epoch; -Infinity where no date is known, which sorts last. */
  announcedAt: number
  /** Leads first, then by name. */
  investors: Investment[]
}

/** One investor's part in one round; `id` is the contract's `investmentId`. */
export interface Investment {
  id: string
  round: Round
  investor: Company
  isLead: boolean
}

/** A company of its own, without people and rounds. */
export function companyOf(row: CompanyRow): Company {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    nameKey: nameKey(row.name),
    companyType: row.companyType,
    directories: directoriesOf(row),
    sectors: row.sectors,
    tokenLaunched: row.tokenLaunched,
    fundType: row.fundType,
    trustTier: row.trustTier,
    roi: row.fundAllTimeRoiPct,
    followers: row.followers ?? 0,
    slot: -1,
    createdAt: row.createdAt,
    project: projectJson(row),
    investor: row.companyType === 'investor' ? investorJson(row) : null,
    rounds: [],
    portfolio: [],
    team: [],
    teamOrdered: true,
  }
}

/** Its type's directory, and services where `altRoles` says so (the overlap being retired, D25). */
function directoriesOf({ companyType, altRoles }: CompanyRow): DirectoryName[] {
  const home = HOME_DIRECTORY[companyType]
  return home !== 'services' && altRoles.includes('services') ? [home, 'services'] : [home]
}

function projectJson(row: CompanyRow): string {
  return JSON.stringify({
    id: row.id,
    name: row.name,
    slug: row.slug,
    companyType: row.companyType,
    ticker: row.ticker,
    domain: row.domain,
    sectors: row.sectors,
    chains: row.chains,
    size: row.size,
    logoUrl: row.logoUrl,
    twitterHandle: row.twitterHandle,
    communityLink: row.communityLink,
    discordUrl: row.discordUrl,
    linkedinUrl: row.linkedinUrl,
    tokenLaunched: row.tokenLaunched,
    tokenLink: row.tokenLink,
    aiSummary: row.aiSummary,
    followers: row.followers,
    handleHistory: row.handleHistory,
    twitterRisk: row.twitterRisk,
    lifecycle: row.lifecycle,
    createdAt: new Date(row.createdAt).toISOString(),
  })
}

function investorJson(row: CompanyRow): { before: string; after: string } {
  const before = {
    id: row.id,
    name: row.name,
    slug: row.slug,
    companyType: row.companyType,
    logoUrl: row.logoUrl,
    domain: row.domain,
    linkedinUrl: row.linkedinUrl,
    discordUrl: row.discordUrl,
    twitterHandle: row.twitterHandle,
    communityLink: row.communityLink,
    fundType: row.fundType,
    entityKind: row.entityKind,
    fundAllTimeRoiPct: row.fundAllTimeRoiPct,
    trustTier: row.trustTier,
    trustTierRank: row.trustTierRank,
    aiSummary: row.aiSummary,
    followers: row.followers,
    handleHistory: row.handleHistory,
    twitterRisk: row.twitterRisk,
    altRoles: row.altRoles,
  }
  const after = { lifecycle: row.lifecycle, createdAt: new Date(row.createdAt).toISOString() }
  return { before: JSON.stringify(before).slice(0, -1), after: JSON.stringify(after).slice(1) }
}

/** The round, joined to its company and to those of its investors that `investorOf` knows. */
export function addRound(
  row: RoundRow,
  company: Company,
  investorOf: (id: string) => Company | undefined,
): Round {
  const { roundType, roundEventName, amountUsd } = row
  const announceDate = row.announceDate === null ? null : new Date(row.announceDate).toISOString()
  const round: Round = {
    id: row.id,
    company,
    fields: JSON.stringify({ roundType, roundEventName, amountUsd, announceDate }).slice(1, -1),
    announcedAt: row.announceDate ?? Number.NEGATIVE_INFINITY,
    investors: [],
  }
  for (const { id, investorId, isLead } of row.investors) {
    const investor = investorOf(investorId)
    if (!investor) continue
    const investment = { id, round, investor, isLead }
    round.investors.push(investment)
    investor.portfolio.push(investment)
    investor.portfolio.sort((a, b) => newestFirst(a.round, b.round) || byId(a, b))
  }
  round.investors.sort(leadsFirst)
  company.rounds.push(round)
  company.rounds.sort(newestFirst)
  return round
}

/** Takes the round out of its company and of its investors' portfolios. */
export function removeRound(round: Round) {
  round.company.rounds = round.company.rounds.filter((other) => other !== round)
  for (const investment of round.investors) {
    const { investor } = investment
    investor.portfolio = investor.portfolio.filter((other) => other !== investment)
  }
}

function newestFirst(a: Round, b: Round): number {
  if (a.announcedAt !== b.announcedAt) return a.announcedAt > b.announcedAt ? -1 : 1
  return byId(a, b)
}

function leadsFirst(a: Investment, b: Investment): number {
  if (a.isLead !== b.isLead) return a.isLead ? -1 : 1
  return byName(a.investor, b.investor)
}
