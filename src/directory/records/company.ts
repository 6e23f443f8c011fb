/** Companies and rounds as records, which never change: what lists compare, and their JSON. */
import type { DirectoryName } from '../../contract/vocabulary.ts'
import type { CompanyFunding, CompanyRounds } from './company-funding.ts'
import { byId, byName } from './names.ts'
import type { CompanyRow, RoundRow } from './rows.ts'
import type { TextPlace } from './text-pages.ts'

export interface Company
  extends Readonly<Pick<CompanyRow, 'id' | 'slug' | 'name' | 'companyType' | 'createdAt'>> {
  /** Key of the order by name. */
  readonly nameKey: string
  /** The directories that list it. */
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
  /** Sums of the rounds that it raised. */
  readonly funding: CompanyFunding
  /** How much of what a reader looks for is on record, from 0 to 1. */
  readonly completeness: number
  /** Where the project record stands as JSON text, complete. */
  readonly project: TextPlace
  /** Where the investor record stands around `portfolioCount`; null where it isn't an investor. */
  readonly investor: { readonly before: TextPlace; readonly after: TextPlace } | null
  /** Where all its texts stand. */
  readonly place: TextPlace
  /** The same company after a change of rounds. */
  withRounds(rounds: CompanyRounds): Company
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
  /** Leads first, then by name. */
  readonly investors: readonly { readonly company: Company; readonly isLead: boolean }[]
}

/** An investment as a portfolio shows it. */
export interface PortfolioRow extends Investment {
  /** Company that raised the round. */
  readonly company: Company
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

/** The round with those of its investors that are known. @param companyOf gives one by its id */
export function fundingRoundOf(
  { fields, investors }: Round,
  companyOf: (id: string) => Company | undefined,
): FundingRound {
  const known = investors.flatMap(({ investorId, isLead }) => {
    const company = companyOf(investorId)
    return company ? [{ company, isLead }] : []
  })
  return { fields, investors: known.sort(leadsFirst) }
}

export function newestFirst(a: Round, b: Round): number {
  return b.announcedAt - a.announcedAt || byId(a, b)
}

type Investor = FundingRound['investors'][number]

function leadsFirst(a: Investor, b: Investor): number {
  return Number(b.isLead) - Number(a.isLead) || byName(a.company, b.company)
}
