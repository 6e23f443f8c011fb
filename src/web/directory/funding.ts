/** A company's funding as its profile shows it: what it raised in all, by whom it was led, and the total after each round. */
import type { FundingRound } from '../../directory/company.ts'
import type { ProjectDetail } from './view-models.ts'

/** Rounds in the picture and in the table, at most: the newest. */
export const ROUNDS_SHOWN = 60

type RoundRecord = ProjectDetail['fundingRounds'][number]

export interface FundedRound extends RoundRecord {
  /** US dollars raised up to this round, in rounds whose amount is disclosed. */
  totalUsd: number
}

export interface Funding {
  /** Those that are shown, newest first; rounds without a date are last (D30). */
  rounds: readonly FundedRound[]
  /** How many there are, with those that are not shown. */
  count: number
  /** US dollars in all rounds whose amount is disclosed. */
  totalUsd: number
  /** How many rounds have no amount. */
  undisclosed: number
}

/** @param detail with the rounds that are shown @param amounts of all rounds, newest first */
export function fundingOf(
  { fundingRounds }: ProjectDetail,
  amounts: readonly (number | null)[],
): Funding {
  const older = amounts.slice(fundingRounds.length)
  let totalUsd = older.reduceRight<number>((sum, amount) => sum + (amount ?? 0), 0)
  const rounds = fundingRounds.toReversed().map((round) => {
    totalUsd += round.amountUsd ?? 0
    return { ...round, totalUsd }
  })
  const undisclosed = amounts.filter((amount) => amount === null).length
  return { rounds: rounds.toReversed(), count: amounts.length, totalUsd, undisclosed }
}

/** US dollars of each round; null where its amount is not disclosed. */
export function amountsOf(rounds: readonly FundingRound[]): (number | null)[] {
  return rounds.map(({ fields }) => JSON.parse(`{${fields}}`).amountUsd ?? null)
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
