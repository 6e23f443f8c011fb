/** @jsxImportSource hono/jsx */
/**
 * `/people/{slug}`: one person, which channels are on file, and their coworkers. Looking is free; a button that names its
 * price reveals the channels, which the account sees from then on.
 */

import { REVEAL_CREDITS } from '../../../contract/endpoints.ts'
import { type Contacts, unlockedContacts } from '../../../money/accounts/unlocks.ts'
import type { Form as Fields } from '../../http/form.ts'
import { isSignedIn, type Page, type PageContext, type Reply, redirect } from '../../http/page.ts'
import { redirectToSignIn } from '../../http/return-url.ts'
import { Career } from '../../profiles/career.tsx'
import { ConnectionsSection } from '../../profiles/connections-section.tsx'
import { ContactPanel, RevealButton } from '../../profiles/contact-panel.tsx'
import { personData } from '../../profiles/linked-data.ts'
import { Handle, idOf, isOldAddress, People, recordNotFound } from '../../profiles/profile.tsx'
import { type PersonProfile, personProfile } from '../../profiles/profiles.ts'
import { companyPath, nameOf, personConnections, personPath } from '../../profiles/view-models.ts'
import { AddToList } from '../../ui/add-to-list.tsx'
import { Badge, Monogram } from '../../ui/badges.tsx'
import { Facts, Missing } from '../../ui/facts.tsx'
import { malformedForm } from '../../ui/form.tsx'
import { type RevealOutcome, reveal, statusOf } from '../../ui/outcome.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { Shared } from '../../ui/part.tsx'
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

/** Whom of the page the account has unlocked. */
async function contactsIn(
  { person, coworkers }: PersonProfile,
  { session, application }: PageContext,
): Promise<Contacts> {
  if (!session) return new Map()
  const ids = [person.id, ...coworkers.map(({ id }) => id)]
  return unlockedContacts(application.database, session.account.id, ids)
}

function readProfile(context: PageContext): PersonProfile {
  const found = context.directory.person(idOf(context))
  if (!found) throw recordNotFound('person')
  return personProfile(context, found)
}

interface Shown {
  context: PageContext
  profile: PersonProfile
  /** Those of the page whom the account has unlocked. */
  contacts: Contacts
  /** What the button came to. */
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

/** What a reader may look for in vain, in words. */
function missingOf({ person, coworkers, employer }: PersonProfile): string[] {
  const missing = {
    'a job title': person.jobTitle === null,
    'a company': employer === null,
    'an X account': person.twitterHandle === null,
    coworkers: employer !== null && coworkers.length === 0,
  }
  return Object.entries(missing).flatMap(([what, isMissing]) => (isMissing ? [what] : []))
}
