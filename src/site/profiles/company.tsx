/** @jsxImportSource hono/jsx */
/** Parts of a company's profile: its head with what counts, its facts, and what is not on record. */
import { HOME_DIRECTORY } from '../../contract/vocabulary.ts'
import { chainNames } from '../../directory/records/chains.ts'
import type { PageContext } from '../http/page.ts'
import { AddToList } from '../ui/add-to-list.tsx'
import { Badge, ExternalLink, Monogram } from '../ui/badges.tsx'
import { type Stat, Stats } from '../ui/stats.tsx'
import { figure, humanize, plural, shortFigure } from '../ui/text.tsx'
import { fundingStats } from './funding-section.tsx'
import { fundStats } from './portfolio-section.tsx'
import { Handle } from './profile.tsx'
import type { CompanyProfile } from './profiles.ts'
import { Lifecycle } from './rows.tsx'
import type { InvestorRecord, ProjectRecord } from './view-models.ts'

interface CompanyProps {
  profile: CompanyProfile
  context: PageContext
}

/** Chains named in the head, at most. */
const CHAINS_SHOWN = 6

export function Head({ profile, context }: CompanyProps) {
  const { company: record, fund, portfolio } = profile
  const chains = chainNames(record.chains)
  const more = chains.length - CHAINS_SHOWN
  return (
    <>
      <header class="head">
        <Monogram name={record.name} picture={context.picture(record)} large />
        <div>
          <h1>
            {record.name} {record.ticker ? <span class="ticker">${record.ticker}</span> : null}
          </h1>
          <p class="marks">
            <Badge tone="accent">
              {fund?.entityKind === 'individual' ? 'Angel' : humanize(record.companyType)}
            </Badge>
            <Lifecycle of={record} />
            {record.tokenLaunched === null ? null : (
              <Badge tone={record.tokenLaunched ? 'good' : 'plain'}>
                {record.tokenLaunched ? 'Token launched' : 'No token yet'}
              </Badge>
            )}
            {chains.slice(0, CHAINS_SHOWN).map((chain) => (
              <Badge>{chain}</Badge>
            ))}
            {more > 0 ? <Badge>and {plural(more, 'more chain', 'more chains')}</Badge> : null}
          </p>
          <AddToList id={record.id} context={context} />
        </div>
      </header>
      <Stats
        stats={[
          ...(fund && portfolio
            ? fundStats(portfolio, fund, context)
            : fundingStats({ profile, context })),
          ...peopleStats(profile),
        ]}
      />
    </>
  )
}

/** What stands below how many of a team are known. A range of employees stays whole: it has a hyphen. */
function OnRecord({ of: size }: { of: string | null }) {
  if (!size) return <>on record</>
  return <>on record, of {/^[\d+-]+$/.test(size) ? <span class="unbroken">{size}</span> : size}</>
}

function peopleStats({ company: { followers, size }, team }: CompanyProfile): Stat[] {
  return [
    {
      name: 'Team',
      value: team.length > 0 ? <a href="#team">{figure(team.length)}</a> : size,
      note: team.length > 0 ? <OnRecord of={size} /> : 'people',
    },
    {
      name: 'Followers',
      value: followers === null ? null : shortFigure(followers),
      note: 'on X',
    },
  ]
}

/** The facts of a company. */
export function factsOf(record: ProjectRecord, context: PageContext) {
  const { domain, twitterHandle, tokenLaunched, followers, handleHistory } = record
  // A fund's sectors are those of the companies that it looks for.
  const home = HOME_DIRECTORY[record.companyType]
  const list = home === 'investors' ? 'projects' : home
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
    { name: 'Community', value: link(record.communityLink, 'Visit') },
    { name: 'Discord', value: link(record.discordUrl, 'Join') },
    { name: 'LinkedIn', value: link(record.linkedinUrl, 'LinkedIn page') },
    { name: 'Sectors', value: sectors.length > 0 ? sectors : null },
    { name: 'Chains', value: chainNames(record.chains).join(', ') },
    { name: 'People', value: record.size },
    {
      name: 'Token',
      value: tokenLaunched === null ? null : tokenLaunched ? 'Launched' : 'Not launched',
    },
    { name: 'Token page', value: link(record.tokenLink, 'Open') },
  ]
}

/** The facts that only funds have, and that are not at the head. */
export function fundFacts(fund: InvestorRecord) {
  return [{ name: 'Fund type', value: fund.fundType && humanize(fund.fundType) }]
}

/** What a reader may look for in vain, in words. */
export function missingOf({ company, fund, team, funding }: CompanyProfile): string[] {
  const isFund = fund !== null
  const missing = {
    'a description': company.aiSummary === null,
    'a team': team.length === 0,
    'funding rounds': !isFund && funding.count === 0,
    investments: isFund && fund.portfolioCount === 0,
    sectors: !isFund && company.sectors.length === 0,
    'a website': company.domain === null,
    'an X account': company.twitterHandle === null,
  }
  return Object.entries(missing).flatMap(([what, isMissing]) => (isMissing ? [what] : []))
}
