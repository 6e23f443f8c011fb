/** A fund's portfolio: filtered, sorted and counted, one page of its rows, and its co-investors. */

import { LRUCache } from 'lru-cache'
import type { Parameters, Values } from '../../contract/query.ts'
import type { Company, PortfolioRow } from '../../directory/records/company.ts'
import type { Directory } from '../../directory/records/directory.ts'
import { byName } from '../../directory/records/names.ts'
import { announcedAt, stageOf } from './funding.ts'

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
  /** US dollars of the whole round. */
  amountUsd: number | null
  /** Milliseconds since the epoch. */
  announcedAt: number | null
  isLead: boolean
}

/** Year of undated investments. */
const UNDATED = 'Undated'

const yearOf = ({ announcedAt }: Investment) =>
  announcedAt === null ? UNDATED : String(new Date(announcedAt).getUTCFullYear())

/** Investments that match every filter, ignoring case. */
function matchesOf(all: readonly Investment[], query: PortfolioQuery) {
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

/** @param investments newest first */
function sortedBy(investments: readonly Investment[], order: PortfolioOrder = 'newest') {
  return order === 'newest' ? investments : investments.toSorted(ORDERS[order])
}

/** Orders besides newest first; unknown values come last. */
const ORDERS: Readonly<
  Record<Exclude<PortfolioOrder, 'newest'>, (a: Investment, b: Investment) => number>
> = {
  oldest: (a, b) => timeOf(a) - timeOf(b),
  largest: (a, b) => (b.amountUsd ?? -1) - (a.amountUsd ?? -1),
  name: (a, b) => byName(a.company, b.company),
}

const timeOf = ({ announcedAt }: Investment) => announcedAt ?? Number.MAX_SAFE_INTEGER

const PAGE_ROWS = 15
/** Bars of a chart; the others share the last one. */
const BARS = 8
const CO_INVESTORS = 10
/** Size of the cache in investments and co-investors: 3 MB. */
const KEPT_INVESTMENTS = 40_000
/** Size of a fund's other figures, in the same unit. */
const FUND_SIZE = 15

export interface Share {
  name: string
  count: number
  /** True for the bar of all others. */
  isRest?: boolean
}

export interface CoInvestor {
  company: Company
  rounds: number
}

export type Portfolio = ReturnType<typeof portfolioOf>

/** @param query past the end means the last page */
export function portfolioOf(directory: Directory, fund: Company, query: PortfolioQuery) {
  const { all, years, sectors, stages, coInvestors, ...figures } = cachedFigures(directory, fund)
  const matches = matchesOf(all, query)
  const totalPages = Math.max(1, Math.ceil(matches.length / PAGE_ROWS))
  const page = Math.min(query.page, totalPages)
  const shown = sortedBy(matches, query.sort).slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS)
  const besidePages = Math.max(1, Math.ceil(coInvestors.length / CO_INVESTORS))
  const beside = Math.min(query.beside, besidePages)
  const bars = (name: PortfolioQuery['whole'], shares: readonly Share[]) =>
    query.whole === name ? shares : shortened(shares)
  return {
    ...figures,
    years: bars('year', years),
    sectors: bars('sector', sectors),
    stages: bars('stage', stages),
    /** Most common rounds first. */
    coInvestors: coInvestors.slice((beside - 1) * CO_INVESTORS, beside * CO_INVESTORS),
    coInvestorCount: coInvestors.length,
    besidePages,
    mostBeside: coInvestors[0],
    /** Query with the page numbers that are shown. */
    query: { ...query, page, beside },
    totalPages,
    /** Number of matching investments. */
    matchCount: matches.length,
    shown,
  }
}

type Figures = ReturnType<typeof figuresOf>

/** Figures by the directory's state. Counting takes most of the time of a large fund's page. */
const figuresCache = new WeakMap<object, LRUCache<string, Figures>>()

/** Figures of a fund, cached for all pages and orders of its table. */
function cachedFigures(directory: Directory, fund: Company): Figures {
  const moment = directory.moment()
  const ofMoment =
    figuresCache.get(moment) ?? new LRUCache({ maxSize: KEPT_INVESTMENTS, sizeCalculation })
  figuresCache.set(moment, ofMoment)
  const cached = ofMoment.get(fund.id)
  if (cached) return cached
  const figures = figuresOf(directory, fund)
  ofMoment.set(fund.id, figures)
  return figures
}

const sizeCalculation = ({ total, coInvestors }: Figures) => total + coInvestors.length + FUND_SIZE

function figuresOf(directory: Directory, fund: Company) {
  const rows = directory.portfolio(fund)
  const all = rows.map(investmentOf)
  const coInvestors = coInvestorsOf(directory, fund, rows)
  const sectors = shares(all.flatMap(({ company }) => company.sectors))
  return {
    /** Newest first. */
    all,
    total: all.length,
    newest: all[0],
    companies: new Set(rows.map(({ company }) => company.id)).size,
    led: all.filter(({ isLead }) => isLead).length,
    years: sharesOfYears(all),
    sectors,
    stages: shares(all.map(({ stage }) => stage)),
    coInvestors,
  }
}

function investmentOf({ company, round, isLead }: PortfolioRow): Investment {
  const { amountUsd } = round
  return { company, stage: stageOf(round), amountUsd, announcedAt: announcedAt(round), isLead }
}

/** Most frequent first, case ignored. */
function shares(names: readonly string[]): Share[] {
  const byKey = new Map<string, Share>()
  for (const name of names) {
    const key = name.toLowerCase()
    const share = byKey.get(key)
    if (share) share.count++
    else byKey.set(key, { name, count: 1 })
  }
  return [...byKey.values()].sort((a, b) => b.count - a.count)
}

/** Newest first; investments without a date come last. */
function sharesOfYears(investments: readonly Investment[]): Share[] {
  const years = Map.groupBy(investments, yearOf)
  const dated = [...years]
    .filter(([year]) => year !== UNDATED)
    .sort(([a], [b]) => Number(b) - Number(a))
  const undated = [...years].filter(([year]) => year === UNDATED)
  return [...dated, ...undated].map(([name, { length }]) => ({ name, count: length }))
}

function shortened(all: readonly Share[]): readonly Share[] {
  if (all.length <= BARS) return all
  const others = all.slice(BARS - 1)
  const count = others.reduce((sum, share) => sum + share.count, 0)
  return [...all.slice(0, BARS - 1), { name: `${others.length} others`, count, isRest: true }]
}

/** Co-investors, most common rounds first. */
function coInvestorsOf(
  directory: Directory,
  fund: Company,
  rows: readonly PortfolioRow[],
): CoInvestor[] {
  const counts = new Map<string, number>()
  for (const { round } of rows) {
    for (const { investorId } of round.investors) {
      if (investorId !== fund.id) counts.set(investorId, (counts.get(investorId) ?? 0) + 1)
    }
  }
  const coInvestors: CoInvestor[] = []
  for (const [id, rounds] of counts) {
    const company = directory.company(id)
    // A deleted investor is skipped.
    if (company) coInvestors.push({ company, rounds })
  }
  return coInvestors.sort((a, b) => b.rounds - a.rounds)
}
