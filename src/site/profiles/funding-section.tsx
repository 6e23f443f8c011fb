/** @jsxImportSource hono/jsx */
/** The funding rounds of a company: a chart of the total after each, and a table. */
import type { PageContext } from '../http/page.ts'
import { queryOf } from '../ui/list-query.ts'
import { numbers, Section, Table } from '../ui/page-parts.tsx'
import { Pager } from '../ui/pager.tsx'
import { FINE_STEPS, percent, roundedUp } from '../ui/scale.ts'
import type { Stat } from '../ui/stats.tsx'
import { Day, dollars, figure, formatDay, formatMonth, plural } from '../ui/text.tsx'
import {
  FUNDING_PARAMETERS,
  type FundedRound,
  type FundingStep,
  nameOfRound,
  nameOfType,
  PAGE_ROUNDS,
} from './funding.ts'
import type { FundedCompany } from './profiles.ts'
import { companyConnections } from './view-models.ts'

/** Investors named in a round, leads first. */
const INVESTORS_NAMED = 20
/** Investors named on the page, besides the first few of each round. */
const INVESTORS_ON_PAGE = 200
const ALWAYS_NAMED = 3

interface FundingProps {
  profile: FundedCompany
  context: PageContext
}

export function FundingSection({ path, ...props }: FundingProps & { path: string }) {
  const { profile, context } = props
  const { rounds, count, totalUsd, undisclosed, page, totalPages, steps } = profile.funding
  if (count === 0) return null
  const named = namedIn(rounds)
  const first = (page - 1) * PAGE_ROUNDS + 1
  const hidden = undisclosed > 0 ? `, ${plural(undisclosed, 'amount', 'amounts')} undisclosed` : ''
  return (
    <Section id="funding" title="Funding" count={count}>
      <p class="note">
        {totalUsd > 0 ? `${dollars(totalUsd)} in ` : null}
        {plural(count, 'round', 'rounds')}
        {hidden}.
        {totalPages > 1
          ? ` ${figure(first)} to ${figure(first + rounds.length - 1)}, newest first:`
          : null}
      </p>
      <FundingChart steps={steps} />
      <Table
        label="Funding"
        isCards
        columns={['Round', numbers('Amount'), numbers('In all'), 'Announced', 'Investors']}
        rows={rounds.map((round, i) => [
          nameOfRound(round, profile.company.name),
          amountOf(round),
          round.totalUsd > 0 ? dollars(round.totalUsd) : '–',
          dateOf(round),
          <Investors round={round} named={named[i] ?? 0} {...props} />,
        ])}
      />
      <Pager
        page={page}
        totalPages={totalPages}
        label="Pages of the rounds"
        href={(number) =>
          `${context.href(path)}${queryOf(FUNDING_PARAMETERS, { rounds: number })}#funding`
        }
      />
    </Section>
  )
}

/** Number of investors named in each round: more in the newest, until the page's limit. */
function namedIn(rounds: readonly FundedRound[]): number[] {
  let left = INVESTORS_ON_PAGE
  return rounds.map(({ investors }) => {
    const named = Math.min(investors.length, INVESTORS_NAMED, Math.max(left, ALWAYS_NAMED))
    left -= named
    return named
  })
}

interface InvestorsProps extends FundingProps {
  round: FundedRound
  /** Number of investors to name. */
  named: number
}

function Investors({ round, named, profile, context }: InvestorsProps) {
  if (round.investors.length === 0) return <span class="quiet">Not on record</span>
  const rest = round.investors.length - named
  return (
    <>
      {round.investors.slice(0, named).map((investor, i) => (
        <>
          {i > 0 ? ', ' : null}
          <InvestorLink investor={investor} profile={profile} context={context} />
          {investor.isLead ? ' (lead)' : null}
        </>
      ))}
      {rest > 0 ? (
        <>
          {' and '}
          <a href={`${context.href(companyConnections(profile.company))}#next`}>
            {figure(rest)} more
          </a>
        </>
      ) : null}
    </>
  )
}

interface InvestorLinkProps extends FundingProps {
  investor: FundedRound['investors'][number]
}

function InvestorLink({ investor: { id, name }, profile, context }: InvestorLinkProps) {
  const path = profile.investorPaths.get(id)
  return path ? <a href={context.href(path)}>{name}</a> : <span>{name}</span>
}

/** Figures for the head of a profile. */
export function fundingStats({ profile, context }: FundingProps): Stat[] {
  const { newest: last, count, totalUsd } = profile.funding
  if (!last) return []
  const leads = last.investors.filter(({ isLead }) => isLead)
  const others = last.investors.length - 1
  return [
    {
      name: 'Raised in all',
      value: totalUsd > 0 ? dollars(totalUsd) : 'Undisclosed',
      note: plural(count, 'round', 'rounds'),
    },
    {
      name: 'Last round',
      value: nameOfType(last),
      note: [
        last.amountUsd && dollars(last.amountUsd),
        last.announceDate && formatMonth(last.announceDate),
      ]
        .filter(Boolean)
        .join(' · '),
    },
    {
      name: 'Led by',
      value: leads[0] ? (
        <InvestorLink investor={leads[0]} profile={profile} context={context} />
      ) : null,
      note: others > 0 ? `with ${plural(others, 'other investor', 'other investors')}` : null,
    },
  ]
}

export function amountOf({ amountUsd }: { amountUsd: number | null }) {
  return amountUsd === null ? 'Undisclosed' : dollars(amountUsd)
}

export function dateOf({ announceDate }: Pick<FundedRound, 'announceDate'>) {
  return announceDate ? <Day at={announceDate} /> : 'Unknown'
}

/** Heights in pixels. Horizontal positions are shares of the width, so that text keeps its size on phones. */
const HEIGHT = 220
const ABOVE = 26
const BELOW = 24
const FLOOR = HEIGHT - BELOW
/** Positions of the first and last round, as shares of the width. */
const FIRST = 0.06
const LAST = 0.92
/** Least distance of labels, as shares of the width. */
const APART = 0.13
const YEARS_APART = 0.1

interface Point {
  step: FundingStep
  /** Share of the width. */
  x: number
  y: number
}

/** Chart of the total raised after each round. Null unless two rounds have different dates and one has an amount. */
function FundingChart({ steps }: { steps: readonly FundingStep[] }) {
  const [first, last] = [steps[0], steps.at(-1)]
  const [begin = 0, end = 0, total = 0] = [first?.announcedAt, last?.announcedAt, last?.totalUsd]
  if (begin === end || total === 0) return null
  const count = steps.reduce((sum, { name }) => sum + (typeof name === 'number' ? name : 1), 0)
  const isGrouped = count > steps.length
  const top = roundedUp(total, FINE_STEPS)
  const xOf = (time: number) => FIRST + ((LAST - FIRST) * (time - begin)) / (end - begin)
  const yOf = (usd: number) => Math.round(FLOOR - (FLOOR - ABOVE) * (usd / top))
  const points = steps.map((step) => ({
    step,
    x: xOf(step.announcedAt),
    y: yOf(step.totalUsd),
  }))
  return (
    <figure class="chart">
      <svg height={HEIGHT} role="img" aria-labelledby="funding-title funding-desc">
        <title id="funding-title">Total raised after each round</title>
        <desc id="funding-desc">
          {`${plural(count, 'round', 'rounds')} from ${formatDay(begin)} to ${formatDay(end)}, after which ${dollars(total)} are raised in all. The table below has every figure.`}
        </desc>
        {points.map((point, i) => (
          <Step
            point={point}
            from={points[i - 1]?.y ?? yOf(point.step.totalUsd - (point.step.amountUsd ?? 0))}
            to={points[i + 1]?.x ?? 1}
          />
        ))}
        {[0, top / 2, top].map((usd) => (
          <>
            <line class="level" x1="0" x2="100%" y1={yOf(usd)} y2={yOf(usd)} />
            {usd > 0 ? (
              <text x="0" y={yOf(usd) - 5}>
                {dollars(usd)}
              </text>
            ) : null}
          </>
        ))}
        {yearsBetween(begin, end, xOf).map(({ year, x }) => (
          <text class="year" x={percent(x)} y={HEIGHT - 6}>
            {year}
          </text>
        ))}
        {points.map((point) => (
          <Dot point={point} />
        ))}
        {labelled(points).map(({ step, x, y }) => (
          <text class="value" x={percent(x)} y={y - 11}>
            {step.amountUsd === null ? '' : `+${dollars(step.amountUsd)}`}
          </text>
        ))}
      </svg>
      <figcaption class="note">
        Total raised after each round, with what it added.
        {isGrouped ? ' A dot is all rounds of its time.' : null}
        {steps.some(({ amountUsd }) => amountUsd === null)
          ? ' A hollow dot is a round whose amount was not disclosed.'
          : null}
      </figcaption>
    </figure>
  )
}

/** Total from one round to the next. @param from y of the total before @param to x of the next round */
function Step({ point: { x, y }, from, to }: { point: Point; from: number; to: number }) {
  const left = percent(x)
  return (
    <>
      <rect class="under" x={left} y={y} width={percent(to - x)} height={FLOOR - y} />
      <line class="step" x1={left} x2={left} y1={from} y2={y} />
      <line class="step" x1={left} x2={percent(to)} y1={y} y2={y} />
    </>
  )
}

function Dot({ point: { step, x, y } }: { point: Point }) {
  const { name, amountUsd, announcedAt, totalUsd } = step
  const day = formatDay(announcedAt)
  const what = typeof name === 'number' ? `${figure(name)} rounds up to ${day}` : `${name}, ${day}`
  const amount = amountUsd === null ? 'undisclosed' : dollars(amountUsd)
  return (
    <circle class={amountUsd === null ? 'dot open' : 'dot'} cx={percent(x)} cy={y} r="5">
      <title>{`${what}: ${amount}; ${dollars(totalUsd)} in all`}</title>
    </circle>
  )
}

/** Points with room for a label, newest first. */
function labelled(points: readonly Point[]): Point[] {
  let next = Number.POSITIVE_INFINITY
  return points.toReversed().filter(({ step, x }) => {
    if (step.amountUsd === null || next - x < APART) return false
    next = x
    return true
  })
}

/** Starts of years that have room for a label; or the only year. */
function yearsBetween(begin: number, end: number, xOf: (time: number) => number) {
  const [first = 0, last = 0] = [begin, end].map((time) => new Date(time).getUTCFullYear())
  if (first === last) return [{ year: first, x: FIRST }]
  const years: { year: number; x: number }[] = []
  for (let year = first + 1; year <= last; year++) {
    const x = xOf(Date.UTC(year, 0))
    const before = years.at(-1)?.x ?? Number.NEGATIVE_INFINITY
    if (x - before >= YEARS_APART) years.push({ year, x })
  }
  return years
}
