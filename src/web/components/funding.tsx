/** @jsxImportSource hono/jsx */
/** The rounds that a company raised: the picture, and a table of all of it. */
import type { FundedRound, Funding } from '../directory/funding.ts'
import { nameOfRound, stageOf } from '../directory/funding.ts'
import type { FundedCompany } from '../directory/profiles.ts'
import type { PageContext } from '../http/page.ts'
import { FundingChart } from './funding-chart.tsx'
import { numbers, Section, Table } from './page-parts.tsx'
import type { Stat } from './stats.tsx'
import { Day, dollars, figure, formatMonth, plural } from './text.tsx'

/** Investors named in a round, at most; those who led come first. */
const INVESTORS_NAMED = 20

interface FundingProps {
  profile: FundedCompany
  context: PageContext
}

export function FundingSection({ profile, context }: FundingProps) {
  const { funding } = profile
  const { rounds, count, totalUsd, undisclosed } = funding
  if (rounds.length === 0) return null
  const hidden = undisclosed > 0 ? `, ${plural(undisclosed, 'amount', 'amounts')} undisclosed` : ''
  return (
    <Section id="funding" title="Funding" count={count}>
      <p class="note">
        {totalUsd > 0 ? `${dollars(totalUsd)} in ` : null}
        {plural(count, 'round', 'rounds')}
        {hidden}.
        {rounds.length < count
          ? ` The newest ${figure(rounds.length)} are shown; the API lists all.`
          : null}
      </p>
      <FundingChart rounds={rounds} />
      <Table
        label="Funding"
        isCards
        columns={['Round', numbers('Amount'), numbers('In all'), 'Announced', 'Investors']}
        rows={rounds.map((round) => [
          nameOfRound(round, profile.company.name),
          amountOf(round),
          round.totalUsd > 0 ? dollars(round.totalUsd) : '–',
          dateOf(round),
          <Investors round={round} profile={profile} context={context} />,
        ])}
      />
    </Section>
  )
}

/** Who was in a round, leads first, each with a link where the directory knows them. */
function Investors({ round, profile, context }: FundingProps & { round: FundedRound }) {
  if (round.investors.length === 0) return <span class="quiet">Not on record</span>
  const rest = round.investors.length - INVESTORS_NAMED
  return (
    <>
      {round.investors.slice(0, INVESTORS_NAMED).map((investor, i) => (
        <>
          {i > 0 ? ', ' : null}
          <InvestorLink investor={investor} profile={profile} context={context} />
          {investor.isLead ? ' (lead)' : null}
        </>
      ))}
      {rest > 0 ? ` and ${figure(rest)} more` : null}
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
  const { rounds, count, totalUsd }: Funding = profile.funding
  const [last] = rounds
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
      value: stageOf(last),
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
      note: others > 0 ? `and ${plural(others, 'other', 'others')}` : null,
    },
  ]
}

/** A round's amount, as a cell. */
export function amountOf({ amountUsd }: Pick<FundedRound, 'amountUsd'>) {
  return amountUsd === null ? 'Undisclosed' : dollars(amountUsd)
}

/** A round's date, as a cell. */
export function dateOf({ announceDate }: Pick<FundedRound, 'announceDate'>) {
  return announceDate ? <Day at={announceDate} /> : 'Unknown'
}
