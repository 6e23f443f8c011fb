/** Which rows of a fund's portfolio its profile shows, and in which order: what the address may say. */
import type { Parameters, Values } from '../../contract/query.ts'
import type { Company } from '../../directory/records/company.ts'
import { byName } from '../../directory/records/names.ts'

/** Longest value of a filter. */
export const FILTER_CHARACTERS = 200
const filter = { kind: 'text', maxLength: FILTER_CHARACTERS } as const

export const PORTFOLIO_PARAMETERS = {
  year: { ...filter, description: 'Investments announced in this year.' },
  sector: { ...filter, description: 'Investments in companies of this sector.' },
  stage: { ...filter, description: 'Investments in rounds of this kind.' },
  role: {
    kind: 'choice',
    choices: ['led', 'joined'],
    description: 'Investments whose round the fund led, or did not.',
  },
  sort: {
    kind: 'choice',
    choices: ['newest', 'oldest', 'largest', 'name'],
    description: 'Order of the portfolio; newest first unless given.',
  },
  page: {
    kind: 'integer',
    default: 1,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Page of the portfolio.',
  },
  beside: {
    kind: 'integer',
    default: 1,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Page of the co-investors.',
  },
  whole: {
    kind: 'choice',
    choices: ['year', 'sector', 'stage'],
    description: 'The chart of which all bars are shown.',
  },
} as const satisfies Parameters

export type PortfolioQuery = Values<typeof PORTFOLIO_PARAMETERS>
export type PortfolioOrder = NonNullable<PortfolioQuery['sort']>

export interface Investment {
  company: Company
  stage: string
  /** Of the whole round, in US dollars. */
  amountUsd: number | null
  /** Milliseconds since the epoch. */
  announcedAt: number | null
  isLead: boolean
}

/** Stands for the year of what has no date. */
export const UNDATED = 'Undated'

export const yearOf = ({ announcedAt }: Investment) =>
  announcedAt === null ? UNDATED : String(new Date(announcedAt).getUTCFullYear())

/** Those that every filter lets pass; case is ignored. */
export function chosenOf(all: readonly Investment[], query: PortfolioQuery) {
  const { year, sector, stage, role } = query
  const isSame = (wanted: string, value: string) => wanted.toLowerCase() === value.toLowerCase()
  return all.filter(
    (it) =>
      (year === undefined || isSame(year, yearOf(it))) &&
      (stage === undefined || isSame(stage, it.stage)) &&
      (role === undefined || it.isLead === (role === 'led')) &&
      (sector === undefined || it.company.sectors.some((one) => isSame(sector, one))),
  )
}

/** @param investments newest first, as the directory has them */
export function sortedBy(investments: readonly Investment[], order: PortfolioOrder = 'newest') {
  return order === 'newest' ? investments : investments.toSorted(ORDERS[order])
}

/** The orders that are not the directory's own; what is unknown comes last in each. */
const ORDERS: Readonly<
  Record<Exclude<PortfolioOrder, 'newest'>, (a: Investment, b: Investment) => number>
> = {
  oldest: (a, b) => timeOf(a) - timeOf(b),
  largest: (a, b) => (b.amountUsd ?? -1) - (a.amountUsd ?? -1),
  name: (a, b) => byName(a.company, b.company),
}

const timeOf = ({ announcedAt }: Investment) => announcedAt ?? Number.MAX_SAFE_INTEGER
