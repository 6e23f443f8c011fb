/** @jsxImportSource hono/jsx */
/**
 * `/people/{slug}`: one person, which channels are on file, and their coworkers. Looking is free; the answer to
 * a button that names its price shows the channels, and no other page does.
 */
import { unlockedAmong } from '../../accounts/unlocks.ts'
import type { WebOutcome } from '../../accounts/web-calls.ts'
import { CALL_CREDITS, ENDPOINTS, REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { Badge, Monogram } from '../components/badges.tsx'
import { Career } from '../components/career.tsx'
import { ConnectionsSection } from '../components/connections.tsx'
import { CHANNEL_NAMES, ContactList } from '../components/contact.tsx'
import { Form, IdempotencyField, malformedForm } from '../components/form.tsx'
import { Outcome, purchase, statusOf } from '../components/outcome.tsx'
import { Curl, Section } from '../components/page-parts.tsx'
import {
  contactsOf,
  Facts,
  Handle,
  idOf,
  isOldAddress,
  Missing,
  People,
  recordNotFound,
} from '../components/profile.tsx'
import { Day, figure, humanize, shortFigure } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { isSignedIn, type Page, type PageContext, type Reply, redirect } from '../http/page.ts'
import { redirectToSignIn, withReturnUrl } from '../http/return-url.ts'
import { personData } from './linked-data.ts'
import { type PersonProfile, personProfile } from './profiles.ts'
import { companyPath, nameOf, personPath } from './view-models.ts'

export async function personPage(context: PageContext): Promise<Reply> {
  const profile = readProfile(context)
  if (isOldAddress(context, profile.person)) {
    return redirect(context.href(personPath(profile.person)), 301)
  }
  const { session, application } = context
  const { id } = profile.person
  const unlocked = session && (await unlockedAmong(application.database, session.account.id, [id]))
  return profilePage({ context, profile, isUnlocked: unlocked?.has(id) ?? false })
}

/** Reveals the contact, or shows it again: the `price` that the form agreed to says which. */
export async function showContact(context: PageContext, form: Fields): Promise<Reply> {
  if (!isSignedIn(context)) return redirectToSignIn(context)
  const profile = readProfile(context)
  const { id } = profile.person
  const price = Number(form.get('price') ?? 0)
  if (price !== CALL_CREDITS && price !== REVEAL_CREDITS) throw malformedForm()
  const reveal = price === REVEAL_CREDITS
  const outcome = await purchase(context, form, ENDPOINTS.person, `${id} ${reveal}`, {
    person: id,
    reveal,
    contacts: [id, ...profile.coworkers.map((coworker) => coworker.id)],
  })
  const isUnlocked = contactsOf(outcome)?.has(id) ?? !reveal
  return { ...statusOf(outcome), ...profilePage({ context, profile, isUnlocked, outcome }) }
}

function readProfile(context: PageContext): PersonProfile {
  const found = context.directory.person(idOf(context))
  if (!found) throw recordNotFound('person')
  return personProfile(context.directory, found)
}

interface Shown {
  context: PageContext
  profile: PersonProfile
  /** Whether the account has unlocked the contact. */
  isUnlocked: boolean
  /** What a button came to. */
  outcome?: WebOutcome
}

function profilePage(shown: Shown): Page {
  const { context, profile, outcome } = shown
  const { person, coworkers, employer } = profile
  const { jobTitle, company, twitterHandle: handle, creatorFollowerCount: followers } = person
  const name = nameOf(person)
  return {
    title: name,
    description: [name, jobTitle, company?.name].filter(Boolean).join(', '),
    canonical: personPath(person),
    linkedData: personData(profile, context.site),
    shape: 'wide',
    main: (
      <div class="profile">
        <PersonHead {...shown} />
        <div class="columns contact-first">
          <ContactPanel {...shown} />
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
                <People people={coworkers} context={context} contacts={contactsOf(outcome)} />
              </Section>
            ) : null}
          </div>
        </div>
        <ConnectionsSection connections={profile.connections} context={context} />
      </div>
    ),
  }
}

function PersonHead({ context, profile: { person } }: Shown) {
  const { jobTitle, company, creatorFollowerCount: followers } = person
  const name = nameOf(person)
  return (
    <header class="head">
      <Monogram name={name} large />
      <div>
        <h1>{name}</h1>
        {jobTitle || company ? (
          <p class="lead">
            {jobTitle}
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

/** The channels on file and what they cost; on a paid answer, the channels themselves. */
function ContactPanel(shown: Shown) {
  const { context, profile, isUnlocked, outcome } = shown
  const { person } = profile
  const channels = Object.values(CHANNEL_NAMES)
  const contact = contactsOf(outcome)?.get(person.id)
  const call = ENDPOINTS.person.path.replace(':id', person.slug ?? person.id)
  const url = `${context.site.baseUrl}${call}${isUnlocked ? '' : '?include=private'}`
  return (
    <aside class="panel" aria-labelledby="channels">
      <h2 id="channels">Contact</h2>
      {outcome ? <Outcome outcome={outcome} context={context} /> : null}
      {contact ? (
        <>
          <ContactList contact={contact} />
          <p class="note">
            This contact stays unlocked for your account. Its details are on this page only: showing
            them again costs {CALL_CREDITS} credits.
          </p>
        </>
      ) : (
        <>
          <ul class="channels">
            {channels.map(({ flag, label }) => (
              <li class={person[flag] ? 'known' : 'unknown'}>
                {label} <span>{person[flag] ? 'on file' : 'not on file'}</span>
              </li>
            ))}
          </ul>
          {channels.some(({ flag }) => person[flag]) ? (
            <>
              <ContactButton {...shown} />
              <p class="note">
                {isUnlocked
                  ? 'Your account has unlocked this contact. By API:'
                  : 'Once revealed, a contact stays unlocked for your account. By API:'}
              </p>
              <Curl url={url} />
            </>
          ) : (
            <p class="note">There is nothing to reveal.</p>
          )}
        </>
      )}
      <p class="note">
        <a href={context.href(`/privacy?person=${person.slug ?? person.id}`)}>Is this you?</a> See
        all that is held about you, have it corrected, or be removed.
      </p>
    </aside>
  )
}

function ContactButton({ context, profile, isUnlocked }: Shown) {
  const path = personPath(profile.person)
  const price = isUnlocked ? CALL_CREDITS : REVEAL_CREDITS
  const label = (
    <>
      {isUnlocked ? 'Show contact' : 'Reveal contact'} <span class="price">{price} credits</span>
    </>
  )
  if (!context.session) {
    return (
      <p>
        <a class="button full" href={context.href(withReturnUrl('/sign-in', path))}>
          {label}
        </a>
      </p>
    )
  }
  return (
    <Form context={context} action={path}>
      <IdempotencyField />
      <input type="hidden" name="price" value={String(price)} />
      <button class="button full" type="submit">
        {label}
      </button>
    </Form>
  )
}
