/** A company's funding as its profile shows it: what it raised in all, by whom it was led, and the total after each round. */
import type { ProjectDetail } from './view-models.ts'

type RoundRecord = ProjectDetail['fundingRounds'][number]

export interface FundedRound extends RoundRecord {
  /** US dollars raised up to this round, in rounds whose amount is disclosed. */
  totalUsd: number
}

export interface Funding {
  /** Newest first; rounds without a date are last (D30). */
  rounds: readonly FundedRound[]
  /** US dollars in all rounds whose amount is disclosed. */
  totalUsd: number
  /** How many rounds have no amount. */
  undisclosed: number
}

export function fundingOf({ fundingRounds }: ProjectDetail): Funding {
  let totalUsd = 0
  const rounds = fundingRounds.toReversed().map((round) => {
    totalUsd += round.amountUsd ?? 0
    return { ...round, totalUsd }
  })
  const undisclosed = rounds.filter(({ amountUsd }) => amountUsd === null).length
  return { rounds: rounds.toReversed(), totalUsd, undisclosed }
}

/** A round's name as it was announced, without the company's before it, which the page says already. */
export function nameOfRound(round: RoundRecord, company: string): string {
  const { roundEventName: name } = round
  const rest = name?.startsWith(`${company} `) ? name.slice(company.length).trim() : name
  return rest || stageOf(round)
}

/** What a round is called in a few words: "Series A". */
export function stageOf({
  roundType,
  roundEventName,
}: Pick<RoundRecord, 'roundType' | 'roundEventName'>) {
  return roundType ?? roundEventName ?? 'Round'
}
