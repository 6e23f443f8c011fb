/** @jsxImportSource hono/jsx */
/** The rounds that a company raised: the picture, and a table of all of it. */

import type { PageContext } from '../http/page.ts'
import { queryOf } from '../ui/list-query.ts'
import { numbers, Section, Table } from '../ui/page-parts.tsx'
import { Pager } from '../ui/pager.tsx'
import type { Stat } from '../ui/stats.tsx'
import { Day, dollars, figure, formatMonth, plural } from '../ui/text.tsx'
import {
  FUNDING_PARAMETERS,
  type FundedRound,
  nameOfRound,
  nameOfType,
  PAGE_ROUNDS,
} from './funding.ts'
import { FundingChart } from './funding-chart.tsx'
import type { FundedCompany } from './profiles.ts'
import { companyConnections } from './view-models.ts'

/** Investors named in a round, at most; those who led come first. */
const INVESTORS_NAMED = 20
/** On the whole page, but for the first few of each round. */
const INVESTORS_ON_PAGE = 200
const ALWAYS_NAMED = 3

interface FundingProps {
  profile: FundedCompany
  context: PageContext
}

/** @param path the profile's own */
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

/** How many investors of each round are named: many of the newest, until the page has enough. */
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
  /** How many of them. */
  named: number
}

/** Who was in a round, leads first, each with a link where the directory knows them. */
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

/** The figures of a company's funding: in all, the last round, and who led it. */
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

/** A round's amount, as a cell. */
export function amountOf({ amountUsd }: { amountUsd: number | null }) {
  return amountUsd === null ? 'Undisclosed' : dollars(amountUsd)
}

/** A round's date, as a cell. */
export function dateOf({ announceDate }: Pick<FundedRound, 'announceDate'>) {
  return announceDate ? <Day at={announceDate} /> : 'Unknown'
}
