/** @jsxImportSource hono/jsx */
/** A fund's portfolio as small charts and a table, and its co-investors. */
import type { PageContext } from '../http/page.ts'
import { ActiveFilters } from '../ui/active-filters.tsx'
import { Badge } from '../ui/badges.tsx'
import { queryOf } from '../ui/list-query.ts'
import { type ColumnHead, numbers, Section, Table } from '../ui/page-parts.tsx'
import { Pager } from '../ui/pager.tsx'
import { percent } from '../ui/scale.ts'
import type { Stat } from '../ui/stats.tsx'
import { figure, formatMonth, humanize, plural } from '../ui/text.tsx'
import { amountOf, dateOf } from './funding-section.tsx'
import {
  FILTER_CHARACTERS,
  type Investment,
  PORTFOLIO_PARAMETERS,
  type Portfolio,
  type PortfolioOrder,
  type PortfolioQuery,
} from './portfolio.ts'
import { companyPath, type InvestorRecord } from './view-models.ts'

interface PortfolioProps {
  portfolio: Portfolio
  /** Path of the profile. */
  path: string
  context: PageContext
}

const FILTERS = ['year', 'sector', 'stage', 'role'] as const

export function PortfolioSection({ portfolio, path, context }: PortfolioProps) {
  const { total, led, query, matchCount, totalPages, shown } = portfolio
  if (total === 0) return null
  const { sort = 'newest', page } = query
  const address = (changes: Partial<PortfolioQuery>) =>
    `${context.href(path)}${queryOf(PORTFOLIO_PARAMETERS, { ...query, ...changes })}#portfolio`
  const only = (filter: (typeof FILTERS)[number]) => (name: string) =>
    name !== '' && name.length <= FILTER_CHARACTERS
      ? address({ [filter]: filter === 'role' ? name.toLowerCase() : name, page: 1 })
      : undefined
  const chart = (filter: (typeof FILTERS)[number]) => ({
    unit: 'Investments',
    href: only(filter),
    ...(filter !== 'role' && { wholeHref: address({ whole: filter }) }),
  })
  const sorted = (label: string, order: PortfolioOrder, ascending: boolean): ColumnHead => ({
    label,
    href: address({ sort: order === 'newest' ? undefined : order, page: 1 }),
    sorted: sort === order ? (ascending ? 'ascending' : 'descending') : undefined,
  })
  const filters = FILTERS.flatMap((name) => {
    const text = query[name]
    return text === undefined ? [] : [{ text, href: address({ [name]: undefined, page: 1 }) }]
  })
  const roles = [
    { name: 'Led', count: led },
    { name: 'Joined', count: total - led },
  ]
  return (
    <Section id="portfolio" title="Portfolio" count={total}>
      <details class="folds" open={query.whole !== undefined}>
        <summary>By year, sector, stage and role</summary>
        <div class="small-charts">
          <Bars {...chart('year')} title="Year" bars={portfolio.years} />
          <Bars {...chart('sector')} title="Sector" bars={portfolio.sectors} />
          <Bars {...chart('stage')} title="Stage" bars={portfolio.stages} />
          <Bars {...chart('role')} title="Role" bars={roles} />
        </div>
      </details>
      <ActiveFilters filters={filters} />
      {filters.length > 0 ? (
        <p class="count">
          <strong>{figure(matchCount)}</strong> of {figure(total)}
        </p>
      ) : null}
      <Table
        label="Portfolio"
        isCards
        columns={[
          sorted('Company', 'name', true),
          { label: 'Round', card: 'plain' },
          { ...numbers('Amount', 'plain'), ...sorted('Amount', 'largest', false) },
          {
            card: 'plain',
            ...(sort === 'newest'
              ? { ...sorted('Announced', 'oldest', true), sorted: 'descending' }
              : { ...sorted('Announced', 'newest', false), ...(sort === 'oldest' && OLDEST) }),
          },
        ]}
        rows={shown.map((investment) => rowOf(investment, context))}
      />
      <Pager
        page={page}
        totalPages={totalPages}
        label="Pages of the portfolio"
        href={(number) => address({ page: number })}
      />
    </Section>
  )
}

const OLDEST = { sorted: 'ascending' } as const

function rowOf(investment: Investment, { href }: PageContext) {
  const { company, stage, isLead } = investment
  return [
    <a href={href(companyPath(company))}>{company.name}</a>,
    <>
      <bdi>{stage}</bdi> {isLead ? <Badge tone="accent">Lead</Badge> : null}
    </>,
    amountOf(investment),
    investment.announcedAt === null
      ? dateOf({ announceDate: null })
      : dateOf({ announceDate: new Date(investment.announcedAt).toISOString() }),
  ]
}

/** Figures for the head of a fund's profile. */
export function fundStats(
  portfolio: Portfolio,
  { fundAllTimeRoiPct: roi, trustTier, trustTierRank: rank }: InvestorRecord,
  { href }: PageContext,
): Stat[] {
  const { total, companies, led, newest, mostBeside: beside, coInvestorCount } = portfolio
  return [
    {
      name: 'Investments',
      value: total > 0 ? <a href="#portfolio">{figure(total)}</a> : null,
      note: `in ${plural(companies, 'company', 'companies')}`,
    },
    {
      name: 'Led',
      value: total > 0 ? figure(led) : null,
      note: `${Math.round((100 * led) / Math.max(total, 1))}% of them`,
    },
    {
      name: 'Newest',
      value: newest && <a href={href(companyPath(newest.company))}>{newest.company.name}</a>,
      note:
        newest &&
        [newest.stage, newest.announcedAt !== null && formatMonth(newest.announcedAt)]
          .filter(Boolean)
          .join(' · '),
    },
    {
      name: 'Most often with',
      value: beside && <a href={href(companyPath(beside.company))}>{beside.company.name}</a>,
      note: beside && (
        <>
          {plural(beside.rounds, 'round', 'rounds')} ·{' '}
          <a class="unbroken" href="#co-investors">
            {plural(coInvestorCount, 'co-investor', 'co-investors')}
          </a>
        </>
      ),
    },
    { name: 'Return', value: roi === null ? null : `${figure(roi)}%`, note: 'all-time' },
    {
      name: 'Trust tier',
      value: trustTier && humanize(trustTier),
      note: rank === null || trustTier === `tier-${rank}` ? null : `rank ${figure(rank)}`,
    },
  ]
}

export function CoInvestors({ portfolio, path, context }: PortfolioProps) {
  const { coInvestors, coInvestorCount, besidePages, query } = portfolio
  if (coInvestors.length === 0) return null
  return (
    <Section id="co-investors" title="Co-investors" count={coInvestorCount}>
      <Table
        label="Co-investors"
        isCards
        columns={[
          'Investor',
          numbers('Rounds together', 'unit'),
          numbers('Investments in all', 'unit'),
        ]}
        rows={coInvestors.map(({ company, rounds }) => [
          <a href={context.href(companyPath(company))}>{company.name}</a>,
          figure(rounds),
          figure(company.portfolioCount),
        ])}
      />
      <Pager
        page={query.beside}
        totalPages={besidePages}
        label="Pages of the co-investors"
        href={(beside) =>
          `${context.href(path)}${queryOf(PORTFOLIO_PARAMETERS, { ...query, beside })}#co-investors`
        }
      />
    </Section>
  )
}

interface Bar {
  name: string
  count: number
  /** The "other" row, drawn without a bar because it would dwarf the rest. */
  isRest?: boolean
}

interface BarsProps {
  /** The label of the categories: "Year". */
  title: string
  /** The label of the values: "Investments". */
  unit: string
  bars: readonly Bar[]
  /** The address of what a bar counts; undefined where it has none. */
  href(name: string): string | undefined
  /** The address at which the bars stand that share one here. */
  wholeHref?: string
}

/** A small bar chart that is a table: each bar stands beside its name and its figure. */
function Bars({ title, unit, bars, href, wholeHref }: BarsProps) {
  if (bars.length === 0) return null
  const most = Math.max(...bars.map(({ count, isRest }) => (isRest ? 0 : count)))
  return (
    <table class="bars">
      <caption>By {title.toLowerCase()}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">{title}</th>
          <th scope="col">{unit}</th>
        </tr>
      </thead>
      <tbody>
        {bars.map(({ name, count, isRest }) => (
          <tr>
            <th scope="row">
              <BarName name={name} href={isRest ? wholeHref : href(name)} />
            </th>
            <td>
              <svg height="8" aria-hidden="true">
                {isRest ? null : <rect width={percent(count / most)} height="8" rx="2" />}
              </svg>
              <span class="number">{figure(count)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function BarName({ name, href }: { name: string; href: string | undefined }) {
  return href ? <a href={href}>{name}</a> : <span>{name}</span>
}
