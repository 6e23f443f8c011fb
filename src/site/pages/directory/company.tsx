/** @jsxImportSource hono/jsx */
/** `/projects/{slug}`, `/investors/{slug}`, `/services/{slug}`: one company with its team and its funding. */

import { type DirectoryName, HOME_DIRECTORY } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../directory/records/company.ts'
import { type Contacts, unlockedContacts } from '../../../money/accounts/unlocks.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../http/page.ts'
import { factsOf, fundFacts, Head, missingOf } from '../../profiles/company.tsx'
import { ConnectionsSection } from '../../profiles/connections-section.tsx'
import { FundingSection } from '../../profiles/funding-section.tsx'
import { companyData } from '../../profiles/linked-data.ts'
import { ofOneMoment } from '../../profiles/one-moment.ts'
import { PORTFOLIO_PARAMETERS } from '../../profiles/portfolio.ts'
import { CoInvestors, PortfolioSection } from '../../profiles/portfolio-section.tsx'
import { idOf, isOldAddress, People, Risk, recordNotFound } from '../../profiles/profile.tsx'
import { type CompanyProfile, companyProfile } from '../../profiles/profiles.ts'
import { Similar } from '../../profiles/similar.tsx'
import { companyConnections, companyPath } from '../../profiles/view-models.ts'
import { Facts, knownFacts, Missing } from '../../ui/facts.tsx'
import { queryOf } from '../../ui/list-query.ts'
import { Section } from '../../ui/page-parts.tsx'
import { Shared } from '../../ui/part.tsx'

/** The profiles of a directory. */
export const INVESTOR_PROFILES = profilesOf('investors', 'investor')
export const SERVICE_PROFILES = profilesOf('services', 'service provider')
/** A company of any kind, as `/v1/projects/{id}`; the page redirects to the directory that it belongs to. */
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
      const { directory, query } = context
      // Found again too: the company may be another record by then, or gone.
      const read = () => companyProfile(context, find(context), query)
      const profile = await ofOneMoment(directory, read)
      return profilePage(profile, context, await contactsIn(profile, context))
    },
  }
}

/** Whom of the team the account has unlocked. */
async function contactsIn({ team }: CompanyProfile, { session, application }: PageContext) {
  if (!session) return new Map()
  const ids = team.map(({ id }) => id)
  return unlockedContacts(application.database, session.account.id, ids)
}

/** @param contacts those of the team whom the account has unlocked */
function profilePage(profile: CompanyProfile, context: PageContext, contacts: Contacts): Page {
  const { company: record, fund, funding, team, portfolio } = profile
  const path = companyPath(record)
  const missing = missingOf(profile)
  const facts = knownFacts([...factsOf(record, context), ...(fund ? fundFacts(fund) : [])])
  // What is missing is said once: in the panel, where there is one.
  const isBare =
    facts.length === 0 || (team.length === 0 && funding.count === 0 && !portfolio?.total)
  return {
    title: record.name,
    description: record.aiSummary ?? `${record.name}: team, funding and links.`,
    canonical: path,
    picture: context.picture(record),
    linkedData: companyData(profile, context.site),
    // Search engines list the profile, not each page of its tables in each order.
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
