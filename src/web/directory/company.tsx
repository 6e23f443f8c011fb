/** @jsxImportSource hono/jsx */
/** `/projects/{slug}`, `/investors/{slug}`, `/services/{slug}`: one company with its team and its funding. */
import { unlockedAmong } from '../../accounts/unlocks.ts'
import type { WebOutcome } from '../../accounts/web-calls.ts'
import { CALL_CREDITS, ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { type DirectoryName, HOME_DIRECTORY } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/company.ts'
import { Submit } from '../components/actions.tsx'
import { factsOf, fundFacts, Head, missingOf } from '../components/company.tsx'
import { ConnectionsSection } from '../components/connections.tsx'
import { Form, IdempotencyField } from '../components/form.tsx'
import { FundingSection } from '../components/funding.tsx'
import { Outcome, purchase, statusOf } from '../components/outcome.tsx'
import { Section } from '../components/page-parts.tsx'
import { CoInvestors, PortfolioSection } from '../components/portfolio.tsx'
import {
  contactsOf,
  Facts,
  idOf,
  isOldAddress,
  Missing,
  People,
  Risk,
  recordNotFound,
} from '../components/profile.tsx'
import { Similar } from '../components/similar.tsx'
import { plural } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { isSignedIn, type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { redirectToSignIn } from '../http/return-url.ts'
import { companyData } from './linked-data.ts'
import { queryOf } from './list-query.ts'
import { PORTFOLIO_PARAMETERS, portfolioQuery } from './portfolio-query.ts'
import { type CompanyProfile, companyProfile } from './profiles.ts'
import { companyPath } from './view-models.ts'

/** The profiles of a directory: the page, and the form that shows the contacts of its team. */
export const INVESTOR_PROFILES = profilesOf('investors', 'investor', ENDPOINTS.investor)
export const SERVICE_PROFILES = profilesOf('services', 'service provider', ENDPOINTS.service)
/** A company of any kind, as `/v1/projects/{id}`; the page redirects to the directory that it belongs to. */
export const PROJECT_PROFILES = profilesOf('projects', 'company', ENDPOINTS.project)

function profilesOf(name: DirectoryName, what: string, endpoint: Endpoint) {
  /** @throws PageError 404 for what the directory doesn't list (contract, D25) */
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
      const profile = companyProfile(context.directory, company, portfolioQuery(context.query))
      return profilePage(profile, context, await unlockedIn(profile, context))
    },
    /** Shows the team's unlocked contacts. Reads everything before the charge (D41). */
    async post(context: PageContext, form: Fields): Promise<Reply> {
      if (!isSignedIn(context)) return redirectToSignIn(context)
      const profile = companyProfile(context.directory, find(context), portfolioQuery(''))
      const unlocked = await unlockedIn(profile, context)
      const contacts = profile.team.map(({ id }) => id)
      const about = `${endpoint.path} ${profile.company.id}`
      const reading = { person: null, reveal: false, contacts }
      const outcome = await purchase(context, form, endpoint, about, reading)
      return { ...statusOf(outcome), ...profilePage(profile, context, unlocked, outcome) }
    },
  }
}

/** How many contacts of the team the signed-in account has unlocked. */
async function unlockedIn({ team }: CompanyProfile, { session, application }: PageContext) {
  if (!session) return 0
  const ids = team.map(({ id }) => id)
  return (await unlockedAmong(application.database, session.account.id, ids)).size
}

/** @param unlocked how many of the team's contacts are @param outcome what the button came to */
function profilePage(
  profile: CompanyProfile,
  context: PageContext,
  unlocked: number,
  outcome?: WebOutcome,
): Page {
  const { company: record, fund, team, portfolio } = profile
  const path = companyPath(record)
  const missing = missingOf(profile)
  const isBare = team.length === 0 && record.fundingRounds.length === 0 && !portfolio?.total
  return {
    title: record.name,
    description: record.aiSummary ?? `${record.name}: team, funding and links.`,
    canonical: path,
    linkedData: companyData(profile, context.site),
    // Search engines list the profile, not each page of its portfolio in each order.
    isUnlisted: portfolio !== null && queryOf(PORTFOLIO_PARAMETERS, portfolio.query) !== '',
    shape: 'wide',
    main: (
      <div class="profile">
        <Head profile={profile} context={context} />
        <div class="columns">
          <div>
            <Risk risk={record.twitterRisk} />
            {record.aiSummary ? (
              <p class="summary">
                {record.aiSummary} <span class="note">AI-generated</span>
              </p>
            ) : null}
            {isBare ? <Missing what={missing} isAll /> : null}
            {team.length > 0 ? (
              <Section id="team" title="Team" count={team.length}>
                {outcome ? <Outcome outcome={outcome} context={context} /> : null}
                {unlocked > 0 && outcome?.outcome !== 'charged' ? (
                  <Form context={context} action={path} class="inline">
                    <IdempotencyField />
                    <Submit tone="quiet">
                      Show {plural(unlocked, 'unlocked contact', 'unlocked contacts')}{' '}
                      <span class="price">{CALL_CREDITS} credits</span>
                    </Submit>
                  </Form>
                ) : null}
                <People people={team} context={context} contacts={contactsOf(outcome)} />
              </Section>
            ) : null}
            <FundingSection profile={profile} context={context} />
            {portfolio ? (
              <>
                <PortfolioSection portfolio={portfolio} path={path} context={context} />
                <CoInvestors portfolio={portfolio} context={context} />
              </>
            ) : null}
            <Similar similar={profile.similar} context={context} />
          </div>
          <aside class="panel" aria-labelledby="facts">
            <h2 id="facts">At a glance</h2>
            <Facts facts={[...factsOf(record, context), ...(fund ? fundFacts(fund) : [])]} />
            {isBare ? null : <Missing what={missing} />}
          </aside>
        </div>
        <ConnectionsSection connections={profile.connections} context={context} />
      </div>
    ),
  }
}
