/** @jsxImportSource hono/jsx */
/** `/projects/{slug}`, `/investors/{slug}`, `/services/{slug}`: one company with its people and its money. */
import { unlockedAmong } from '../../accounts/unlocks.ts'
import { type WebOutcome, webCall } from '../../accounts/web-calls.ts'
import { CALL_CREDITS, ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import type { DirectoryName } from '../../contract/vocabulary.ts'
import { HOME_DIRECTORY } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/company.ts'
import { factsOf, fundFacts, Head, Portfolio, Rounds } from '../components/company.tsx'
import { Form } from '../components/form.tsx'
import { IdempotencyField, idempotencyKeyOf } from '../components/idempotency-field.tsx'
import { Outcome, statusOf } from '../components/outcome.tsx'
import { contactsOf, Facts, idOf, People, Risk, recordNotFound } from '../components/profile.tsx'
import { Section } from '../components/section.tsx'
import { plural } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import type { Html } from '../http/html.ts'
import { type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { redirectToSignIn } from '../http/return-url.ts'
import { type CompanyProfile, companyPath, companyProfile } from './view-models.ts'

/** A directory's profiles: what is found there, and the call that a read of one costs. */
interface Shelf {
  endpoint: Endpoint
  /** @throws PageError 404 for what the directory doesn't list (contract, D25) */
  find(context: PageContext): Company
}

const PROJECTS: Shelf = {
  endpoint: ENDPOINTS.project,
  find(context) {
    const company = context.directory.company(idOf(context))
    if (!company) throw recordNotFound('company')
    return company
  },
}
const INVESTORS = listed('investors', 'investor', ENDPOINTS.investor)
const SERVICES = listed('services', 'service provider', ENDPOINTS.service)

/** A company of any kind, as `/v1/projects/{id}`: one that lives elsewhere is shown there. */
export async function projectPage(context: PageContext): Promise<Reply> {
  const company = PROJECTS.find(context)
  return HOME_DIRECTORY[company.companyType] === 'projects'
    ? companyPage(company, context)
    : redirect(context.href(companyPath(company)), 301)
}

export const investorPage = (context: PageContext) => companyPage(INVESTORS.find(context), context)
export const servicePage = (context: PageContext) => companyPage(SERVICES.find(context), context)

export const showProjectTeam = (context: PageContext, form: Fields) =>
  showTeam(PROJECTS, context, form)
export const showInvestorTeam = (context: PageContext, form: Fields) =>
  showTeam(INVESTORS, context, form)
export const showServiceTeam = (context: PageContext, form: Fields) =>
  showTeam(SERVICES, context, form)

function listed(directory: DirectoryName, what: string, endpoint: Endpoint): Shelf {
  return {
    endpoint,
    find(context) {
      const company = context.directory.company(idOf(context))
      if (!company || !context.directory.lists(company, directory)) throw recordNotFound(what)
      return company
    },
  }
}

async function companyPage(company: Company, context: PageContext): Promise<Page> {
  const found = companyProfile(context.directory, company)
  const unlocked = await unlockedIn(found, context)
  return profile(found, context, { unlocked: unlocked.size })
}

/** The members of the team whose channels the signed-in account has unlocked. */
async function unlockedIn({ team }: CompanyProfile, { session, application }: PageContext) {
  const ids = team.map(({ id }) => id)
  return session ? unlockedAmong(application.database, session.account.id, ids) : new Set<string>()
}

/** The read that the API charges for, with the channels of the team's unlocked contacts. */
async function showTeam(
  { endpoint, find }: Shelf,
  context: PageContext,
  form: Fields,
): Promise<Reply> {
  const { session, application, directory } = context
  if (!session) return redirectToSignIn(context)
  const company = find(context)
  const found = companyProfile(directory, company)
  const contacts = found.team.map(({ id }) => id)
  const outcome = await webCall(
    application.meter,
    session.account.id,
    endpoint,
    { found: true, person: null, reveal: false, contacts, channels: true },
    {
      requestId: crypto.randomUUID(),
      once: { key: idempotencyKeyOf(form), fingerprint: `${endpoint.path} ${company.id}` },
    },
  )
  const status = statusOf(outcome)
  const unlocked = await unlockedIn(found, context)
  return { ...profile(found, context, { unlocked: unlocked.size, outcome }), ...status }
}

/** How many of the team are unlocked, and what the button came to. */
interface Standing {
  unlocked: number
  outcome?: WebOutcome
}

function profile(found: CompanyProfile, context: PageContext, standing: Standing): Page {
  const { company: record, fund, team } = found
  return {
    title: record.name,
    description: record.aiSummary ?? `${record.name}: team, funding and links.`,
    canonical: companyPath(record),
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
                <ShowChannels company={record} context={context} standing={standing} />
                <People people={team} context={context} contacts={contactsOf(standing.outcome)} />
              </Section>
            ) : null}
            <Rounds profile={found} context={context} />
            {fund ? <Portfolio fund={fund} rows={found.portfolio} context={context} /> : null}
          </div>
          <aside class="panel" aria-labelledby="facts">
            <h2 id="facts">At a glance</h2>
            <Facts facts={[...factsOf(record, context), ...(fund ? fundFacts(fund) : [])]} />
          </aside>
        </div>
      </div>
    ),
  }
}

function ShowChannels({
  company,
  context,
  standing: { unlocked, outcome },
}: {
  company: CompanyProfile['company']
  context: PageContext
  standing: Standing
}): Html | null {
  if (outcome?.outcome === 'charged') return <Outcome outcome={outcome} context={context} />
  if (unlocked === 0) return null
  return (
    <>
      {outcome ? <Outcome outcome={outcome} context={context} /> : null}
      <Form context={context} action={companyPath(company)} class="inline">
        <IdempotencyField />
        <button class="button quiet" type="submit">
          Show channels of {plural(unlocked, 'unlocked member', 'unlocked members')}{' '}
          <span class="price">{CALL_CREDITS} credits</span>
        </button>
      </Form>
    </>
  )
}
