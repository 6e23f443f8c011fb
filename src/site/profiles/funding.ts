/** A company's funding: total, total after each round, and one page of its rounds. */
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

type FundingQuery = Values<typeof FUNDING_PARAMETERS>

export type RoundRecord = ProjectDetail['fundingRounds'][number]

export interface FundedRound extends RoundRecord {
  /** US dollars raised up to this round, as far as disclosed. */
  totalUsd: number
}

export type Funding = ReturnType<typeof fundingOf>

/** @param query past the end means the last page */
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
    /** Rounds of the page, newest first; undated rounds last. */
    rounds: records.map((round, i): FundedRound => ({ ...round, totalUsd: totals[from + i] ?? 0 })),
    newest: (page === 1 ? records : roundRecords(directory, company, 0, 1))[0],
    count: all.length,
    totalUsd: totals[0] ?? 0,
    /** Number of rounds without an amount. */
    undisclosed: all.filter(({ amountUsd }) => amountUsd === null).length,
    /** Steps for all dated rounds, oldest first. */
    steps: stepsOf(all, totals),
  }
}

export function roundRecords(directory: Directory, company: Company, from: number, to: number) {
  const rounds = directory.fundingRounds(company, from, to)
  const detail: ProjectDetail = JSON.parse(render.projectDetail(company, rounds))
  return detail.fundingRounds
}

/** Running totals in US dollars, in the order of the rounds. */
function totalsOf(newestFirst: readonly Round[]): number[] {
  const totals: number[] = []
  let sum = 0
  for (let i = newestFirst.length - 1; i >= 0; i--) {
    sum += newestFirst[i]?.amountUsd ?? 0
    totals[i] = sum
  }
  return totals
}

/** One round in the chart, or several consecutive ones. */
export interface FundingStep {
  /** Short name of the round, or the number of rounds. */
  name: string | number
  /** Date of the last round, in milliseconds since the epoch. */
  announcedAt: number
  /** US dollars; null where no amount is disclosed. */
  amountUsd: number | null
  /** US dollars raised up to this step. */
  totalUsd: number
}

/** Steps in the chart. */
const STEPS_MAX = 24

/** One step for each round, or for each span of time with rounds if they are too many. */
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

/** Short name of a round: "Series A". */
export function stageOf({ stage, fields }: Pick<Round, 'stage' | 'fields'>): string {
  // Rounds without a stage may have a name in their text.
  return stage ?? nameOfType(JSON.parse(`{${fields}}`))
}

/** Announced name of a round, without the company's name. */
export function nameOfRound(round: RoundRecord, company: string): string {
  const { roundEventName: name } = round
  const rest = name?.startsWith(`${company} `) ? name.slice(company.length).trim() : name
  return rest || nameOfType(round)
}

export function nameOfType({
  roundType,
  roundEventName,
}: Pick<RoundRecord, 'roundType' | 'roundEventName'>): string {
  return roundType ?? roundEventName ?? 'Round'
}
