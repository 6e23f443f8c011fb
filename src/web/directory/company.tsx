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
import { Once, onceOf } from '../components/idempotency-field.tsx'
import { Outcome, statusOf } from '../components/outcome.tsx'
import {
  contactsOf,
  Facts,
  idOf,
  missingRecord,
  People,
  Risk,
  Section,
} from '../components/profile.tsx'
import { counted } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import type { Html } from '../http/html.ts'
import { type Page, type Reply, redirect, type Visit } from '../http/page.ts'
import { signInFirst } from '../http/return-url.ts'
import { companyPath, investorRecord, projectDetailOf } from './view-models.ts'

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
