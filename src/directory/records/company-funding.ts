/** Funding of a company, for lists and orders. */
export interface CompanyFunding {
  /** US dollars in all rounds whose amount is disclosed; null where there is none. */
  readonly raisedUsd: number | null
  /** The newest round's kind, and when it was announced in milliseconds since the epoch; null where that is not known. */
  readonly stage: string | null
  readonly announcedAt: number | null
  /** How many different investors were in its rounds. */
  readonly investors: number
}

export const NO_FUNDING: CompanyFunding = {
  raisedUsd: null,
  stage: null,
  announcedAt: null,
  investors: 0,
}

/** Fields of a round that count here. */
interface Raised {
  readonly amountUsd: number | null
  readonly stage: string | null
  /** The least of numbers where no date is known. */
  readonly announcedAt: number
  readonly investors: readonly { readonly investorId: string }[]
}

/** @param rounds newest first; those without a date come last */
export function companyFundingOf(rounds: readonly Raised[]): CompanyFunding {
  const [newest] = rounds
  if (!newest) return NO_FUNDING
  let raisedUsd: number | null = null
  const investors = new Set<string>()
  for (const { amountUsd, investors: all } of rounds) {
    if (amountUsd !== null) raisedUsd = (raisedUsd ?? 0) + amountUsd
    for (const { investorId } of all) investors.add(investorId)
  }
  const isDated = newest.announcedAt !== Number.MIN_SAFE_INTEGER
  return {
    raisedUsd,
    stage: newest.stage,
    announcedAt: isDated ? newest.announcedAt : null,
    investors: investors.size,
  }
}

/** Rounds of a company: its own, and those that it invested in. */
export interface CompanyRounds {
  readonly portfolioCount: number
  readonly funding: CompanyFunding
}

/** True if rounds say the same of a company. */
export function isSameRounds(a: CompanyRounds, b: CompanyRounds): boolean {
  return (
    a.portfolioCount === b.portfolioCount &&
    a.funding.raisedUsd === b.funding.raisedUsd &&
    a.funding.stage === b.funding.stage &&
    a.funding.announcedAt === b.funding.announcedAt &&
    a.funding.investors === b.funding.investors
  )
}
