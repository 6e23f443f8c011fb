/** A company's funding as its profile shows it: what it raised in all, the total after each round, and one page of its rounds. */
import type { Parameters, Values } from '../../contract/query.ts'
import type { Company, Round } from '../../directory/records/company.ts'
import type { Directory } from '../../directory/records/directory.ts'
import * as render from '../../directory/records/render.ts'
import type { ProjectDetail } from './view-models.ts'

/** Rounds on a page. */
export const PAGE_ROUNDS = 25

export const FUNDING_PARAMETERS = {
  rounds: {
    kind: 'integer',
    default: 1,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Page of the rounds, newest first.',
  },
} as const satisfies Parameters

export type FundingQuery = Values<typeof FUNDING_PARAMETERS>

export type RoundRecord = ProjectDetail['fundingRounds'][number]

export interface FundedRound extends RoundRecord {
  /** US dollars raised up to this round, in rounds whose amount is disclosed. */
  totalUsd: number
}

export type Funding = ReturnType<typeof fundingOf>

/** @param query a page past the end shows the last one */
export function fundingOf(directory: Directory, company: Company, query: FundingQuery) {
  const all = directory.rounds(company)
  const totalPages = Math.max(1, Math.ceil(all.length / PAGE_ROUNDS))
  const page = Math.min(query.rounds, totalPages)
  const from = (page - 1) * PAGE_ROUNDS
  const totals = totalsOf(all)
  const records = roundRecords(directory, company, from, from + PAGE_ROUNDS)
  return {
    page,
    totalPages,
    /** Those of the page, newest first; rounds without a date are last. */
    rounds: records.map((round, i): FundedRound => ({ ...round, totalUsd: totals[from + i] ?? 0 })),
    newest: (page === 1 ? records : roundRecords(directory, company, 0, 1))[0],
    /** How many there are on all pages. */
    count: all.length,
    /** US dollars in all rounds whose amount is disclosed. */
    totalUsd: totals[0] ?? 0,
    /** How many rounds have no amount. */
    undisclosed: all.filter(({ amountUsd }) => amountUsd === null).length,
    /** Of all rounds with a date, oldest first. */
    steps: stepsOf(all, totals),
  }
}

/** Rounds as the company's record has them. */
export function roundRecords(directory: Directory, company: Company, from: number, to: number) {
  const rounds = directory.fundingRounds(company, from, to)
  const detail: ProjectDetail = JSON.parse(render.projectDetail(company, rounds))
  return detail.fundingRounds
}

/** US dollars raised up to each round. */
function totalsOf(newestFirst: readonly Round[]): number[] {
  const totals: number[] = []
  let sum = 0
  for (let i = newestFirst.length - 1; i >= 0; i--) {
    sum += newestFirst[i]?.amountUsd ?? 0
    totals[i] = sum
  }
  return totals
}

/** What the picture of a company's funding has of one round, or of several that follow each other. */
export interface FundingStep {
  /** What the round is called in a few words; of several, how many they are. */
  name: string | number
  /** Of the last of them, in milliseconds since the epoch. */
  announcedAt: number
  /** US dollars; null where no amount is disclosed. */
  amountUsd: number | null
  /** US dollars raised up to the last of them. */
  totalUsd: number
}

/** Steps in the picture, at most. */
export const STEPS_MAX = 24

/** One step for each round; where they are too many, one for each part of the time in which there was a round. */
function stepsOf(newestFirst: readonly Round[], totals: readonly number[]): FundingStep[] {
  const steps = newestFirst
    .flatMap((round, i): FundingStep[] => {
      const at = announcedAt(round)
      if (at === null) return []
      const { amountUsd } = round
      return [{ name: stageOf(round), announcedAt: at, amountUsd, totalUsd: totals[i] ?? 0 }]
    })
    .reverse()
  const [first, last] = [steps[0]?.announcedAt ?? 0, steps.at(-1)?.announcedAt ?? 0]
  if (steps.length <= STEPS_MAX) return steps
  const partOf = ({ announcedAt }: FundingStep) =>
    Math.min(STEPS_MAX - 1, Math.floor((STEPS_MAX * (announcedAt - first)) / (last - first || 1)))
  return [...Map.groupBy(steps, partOf).values()].map(asOne)
}

function asOne(steps: readonly FundingStep[]): FundingStep {
  const { announcedAt, totalUsd, name } = steps.at(-1) as FundingStep
  const disclosed = steps.flatMap(({ amountUsd }) => amountUsd ?? [])
  const amountUsd = disclosed.length > 0 ? disclosed.reduce((sum, each) => sum + each) : null
  return { name: steps.length > 1 ? steps.length : name, announcedAt, amountUsd, totalUsd }
}

/** In milliseconds since the epoch; null where no date is known. */
export const announcedAt = ({ announcedAt: at }: Round): number | null =>
  at === Number.MIN_SAFE_INTEGER ? null : at

/** What a round is called in a few words: "Series A". */
export function stageOf({ stage, fields }: Pick<Round, 'stage' | 'fields'>): string {
  // Most have a stage; a name alone is in the text only.
  return stage ?? nameOfType(JSON.parse(`{${fields}}`))
}

/** A round's name as it was announced, without the company's before it, which the page says already. */
export function nameOfRound(round: RoundRecord, company: string): string {
  const { roundEventName: name } = round
  const rest = name?.startsWith(`${company} `) ? name.slice(company.length).trim() : name
  return rest || nameOfType(round)
}

/** What a round's record calls it in a few words: "Series A". */
export function nameOfType({
  roundType,
  roundEventName,
}: Pick<RoundRecord, 'roundType' | 'roundEventName'>): string {
  return roundType ?? roundEventName ?? 'Round'
}
