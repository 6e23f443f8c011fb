/** @jsxImportSource hono/jsx */
/**
 * `/people/{slug}`: one person, which channels are on file, and who works beside them. Looking costs nothing;
 * what the channels say is shown on the answer to a button that names its price, and nowhere else.
 */
import { unlockedAmong } from '../../accounts/unlocks.ts'
import { type WebOutcome, webCall } from '../../accounts/web-calls.ts'
import { CALL_CREDITS, ENDPOINTS, REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { Badge, Monogram } from '../components/badges.tsx'
import { CHANNEL_NAMES } from '../components/channels.ts'
import { Curl } from '../components/code.tsx'
import { ContactList } from '../components/contact.tsx'
import { Form } from '../components/form.tsx'
import {
  IdempotencyField,
  idempotencyKeyOf,
  malformedForm,
} from '../components/idempotency-field.tsx'
import { Outcome, statusOf } from '../components/outcome.tsx'
import {
  type Contacts,
  contactsOf,
  Facts,
  Handle,
  idOf,
  People,
  recordNotFound,
} from '../components/profile.tsx'
import { Section } from '../components/section.tsx'
import { Day, figure, humanize } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import type { Page, PageContext, Reply } from '../http/page.ts'
import { redirectToSignIn, withReturnUrl } from '../http/return-url.ts'
import {
  companyPath,
  nameOf,
  type PersonDetail,
  type PersonProfile,
  personPath,
  personProfile,
} from './view-models.ts'

export async function personPage(context: PageContext): Promise<Page> {
  const found = foundBy(context)
  const { session, application } = context
  const unlocked = session
    ? await unlockedAmong(application.database, session.account.id, [found.person.id])
    : new Set<string>()
  return profile(context, found, { isUnlocked: unlocked.has(found.person.id) })
}

/** Reveals the channels, or shows those of a contact that is unlocked: which of them, the form's `price` agreed to. */
export async function showChannels(context: PageContext, form: Fields): Promise<Reply> {
  const { session, application } = context
  if (!session) return redirectToSignIn(context)
  const found = foundBy(context)
  const { id } = found.person
  const price = Number(form.get('price') ?? 0)
  if (price !== CALL_CREDITS && price !== REVEAL_CREDITS) throw malformedForm()
  const isReveal = price === REVEAL_CREDITS && found.hasChannels
  const reading = {
    found: true,
    person: id,
    reveal: isReveal,
    contacts: [id, ...found.coworkers.map((coworker) => coworker.id)],
    channels: true,
  }
  const outcome = await webCall(application.meter, session.account.id, ENDPOINTS.person, reading, {
    requestId: crypto.randomUUID(),
    once: { key: idempotencyKeyOf(form), fingerprint: `${id} ${isReveal}` },
  })
  const status = statusOf(outcome)
  const isUnlocked =
    outcome.outcome === 'charged'
      ? outcome.unlocked.some((contact) => contact.id === id)
      : !isReveal
  return { ...profile(context, found, { isUnlocked, outcome }), ...status }
}

function foundBy(context: PageContext): PersonProfile {
  const { directory } = context
  const found = directory.person(idOf(context))
  if (!found) throw recordNotFound('person')
  return personProfile(directory, found)
}

/** What is known of the contact's lock, and what a button came to. */
interface Standing {
  isUnlocked: boolean
  outcome?: WebOutcome
}

function profile(
  context: PageContext,
  { person, coworkers }: PersonProfile,
  standing: Standing,
): Page {
  const contacts = contactsOf(standing.outcome)
  const name = nameOf(person)
  return {
    title: name,
    description: [name, person.jobTitle, person.company?.name].filter(Boolean).join(', '),
    canonical: personPath(person),
    shape: 'wide',
    main: (
      <div class="profile">
        <header class="head">
          <Monogram name={name} large />
          <div>
            <h1>{name}</h1>
            <Position person={person} context={context} />
            <p class="marks">
              {person.roles.map((role) => (
                <Badge>{humanize(role)}</Badge>
              ))}
              {person.isCreator ? <Badge tone="accent">Creator</Badge> : null}
            </p>
          </div>
        </header>
        <div class="columns">
          <div>
            <Facts
              facts={[
                {
                  name: 'X',
                  value: person.twitterHandle && <Handle handle={person.twitterHandle} />,
                },
                {
                  name: 'Followers as a creator',
                  value: person.creatorFollowerCount && figure(person.creatorFollowerCount),
                },
                { name: 'Contact', value: humanize(person.contactType) },
                { name: 'Last changed', value: <Day at={person.updatedAt} /> },
              ]}
            />
            {coworkers.length > 0 && person.company ? (
              <Section
                id="coworkers"
                title={`Others at ${person.company.name}`}
                count={coworkers.length}
              >
                <People people={coworkers} context={context} contacts={contacts} />
              </Section>
            ) : null}
          </div>
          <Channels person={person} context={context} standing={standing} contacts={contacts} />
        </div>
      </div>
    ),
  }
}

function Position({
  person: { jobTitle, company },
  context,
}: {
  person: PersonDetail
  context: PageContext
}) {
  if (!jobTitle && !company) return null
  return (
    <p class="lead">
      {jobTitle}
      {jobTitle && company ? ' at ' : null}
      {company ? <a href={context.href(companyPath(company))}>{company.name}</a> : null}
    </p>
  )
}

/** Which channels are on file and what they cost; on a paid answer, what they say. */
function Channels({
  person,
  context,
  standing: { isUnlocked, outcome },
  contacts,
}: {
  person: PersonDetail
  context: PageContext
  standing: Standing
  contacts: Contacts | undefined
}) {
  const hasAny = Object.values(CHANNEL_NAMES).some(({ flag }) => person[flag])
  const contact = contacts?.get(person.id)
  const { baseUrl } = context.site
  const call = ENDPOINTS.person.path.replace(':id', person.slug ?? person.id)
  return (
    <aside class="panel" aria-labelledby="channels">
      <h2 id="channels">Contact channels</h2>
      {outcome ? <Outcome outcome={outcome} context={context} /> : null}
      {contact ? (
        <>
          <ContactList contact={contact} />
          <p class="note">
            This contact stays open to your account. Its channels are on this answer alone: showing
            them again costs {CALL_CREDITS} credits.
          </p>
        </>
      ) : (
        <>
          <ul class="channels">
            {Object.values(CHANNEL_NAMES).map(({ flag, label }) => (
              <li class={person[flag] ? 'known' : 'unknown'}>
                {label} <span>{person[flag] ? 'on file' : 'not on file'}</span>
              </li>
            ))}
          </ul>
          {hasAny ? (
            <>
              <Buy context={context} person={person} isUnlocked={isUnlocked} />
              <p class="note">
                {isUnlocked
                  ? 'Your account has unlocked this contact. By API:'
                  : 'Once revealed, a contact stays open to your account. By API:'}
              </p>
              <Curl url={`${baseUrl}${call}${isUnlocked ? '' : '?include=private'}`} />
            </>
          ) : (
            <p class="note">There is nothing to reveal.</p>
          )}
        </>
      )}
    </aside>
  )
}

function Buy({
  context,
  person,
  isUnlocked,
}: {
  context: PageContext
  person: PersonDetail
  isUnlocked: boolean
}) {
  const price = isUnlocked ? CALL_CREDITS : REVEAL_CREDITS
  const label = (
    <>
      {isUnlocked ? 'Show channels' : 'Reveal'} <span class="price">{price} credits</span>
    </>
  )
  if (!context.session) {
    return (
      <p>
        <a class="button full" href={context.href(withReturnUrl('/sign-in', personPath(person)))}>
          {label}
        </a>
      </p>
    )
  }
  return (
    <Form context={context} action={personPath(person)}>
      <IdempotencyField />
      <input type="hidden" name="price" value={String(price)} />
      <button class="button full" type="submit">
        {label}
      </button>
    </Form>
  )
}
