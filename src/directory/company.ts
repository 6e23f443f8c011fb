/** Companies and rounds as records, which never change (D41): what lists compare, and their JSON. */
import * as schemas from '../contract/schemas/companies.ts'
import { type DirectoryName, HOME_DIRECTORY } from '../contract/vocabulary.ts'
import { chainNames } from './chains.ts'
import { type CompanyFunding, NO_FUNDING } from './company-funding.ts'
import { byId, byName, nameKey } from './names.ts'
import type { CompanyRow, RoundRow } from './rows.ts'
import { SharedLists } from './shared-lists.ts'

export interface Company
  extends Readonly<Pick<CompanyRow, 'id' | 'slug' | 'name' | 'companyType' | 'createdAt'>> {
  /** What the order by name compares. */
  readonly nameKey: string
  /** The directories that list it (D25). */
  readonly directories: readonly DirectoryName[]
  readonly sectors: readonly string[]
  /** By their usual names. */
  readonly chains: readonly string[]
  readonly entityKind: string | null
  readonly tokenLaunched: boolean | null
  readonly fundType: string | null
  readonly trustTier: string | null
  readonly roi: number | null
  readonly followers: number
  /** How many investments its portfolio has. */
  readonly portfolioCount: number
  /** Of the rounds that it raised. */
  readonly funding: CompanyFunding
  /** How much of what a reader looks for is on record, from 0 to 1. */
  readonly completeness: number
  /** The project record as JSON text, complete. */
  readonly project: string
  /** The investor record as JSON text around `portfolioCount`; null where it isn't an investor. */
  readonly investor: { readonly before: string; readonly after: string } | null
}

/** A funding round; the company that raised it and its investors are named by their ids. */
export interface Round extends Readonly<Pick<RoundRow, 'id' | 'companyId' | 'investors'>> {
  /** `roundType`, `roundEventName`, `amountUsd`, `announceDate` as JSON text without its braces. */
  readonly fields: string
  /** Milliseconds since the epoch; the least of numbers where no date is known, which sorts last. */
  readonly announcedAt: number
  /** Its `roundType`. */
  readonly stage: string | null
  readonly amountUsd: number | null
}

/** One investor's part in one round; `id` is the contract's `investmentId`. */
export interface Investment {
  readonly id: string
  readonly round: Round
  readonly isLead: boolean
}

/** A round as it is shown: with those of its investors that the directory has. */
export interface FundingRound {
  readonly fields: string
  /** Leads first, then by name (D30). */
  readonly investors: readonly { readonly company: Company; readonly isLead: boolean }[]
}

/** An investment as a portfolio shows it. */
export interface PortfolioRow extends Omit<Investment, 'round'> {
  readonly company: Company
  readonly fields: string
  /** Everybody who was in the round, by id; the directory may not have all of them. */
  readonly investors: Round['investors']
}

const sectorLists = new SharedLists()
const chainLists = new SharedLists()

export function companyOf(
  row: CompanyRow,
  portfolioCount: number,
  funding: CompanyFunding = NO_FUNDING,
): Company {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    nameKey: nameKey(row.name),
    companyType: row.companyType,
    directories: directoriesOf(row),
    sectors: sectorLists.of(row.sectors),
    chains: chainLists.of(chainNames(row.chains)),
    entityKind: row.entityKind,
    tokenLaunched: row.tokenLaunched,
    fundType: row.fundType,
    trustTier: row.trustTier,
    roi: row.fundAllTimeRoiPct,
    followers: row.followers ?? 0,
    portfolioCount,
    funding,
    completeness: completenessOf(row),
    createdAt: row.createdAt,
    project: jsonOf(row, PROJECT_FIELDS),
    investor: row.companyType === 'investor' ? investorJson(row) : null,
  }
}

function completenessOf(row: CompanyRow): number {
  const looked = [row.aiSummary, row.domain, row.twitterHandle, row.logoUrl, row.linkedinUrl]
  return looked.filter((value) => value !== null).length / looked.length
}

/** Its type's directory, and services where `altRoles` says so (the overlap being retired, D25). */
function directoriesOf({ companyType, altRoles }: CompanyRow): DirectoryName[] {
  const home = HOME_DIRECTORY[companyType]
  return home !== 'services' && altRoles.includes('services') ? [home, 'services'] : [home]
}

/** The contract's fields: columns of the same names, and a fund's `portfolioCount`. */
const PROJECT_FIELDS = Object.keys(schemas.project.properties)
const INVESTOR_FIELDS = Object.keys(schemas.investor.properties)
const COUNT_PLACE = INVESTOR_FIELDS.indexOf('portfolioCount')
const FIELDS_BEFORE_COUNT = INVESTOR_FIELDS.slice(0, COUNT_PLACE)
const FIELDS_AFTER_COUNT = INVESTOR_FIELDS.slice(COUNT_PLACE + 1)

/** These columns of a row, in this order; the moment in the contract's form (D32). */
function jsonOf(row: CompanyRow, names: readonly string[]): string {
  const fields: Record<string, unknown> = {}
  for (const name of names) fields[name] = row[name as keyof CompanyRow]
  if ('createdAt' in fields) fields.createdAt = new Date(row.createdAt).toISOString()
  return JSON.stringify(fields)
}

function investorJson(row: CompanyRow): { before: string; after: string } {
  return {
    before: jsonOf(row, FIELDS_BEFORE_COUNT).slice(0, -1),
    after: jsonOf(row, FIELDS_AFTER_COUNT).slice(1),
  }
}

export function roundOf(row: RoundRow): Round {
  const { id, companyId, investors, roundType, roundEventName, amountUsd } = row
  const announceDate = row.announceDate === null ? null : new Date(row.announceDate).toISOString()
  return {
    id,
    companyId,
    fields: JSON.stringify({ roundType, roundEventName, amountUsd, announceDate }).slice(1, -1),
    announcedAt: row.announceDate ?? Number.MIN_SAFE_INTEGER,
    stage: roundType,
    amountUsd,
    investors,
  }
}

export function newestFirst(a: Round, b: Round): number {
  return b.announcedAt - a.announcedAt || byId(a, b)
}

type Investor = FundingRound['investors'][number]

export function leadsFirst(a: Investor, b: Investor): number {
  return Number(b.isLead) - Number(a.isLead) || byName(a.company, b.company)
}
