/** @jsxImportSource hono/jsx */
/** Parts of a company's profile: head, facts, funding rounds and portfolio. */
import {
  type CompanyProfile,
  companyPath,
  type InvestorRecord,
  type PortfolioRow,
  type ProjectDetail,
} from '../directory/view-models.ts'
import type { PageContext } from '../http/page.ts'
import { Badge, ExternalLink, Monogram } from './badges.tsx'
import { numbers, Section, Table } from './page-parts.tsx'
import { Handle } from './profile.tsx'
import { Lifecycle } from './rows.tsx'
import { Day, dollars, figure, humanize, shortFigure } from './text.tsx'

export function Head({ record, fund }: { record: ProjectDetail; fund: InvestorRecord | null }) {
  return (
    <header class="head">
      <Monogram name={record.name} large />
      <div>
        <h1>
          {record.name} {record.ticker ? <span class="ticker">${record.ticker}</span> : null}
        </h1>
        <p class="marks">
          <Badge tone="accent">
            {fund?.entityKind === 'individual' ? 'Angel' : humanize(record.companyType)}
          </Badge>
          <Lifecycle lifecycle={record.lifecycle} />
          {record.chains.map((chain) => (
            <Badge>{chain}</Badge>
          ))}
        </p>
      </div>
    </header>
  )
}

/** The facts of a company. */
export function factsOf(record: ProjectDetail, context: PageContext) {
  const { domain, twitterHandle, tokenLaunched, followers, handleHistory } = record
  const list = ['project', 'institution'].includes(record.companyType) ? 'projects' : 'services'
  const link = (href: string | null, text: string) =>
    href && <ExternalLink href={href}>{text}</ExternalLink>
  const sectors = record.sectors.map((sector, i) => (
    <>
      {i > 0 ? ', ' : null}
      <a href={`${context.href(`/${list}`)}?${new URLSearchParams({ sector })}`}>{sector}</a>
    </>
  ))
  return [
    { name: 'Website', value: link(domain && `https://${domain}`, domain ?? '') },
    { name: 'X', value: twitterHandle && <Handle handle={twitterHandle} /> },
    { name: 'Followers on X', value: followers === null ? null : figure(followers) },
    { name: 'Earlier handles', value: handleHistory.map((it) => `@${it.handle}`).join(', ') },
    { name: 'Community', value: link(record.communityLink, 'Open') },
    { name: 'Discord', value: link(record.discordUrl, 'Join') },
    { name: 'LinkedIn', value: link(record.linkedinUrl, 'Company page') },
    { name: 'Sectors', value: sectors.length > 0 ? sectors : null },
    { name: 'People', value: record.size },
    {
      name: 'Token',
      value: tokenLaunched === null ? null : tokenLaunched ? 'Launched' : 'Not launched',
    },
    { name: 'Token page', value: link(record.tokenLink, 'Open') },
  ]
}

/** The facts that only funds have. */
export function fundFacts(fund: InvestorRecord) {
  const roi = fund.fundAllTimeRoiPct
  return [
    { name: 'Kind of fund', value: fund.fundType && humanize(fund.fundType) },
    { name: 'Return of all time', value: roi === null ? null : `${figure(roi)}%` },
    { name: 'Trust tier', value: fund.trustTier && humanize(fund.trustTier) },
  ]
}

export function Rounds({ profile, context }: { profile: CompanyProfile; context: PageContext }) {
  const { fundingRounds } = profile.company
  if (fundingRounds.length === 0) return null
  return (
    <Section id="funding" title="Funding" count={fundingRounds.length}>
      <Table
        label="Funding"
        columns={['Round', numbers('Amount'), 'Announced', 'Investors']}
        rows={fundingRounds.map((round) => [
          round.roundEventName ?? round.roundType ?? 'Round',
          ...termsOf(round),
          round.investors.map(({ id, name, isLead }, i) => {
            const path = profile.investorPaths.get(id)
            return (
              <>
                {i > 0 ? ', ' : null}
                {path ? <a href={context.href(path)}>{name}</a> : name}
                {isLead ? ' (lead)' : null}
              </>
            )
          }),
        ])}
      />
    </Section>
  )
}

/** The cells of a round's amount and date. */
function termsOf({ amountUsd, announceDate }: Pick<PortfolioRow, 'amountUsd' | 'announceDate'>) {
  return [
    amountUsd === null ? 'Undisclosed' : dollars(amountUsd),
    announceDate ? <Day at={announceDate} /> : 'Unknown',
  ]
}

interface PortfolioProps {
  fund: InvestorRecord
  rows: readonly PortfolioRow[]
  context: PageContext
}

export function Portfolio({ fund: { portfolioCount: total }, rows, context }: PortfolioProps) {
  if (total === 0) return null
  return (
    <Section id="portfolio" title="Portfolio" count={total}>
      <Table
        label="Portfolio"
        columns={['Company', 'Round', numbers('Amount'), 'Announced']}
        rows={rows.map((row) => [
          <a href={context.href(companyPath(row.company))}>{row.company.name}</a>,
          <>
            {row.roundType ?? row.roundEventName ?? 'Round'}{' '}
            {row.isLead ? <Badge>Lead</Badge> : null}
          </>,
          ...termsOf(row),
        ])}
      />
      {total > rows.length ? (
        <p class="note">And {shortFigure(total - rows.length)} older ones, which the API lists.</p>
      ) : null}
    </Section>
  )
}
