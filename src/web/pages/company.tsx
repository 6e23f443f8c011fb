/** @jsxImportSource hono/jsx */
/** `/projects/{slug}`, `/investors/{slug}`, `/services/{slug}`: one company with its people and its money. */
import { unlockedAmong } from '../../accounts/unlocks.ts'
import { type WebOutcome, webCall } from '../../accounts/web-calls.ts'
import type { Company } from '../../directory/company.ts'
import type { DirectoryName } from '../../directory/records.ts'
import { HOME_DIRECTORY } from '../../directory/records.ts'
import { CALL_CREDITS, ENDPOINTS, type Endpoint } from '../../metering/prices.ts'
import type { Form as Fields } from '../form.ts'
import type { Html } from '../html.ts'
import { signInFirst } from '../next.ts'
import { type Page, type Reply, redirect, type Visit } from '../page.ts'
import { Badge, Monogram, OutLink } from '../parts/badges.tsx'
import { Form } from '../parts/form.tsx'
import { Once, onceOf } from '../parts/once.tsx'
import { Outcome, statusOf } from '../parts/outcome.tsx'
import {
  contactsOf,
  Facts,
  Handle,
  idOf,
  missingRecord,
  People,
  Risk,
  Section,
} from '../parts/profile.tsx'
import { Lifecycle } from '../parts/rows.tsx'
import { Table } from '../parts/table.tsx'
import { counted, Day, dollars, figure, shortFigure, words } from '../parts/text.tsx'
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

/** A directory's profiles: what is found there, and the call that a read of one costs. */
interface Shelf {
  endpoint: Endpoint
  /** @throws PageError 404 for what the directory doesn't list (contract, D25) */
  find(visit: Visit): Company
}

const PROJECTS: Shelf = {
  endpoint: ENDPOINTS.project,
  find(visit) {
    const company = visit.directory.company(idOf(visit))
    if (!company) throw missingRecord('company')
    return company
  },
}
const INVESTORS = listed('investors', 'investor', ENDPOINTS.investor)
const SERVICES = listed('services', 'service provider', ENDPOINTS.service)

/** A company of any kind, as `/v1/projects/{id}`: one that lives elsewhere is shown there. */
export async function projectPage(visit: Visit): Promise<Reply> {
  const company = PROJECTS.find(visit)
  return HOME_DIRECTORY[company.companyType] === 'projects'
    ? companyPage(company, visit)
    : redirect(visit.to(companyPath(company)), 301)
}

export const investorPage = (visit: Visit) => companyPage(INVESTORS.find(visit), visit)
export const servicePage = (visit: Visit) => companyPage(SERVICES.find(visit), visit)

export const showProjectTeam = (visit: Visit, form: Fields) => showTeam(PROJECTS, visit, form)
export const showInvestorTeam = (visit: Visit, form: Fields) => showTeam(INVESTORS, visit, form)
export const showServiceTeam = (visit: Visit, form: Fields) => showTeam(SERVICES, visit, form)

function listed(directory: DirectoryName, what: string, endpoint: Endpoint): Shelf {
  return {
    endpoint,
    find(visit) {
      const company = visit.directory.company(idOf(visit))
      if (!company || !visit.directory.lists(company, directory)) throw missingRecord(what)
      return company
    },
  }
}

async function companyPage(company: Company, visit: Visit): Promise<Page> {
  const { session, application, directory } = visit
  const ids = session ? directory.team(company).map(({ id }) => id) : []
  const unlocked = session
    ? await unlockedAmong(application.database, session.account.id, ids)
    : new Set<string>()
  return profile(company, visit, { unlocked: unlocked.size })
}

/** The read that the API charges for, with the channels of the team's unlocked contacts. */
async function showTeam({ endpoint, find }: Shelf, visit: Visit, form: Fields): Promise<Reply> {
  const { session, application, directory } = visit
  if (!session) return signInFirst(visit)
  const company = find(visit)
  const contacts = directory.team(company).map(({ id }) => id)
  const outcome = await webCall(
    application.meter,
    session.account.id,
    endpoint,
    { found: true, person: null, reveal: false, contacts, channels: true },
    {
      requestId: crypto.randomUUID(),
      once: { key: onceOf(form), fingerprint: `${endpoint.path} ${company.id}` },
    },
  )
  const status = statusOf(outcome)
  const unlocked = await unlockedAmong(application.database, session.account.id, contacts)
  return { ...profile(company, visit, { unlocked: unlocked.size, outcome }), ...status }
}

/** How many of the team are unlocked, and what the button came to. */
interface Standing {
  unlocked: number
  outcome?: WebOutcome
}

function profile(company: Company, visit: Visit, standing: Standing): Page {
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
                <ShowChannels company={company} visit={visit} standing={standing} />
                <People people={team} visit={visit} contacts={contactsOf(standing.outcome)} />
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

function ShowChannels({
  company,
  visit,
  standing: { unlocked, outcome },
}: {
  company: Company
  visit: Visit
  standing: Standing
}): Html | null {
  if (outcome?.outcome === 'charged') return <Outcome outcome={outcome} visit={visit} />
  if (unlocked === 0) return null
  return (
    <>
      {outcome ? <Outcome outcome={outcome} visit={visit} /> : null}
      <Form visit={visit} action={companyPath(company)} class="inline">
        <Once />
        <button class="button quiet" type="submit">
          Show channels of {counted(unlocked, 'unlocked member', 'unlocked members')}{' '}
          <span class="price">{CALL_CREDITS} credits</span>
        </button>
      </Form>
    </>
  )
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
