/** @jsxImportSource hono/jsx */
/** `/projects/{slug}`, `/investors/{slug}`, `/services/{slug}`: one company with its people and its money. */
import type { Company } from '../../directory/company.ts'
import type { DirectoryName } from '../../directory/records.ts'
import { HOME_DIRECTORY } from '../../directory/records.ts'
import type { Html } from '../html.ts'
import { type Reply, redirect, type Visit } from '../page.ts'
import { Badge, Monogram, OutLink } from '../parts/badges.tsx'
import { Facts, Handle, idOf, missingRecord, People, Risk, Section } from '../parts/profile.tsx'
import { Lifecycle } from '../parts/rows.tsx'
import { Table } from '../parts/table.tsx'
import { Day, dollars, figure, shortFigure, words } from '../parts/text.tsx'
import {
  companyPath,
  type InvestorRecord,
  investorRecord,
  type ProjectDetail,
  portfolioRows,
  projectDetailOf,
} from '../records.ts'

/** Investments shown on a page; the API has them all. */
const PORTFOLIO_SHOWN = 100

/** A company of any kind, as `/v1/projects/{id}`: one that lives elsewhere is shown there. */
export function projectPage(visit: Visit): Reply {
  const company = visit.directory.company(idOf(visit))
  if (!company) throw missingRecord('company')
  const home = HOME_DIRECTORY[company.companyType]
  return home === 'projects'
    ? profile(company, visit)
    : redirect(visit.to(companyPath(company)), 301)
}

export function investorPage(visit: Visit): Reply {
  return listedProfile('investors', 'investor', visit)
}

export function servicePage(visit: Visit): Reply {
  return listedProfile('services', 'service provider', visit)
}

/** What the directory doesn't list is not there, whatever else it is (contract, D25). */
function listedProfile(directory: DirectoryName, what: string, visit: Visit): Reply {
  const company = visit.directory.company(idOf(visit))
  if (!company || !visit.directory.lists(company, directory)) throw missingRecord(what)
  return profile(company, visit)
}

function profile(company: Company, visit: Visit): Reply {
  const record = projectDetailOf(company)
  const fund = company.investor ? investorRecord(company) : null
  const team = visit.directory.team(company)
  return {
    title: company.name,
    description: record.aiSummary ?? `${company.name}: team, funding and links.`,
    canonical: companyPath(company),
    shape: 'wide',
    main: (
      <div class="profile">
        <Head record={record} fund={fund} />
        <div class="columns">
          <div>
            <Risk risk={record.twitterRisk} />
            {record.aiSummary ? (
              <p class="summary">
                {record.aiSummary} <span class="note">Machine-written</span>
              </p>
            ) : null}
            {team.length > 0 ? (
              <Section id="team" title="Team" count={team.length}>
                <People people={team} visit={visit} />
              </Section>
            ) : null}
            <Rounds record={record} visit={visit} />
            {fund ? <Portfolio company={company} visit={visit} /> : null}
          </div>
          <aside class="panel" aria-labelledby="facts">
            <h2 id="facts">At a glance</h2>
            <Facts facts={[...factsOf(record, visit), ...(fund ? fundFacts(fund) : [])]} />
          </aside>
        </div>
      </div>
    ),
  }
}

function Head({ record, fund }: { record: ProjectDetail; fund: InvestorRecord | null }): Html {
  return (
    <header class="head">
      <Monogram name={record.name} large />
      <div>
        <h1>
          {record.name} {record.ticker ? <span class="ticker">${record.ticker}</span> : null}
        </h1>
        <p class="marks">
          <Badge tone="accent">
            {fund?.entityKind === 'individual' ? 'Angel' : words(record.companyType)}
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

function factsOf(record: ProjectDetail, visit: Visit) {
  const { domain, twitterHandle, tokenLaunched, followers, handleHistory } = record
  const list =
    record.companyType === 'project' || record.companyType === 'institution'
      ? 'projects'
      : 'services'
  const link = (href: string | null, text: string) => href && <OutLink href={href}>{text}</OutLink>
  const sectors = record.sectors.map((sector, i) => (
    <>
      {i > 0 ? ', ' : null}
      <a href={`${visit.to(`/${list}`)}?${new URLSearchParams({ sector })}`}>{sector}</a>
    </>
  ))
  return [
    { name: 'Website', value: link(domain && `https://${domain}`, domain ?? '') },
    { name: 'X', value: twitterHandle && <Handle handle={twitterHandle} /> },
    { name: 'Followers on X', value: followers === null ? null : figure(followers) },
    {
      name: 'Earlier handles',
      value: handleHistory.map(({ handle }) => `@${handle}`).join(', '),
    },
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

function fundFacts(fund: InvestorRecord) {
  const roi = fund.fundAllTimeRoiPct
  return [
    { name: 'Kind of fund', value: fund.fundType && words(fund.fundType) },
    { name: 'Return of all time', value: roi === null ? null : `${figure(roi)}%` },
    { name: 'Trust tier', value: fund.trustTier && words(fund.trustTier) },
  ]
}

function Rounds({
  record: { fundingRounds },
  visit,
}: {
  record: ProjectDetail
  visit: Visit
}): Html | null {
  if (fundingRounds.length === 0) return null
  return (
    <Section id="funding" title="Funding" count={fundingRounds.length}>
      <Table
        label="Funding"
        columns={[
          { label: 'Round' },
          { label: 'Amount', isNumber: true },
          { label: 'Announced' },
          { label: 'Investors' },
        ]}
        rows={fundingRounds.map((round) => [
          round.roundEventName ?? round.roundType ?? 'Round',
          round.amountUsd === null ? 'Undisclosed' : dollars(round.amountUsd),
          round.announceDate ? <Day at={round.announceDate} /> : 'Unknown',
          round.investors.map(({ id, name, isLead }, i) => {
            const investor = visit.directory.company(id)
            return (
              <>
                {i > 0 ? ', ' : null}
                {investor ? <a href={visit.to(companyPath(investor))}>{name}</a> : name}
                {isLead ? ' (lead)' : null}
              </>
            )
          }),
        ])}
      />
    </Section>
  )
}

function Portfolio({ company, visit }: { company: Company; visit: Visit }): Html | null {
  const total = company.portfolio.length
  if (total === 0) return null
  const rows = portfolioRows(company, PORTFOLIO_SHOWN)
  return (
    <Section id="portfolio" title="Portfolio" count={total}>
      <Table
        label="Portfolio"
        columns={[
          { label: 'Company' },
          { label: 'Round' },
          { label: 'Amount', isNumber: true },
          { label: 'Announced' },
        ]}
        rows={rows.map((row) => [
          <a href={visit.to(companyPath(row.company))}>{row.company.name}</a>,
          <>
            {row.roundType ?? row.roundEventName ?? 'Round'}{' '}
            {row.isLead ? <Badge>Lead</Badge> : null}
          </>,
          row.amountUsd === null ? 'Undisclosed' : dollars(row.amountUsd),
          row.announceDate ? <Day at={row.announceDate} /> : 'Unknown',
        ])}
      />
      {total > rows.length ? (
        <p class="note">And {shortFigure(total - rows.length)} older ones, which the API lists.</p>
      ) : null}
    </Section>
  )
}
