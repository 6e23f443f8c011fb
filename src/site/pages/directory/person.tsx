/** @jsxImportSource hono/jsx */
/**
 * `/people/{slug}`: one person, which channels are on file, and their coworkers. Looking is free; a button that names its
 * price reveals the channels, which the account sees from then on.
 */
import { ENDPOINTS, REVEAL_CREDITS } from '../../../contract/endpoints.ts'
import { TRIAL_DAYS } from '../../../contract/tiers.ts'
import { chainNames } from '../../../directory/records/chains.ts'
import { type Contacts, unlockedContacts } from '../../../money/accounts/unlocks.ts'
import type { UnlockedContact } from '../../../money/charge/call.ts'
import type { Form as Fields } from '../../http/form.ts'
import { isSignedIn, type Page, type PageContext, type Reply, redirect } from '../../http/page.ts'
import { redirectToSignIn, withReturnUrl } from '../../http/return-url.ts'
import { ConnectionsSection } from '../../profiles/connections-section.tsx'
import { CHANNEL_NAMES, ContactList, hasChannels } from '../../profiles/contact.tsx'
import { fundingStats } from '../../profiles/funding-section.tsx'
import { personData } from '../../profiles/linked-data.ts'
import {
  Handle,
  idOf,
  isOldAddress,
  People,
  recordNotFound,
} from '../../profiles/profile-parts.tsx'
import { type PersonProfile, personProfile } from '../../profiles/profiles.ts'
import { Lifecycle } from '../../profiles/rows.tsx'
import {
  companyPath,
  nameOf,
  type PersonDetail,
  personConnections,
  personPath,
} from '../../profiles/view-models.ts'
import { Submit } from '../../ui/actions.tsx'
import { AddToList } from '../../ui/add-to-list.tsx'
import { Badge, Monogram } from '../../ui/badges.tsx'
import { Facts, Missing } from '../../ui/facts.tsx'
import { Form, IdempotencyField, malformedForm } from '../../ui/form.tsx'
import { Outcome, type RevealOutcome, reveal, statusOf } from '../../ui/outcome.tsx'
import { Curl, Section } from '../../ui/page-parts.tsx'
import { Shared } from '../../ui/shared-part.ts'
import { type Stat, Stats } from '../../ui/stats.tsx'
import { isSuspended } from '../../ui/suspension.tsx'
import { Day, figure, humanize, shortFigure } from '../../ui/text.tsx'

export async function personPage(context: PageContext): Promise<Reply> {
  const profile = readProfile(context)
  if (isOldAddress(context, profile.person)) {
    return redirect(context.href(personPath(profile.person)), 301)
  }
  return profilePage({ context, profile, contacts: await contactsIn(profile, context) })
}

/** Reveals the contact at the price that the form agreed to. */
export async function revealContact(context: PageContext, form: Fields): Promise<Reply> {
  if (!isSignedIn(context)) return redirectToSignIn(context)
  const profile = readProfile(context)
  if (Number(form.get('price')) !== REVEAL_CREDITS) throw malformedForm()
  const others = profile.coworkers.map(({ id }) => id)
  const { outcome, contacts } = await reveal(context, form, profile.person.id, others)
  return { ...statusOf(outcome), ...profilePage({ context, profile, contacts, outcome }) }
}

/** Unlocked contacts of the page. */
async function contactsIn(
  { person, coworkers }: PersonProfile,
  { session, application }: PageContext,
): Promise<Contacts> {
  if (!session) return new Map()
  const ids = [person.id, ...coworkers.map(({ id }) => id)]
  return unlockedContacts(application.database, session.account.id, ids)
}

function readProfile(context: PageContext): PersonProfile {
  const record = context.directory.person(idOf(context))
  if (!record) throw recordNotFound('person')
  return personProfile(context, record)
}

interface Shown {
  context: PageContext
  profile: PersonProfile
  contacts: Contacts
  /** Outcome of the reveal. */
  outcome?: RevealOutcome
}

function profilePage(shown: Shown): Page {
  const { context, profile, contacts, outcome } = shown
  const { person, coworkers, employer } = profile
  const { jobTitle, company, twitterHandle: handle, creatorFollowerCount: followers } = person
  const name = nameOf(person)
  return {
    title: name,
    description: [name, jobTitle, company?.name].filter(Boolean).join(', '),
    canonical: personPath(person),
    picture: context.picture(person),
    linkedData: personData(profile, context.site),
    shape: 'wide',
    main: (
      <div class="profile">
        <PersonHead {...shown} />
        <div class="columns contact-first">
          <ContactPanel
            person={person}
            contact={contacts.get(person.id)}
            context={context}
            outcome={outcome}
          />
          <div>
            <Career profile={profile} context={context} />
            <Section id="about" title="About">
              <Facts
                facts={[
                  { name: 'X', value: handle && <Handle handle={handle} /> },
                  {
                    name: 'Creator reach',
                    value: followers === null ? null : `${figure(followers)} followers`,
                  },
                  { name: 'Roles', value: person.roles.map(humanize).join(', ') },
                  { name: 'Contact type', value: humanize(person.contactType) },
                  { name: 'Last updated', value: <Day at={person.updatedAt} /> },
                ]}
              />
              <Missing what={missingOf(profile)} />
            </Section>
            {coworkers.length > 0 && employer ? (
              <Section
                id="coworkers"
                title={`Others at ${employer.company.name}`}
                count={coworkers.length}
              >
                <People people={coworkers} context={context} contacts={contacts} />
              </Section>
            ) : null}
          </div>
        </div>
        <Shared part={profile.connections}>
          {(connections) => (
            <ConnectionsSection
              connections={connections}
              path={personConnections(person)}
              context={context}
            />
          )}
        </Shared>
      </div>
    ),
  }
}

function PersonHead({ context, profile: { person }, contacts }: Shown) {
  const { jobTitle, company, creatorFollowerCount: followers } = person
  const name = nameOf(person)
  return (
    <header class="head">
      <Monogram name={name} picture={context.picture(person)} large />
      <div>
        <h1>{name}</h1>
        {jobTitle || company ? (
          <p class="lead">
            <bdi>{jobTitle}</bdi>
            {jobTitle && company ? ' at ' : null}
            {company ? <a href={context.href(companyPath(company))}>{company.name}</a> : null}
          </p>
        ) : null}
        <p class="marks">
          {person.roles.map((role) => (
            <Badge>{humanize(role)}</Badge>
          ))}
          {person.isCreator ? <Badge tone="accent">Creator</Badge> : null}
          {followers ? <Badge tone="accent">{shortFigure(followers)} followers</Badge> : null}
        </p>
        <div class="actions">
          {contacts.has(person.id) ? null : <RevealButton person={person} context={context} />}
          <AddToList id={person.id} context={context} />
        </div>
      </div>
    </header>
  )
}

/** Missing facts in words. */
function missingOf({ person, coworkers, employer }: PersonProfile): string[] {
  const missing = {
    'a job title': person.jobTitle === null,
    'a company': employer === null,
    'an X account': person.twitterHandle === null,
    coworkers: employer !== null && coworkers.length === 0,
  }
  return Object.entries(missing).flatMap(([what, isMissing]) => (isMissing ? [what] : []))
}

interface PanelProps {
  context: PageContext
  person: PersonDetail
  /** Channels, if the account has unlocked them. */
  contact: UnlockedContact | undefined
  /** Outcome of the reveal. */
  outcome: RevealOutcome | undefined
}

/** Unlocked channels, or which are on file. */
function ContactPanel({ context, person, contact, outcome }: PanelProps) {
  return (
    <aside class="panel" aria-labelledby="channels">
      <h2 id="channels">Contact</h2>
      {outcome ? <Outcome outcome={outcome} context={context} /> : null}
      {contact ? (
        <>
          <ContactList contact={contact} />
          <p class="note">
            Your account has unlocked this contact: seeing it again here is free.{' '}
            <a href={context.href('/contacts')}>My contacts</a>
          </p>
        </>
      ) : (
        <Locked context={context} person={person} />
      )}
      <p class="note">
        <a href={context.href(`/privacy?person=${person.slug ?? person.id}`)}>Is this you?</a> See
        what is held about you, have it corrected, or have yourself removed.
      </p>
    </aside>
  )
}

function Locked({ context, person }: Pick<PanelProps, 'context' | 'person'>) {
  const call = ENDPOINTS.person.path.replace(':id', person.slug ?? person.id)
  return (
    <>
      <ul class="channels">
        {Object.values(CHANNEL_NAMES).map(({ flag, label }) => (
          <li class={person[flag] ? 'known' : 'unknown'}>
            {label} <span>{person[flag] ? 'on file' : 'not on file'}</span>
          </li>
        ))}
      </ul>
      {isSuspended(context) ? (
        <p class="note">
          The account is suspended: nothing is revealed, and what it has unlocked is shown again
          afterwards.
        </p>
      ) : hasChannels(person) ? (
        <>
          <p class="note">
            {context.session
              ? 'Once revealed, a contact stays unlocked for your account.'
              : `A new account gets credits for a trial of ${TRIAL_DAYS} days; no card is needed.`}
          </p>
          <h3>By API</h3>
          <Curl url={`${context.site.baseUrl}${call}?include=private`} />
        </>
      ) : (
        <p class="note">There is nothing to reveal.</p>
      )}
    </>
  )
}

/** Button with the price of a reveal. Strangers sign up first and come back. */
function RevealButton({ context, person }: Pick<PanelProps, 'context' | 'person'>) {
  if (!hasChannels(person) || isSuspended(context)) return null
  const path = personPath(person)
  const label = (
    <>
      Reveal contact <span class="price">{REVEAL_CREDITS} credits</span>
    </>
  )
  if (!context.session) {
    return (
      <a class="button" href={context.href(withReturnUrl('/sign-up', path))}>
        {label}
      </a>
    )
  }
  return (
    <Form context={context} action={path} class="inline">
      <IdempotencyField />
      <input type="hidden" name="price" value={String(REVEAL_CREDITS)} />
      <Submit>{label}</Submit>
    </Form>
  )
}

interface CareerProps {
  profile: PersonProfile
  context: PageContext
}

/** Badges of sectors and chains. */
const BADGES = 5

function Career({ profile: { person, employer }, context }: CareerProps) {
  if (!employer) return null
  const { company, team } = employer
  const stats: Stat[] = [
    ...fundingStats({ profile: employer, context }),
    {
      name: 'Investments',
      value: employer.investments > 0 ? figure(employer.investments) : null,
      note: 'on record',
    },
    { name: 'Team', value: figure(team), note: 'on record' },
    {
      name: 'Followers',
      value: company.followers === null ? null : shortFigure(company.followers),
      note: 'on X',
    },
  ]
  return (
    <Section id="career" title="Career">
      <div class="card career">
        <div class="row">
          <Monogram name={company.name} picture={context.picture(company)} />
          <div class="what">
            <p class="position">{person.jobTitle ?? 'Job title not on record'}</p>
            <p>
              <a href={context.href(companyPath(company))}>{company.name}</a>
            </p>
          </div>
        </div>
        <p class="marks">
          <Badge tone="accent">{humanize(company.companyType)}</Badge>
          <Lifecycle of={company} />
          {[...company.sectors, ...chainNames(company.chains)].slice(0, BADGES).map((mark) => (
            <Badge>{mark}</Badge>
          ))}
        </p>
        {company.aiSummary ? (
          <p>
            <bdi>{company.aiSummary}</bdi> <span class="note unbroken">AI-generated</span>
          </p>
        ) : null}
        <Stats stats={stats} />
      </div>
    </Section>
  )
}
