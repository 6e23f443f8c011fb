/** @jsxImportSource hono/jsx */
/** `/projects/{slug}`, `/investors/{slug}`, `/services/{slug}`: one company with its team and its funding. */
import { type DirectoryName, HOME_DIRECTORY } from '../../../contract/vocabulary.ts'
import { chainNames } from '../../../directory/records/chains.ts'
import type { Company } from '../../../directory/records/company.ts'
import { type Contacts, unlockedContacts } from '../../../money/accounts/unlocks.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../http/page.ts'
import { ConnectionsSection } from '../../profiles/connections-section.tsx'
import { FundingSection, fundingStats } from '../../profiles/funding-section.tsx'
import { companyData } from '../../profiles/linked-data.ts'
import { PORTFOLIO_PARAMETERS } from '../../profiles/portfolio.ts'
import { CoInvestors, fundStats, PortfolioSection } from '../../profiles/portfolio-section.tsx'
import {
  Handle,
  idOf,
  isOldAddress,
  People,
  Risk,
  recordNotFound,
} from '../../profiles/profile-parts.tsx'
import { type CompanyProfile, companyProfile } from '../../profiles/profiles.ts'
import { Lifecycle } from '../../profiles/rows.tsx'
import { Similar } from '../../profiles/similar.tsx'
import {
  companyConnections,
  companyPath,
  type InvestorRecord,
  type ProjectRecord,
} from '../../profiles/view-models.ts'
import { AddToList } from '../../ui/add-to-list.tsx'
import { Badge, ExternalLink, Monogram } from '../../ui/badges.tsx'
import { Facts, knownFacts, Missing } from '../../ui/facts.tsx'
import { queryOf } from '../../ui/list-query.ts'
import { Section } from '../../ui/page-parts.tsx'
import { Shared } from '../../ui/shared-part.ts'
import { type Stat, Stats } from '../../ui/stats.tsx'
import { figure, humanize, plural, shortFigure } from '../../ui/text.tsx'

export const INVESTOR_PROFILES = profilesOf('investors', 'investor')
export const SERVICE_PROFILES = profilesOf('services', 'service provider')
/** Accepts any company, like `/v1/projects/{id}`, and redirects to its own directory. */
export const PROJECT_PROFILES = profilesOf('projects', 'company')

function profilesOf(name: DirectoryName, what: string) {
  /** @throws PageError 404 for what the directory doesn't list (contract) */
  function find(context: PageContext): Company {
    const { directory } = context
    const company = directory.company(idOf(context))
    if (!company || (name !== 'projects' && !directory.lists(company, name))) {
      throw recordNotFound(what)
    }
    return company
  }
  return {
    async get(context: PageContext): Promise<Reply> {
      const company = find(context)
      const isElsewhere = name === 'projects' && HOME_DIRECTORY[company.companyType] !== name
      if (isElsewhere || isOldAddress(context, company)) {
        return redirect(context.href(companyPath(company)), 301)
      }
      const { query } = context
      const profile = companyProfile(context, company, query)
      return profilePage(profile, context, await contactsIn(profile, context))
    },
  }
}

/** Unlocked contacts of the team. */
async function contactsIn({ team }: CompanyProfile, { session, application }: PageContext) {
  if (!session) return new Map()
  const ids = team.map(({ id }) => id)
  return unlockedContacts(application.database, session.account.id, ids)
}

function profilePage(profile: CompanyProfile, context: PageContext, contacts: Contacts): Page {
  const { company: record, fund, funding, team, portfolio } = profile
  const path = companyPath(record)
  const missing = missingOf(profile)
  const facts = knownFacts([...factsOf(record, context), ...(fund ? fundFacts(fund) : [])])
  // Missing facts are named once: in the panel, if there is one.
  const isBare =
    facts.length === 0 || (team.length === 0 && funding.count === 0 && !portfolio?.total)
  return {
    title: record.name,
    description: record.aiSummary ?? `${record.name}: team, funding and links.`,
    canonical: path,
    picture: context.picture(record),
    linkedData: companyData(profile, context.site),
    // Search engines should index the profile, not every page and order of its tables.
    isUnlisted:
      funding.page > 1 ||
      (portfolio !== null && queryOf(PORTFOLIO_PARAMETERS, portfolio.query) !== ''),
    shape: 'wide',
    main: (
      <div class="profile">
        <Head profile={profile} context={context} />
        <div class="columns">
          <div>
            <Risk risk={record.twitterRisk} />
            {record.aiSummary ? (
              <p class="summary">
                <bdi>{record.aiSummary}</bdi> <span class="note">AI-generated</span>
              </p>
            ) : null}
            {isBare ? <Missing what={missing} isAll /> : null}
            {team.length > 0 ? (
              <Section id="team" title="Team" count={team.length}>
                <People people={team} context={context} contacts={contacts} />
              </Section>
            ) : null}
            <FundingSection profile={profile} path={path} context={context} />
            {portfolio ? (
              <>
                <PortfolioSection portfolio={portfolio} path={path} context={context} />
                <CoInvestors portfolio={portfolio} path={path} context={context} />
              </>
            ) : null}
            {profile.similar ? (
              <Shared part={profile.similar}>
                {(similar) => <Similar similar={similar} context={context} />}
              </Shared>
            ) : null}
          </div>
          {facts.length > 0 ? (
            <aside class="panel" aria-labelledby="facts">
              <h2 id="facts">At a glance</h2>
              <Facts facts={facts} />
              {isBare ? null : <Missing what={missing} />}
            </aside>
          ) : null}
        </div>
        <Shared part={profile.connections}>
          {(connections) => (
            <ConnectionsSection
              connections={connections}
              path={companyConnections(record)}
              context={context}
            />
          )}
        </Shared>
      </div>
    ),
  }
}

interface CompanyProps {
  profile: CompanyProfile
  context: PageContext
}

/** Chains in the head. */
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

/** Note below the size of the team. A range of employees must not break at its hyphen. */
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

function factsOf(record: ProjectRecord, context: PageContext) {
  const { domain, twitterHandle, tokenLaunched, followers, handleHistory } = record
  // A fund's sectors lead to projects: they are what it invests in.
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

/** Facts of funds that the head doesn't show. */
function fundFacts(fund: InvestorRecord) {
  return [{ name: 'Fund type', value: fund.fundType && humanize(fund.fundType) }]
}

/** Missing facts in words. */
function missingOf({ company, fund, team, funding }: CompanyProfile): string[] {
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
