/** @jsxImportSource hono/jsx */
/** `/people/{slug}`: one person, which channels are on file, and who works beside them. */
import { ENDPOINTS, REVEAL_CREDITS } from '../../metering/prices.ts'
import type { Page, Visit } from '../page.ts'
import { Badge, Monogram } from '../parts/badges.tsx'
import { Curl } from '../parts/code.tsx'
import { Facts, Handle, idOf, missingRecord, People, Section } from '../parts/profile.tsx'
import { CHANNEL_NAMES } from '../parts/rows.tsx'
import { Day, figure, words } from '../parts/text.tsx'
import { companyPath, nameOf, type PersonDetail, personDetailOf, personPath } from '../records.ts'

export function personPage(visit: Visit): Page {
  const found = visit.directory.person(idOf(visit))
  if (!found) throw missingRecord('person')
  const person = personDetailOf(found)
  const coworkers = visit.directory.coworkers(found)
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
            <Position person={person} visit={visit} />
            <p class="marks">
              {person.roles.map((role) => (
                <Badge>{words(role)}</Badge>
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
                { name: 'Contact', value: words(person.contactType) },
                { name: 'Last changed', value: <Day at={person.updatedAt} /> },
              ]}
            />
            {coworkers.length > 0 && person.company ? (
              <Section
                id="coworkers"
                title={`Others at ${person.company.name}`}
                count={coworkers.length}
              >
                <People people={coworkers} visit={visit} />
              </Section>
            ) : null}
          </div>
          <Channels person={person} visit={visit} />
        </div>
      </div>
    ),
  }
}

function Position({
  person: { jobTitle, company },
  visit,
}: {
  person: PersonDetail
  visit: Visit
}) {
  if (!jobTitle && !company) return null
  return (
    <p class="lead">
      {jobTitle}
      {jobTitle && company ? ' at ' : null}
      {company ? <a href={visit.to(companyPath(company))}>{company.name}</a> : null}
    </p>
  )
}

/** Which channels are on file, and what a reveal of them costs. */
function Channels({ person, visit }: { person: PersonDetail; visit: Visit }) {
  const hasAny = Object.values(CHANNEL_NAMES).some(({ flag }) => person[flag])
  const { baseUrl } = visit.site
  const call = ENDPOINTS.person.path.replace(':id', person.slug ?? person.id)
  return (
    <aside class="panel" aria-labelledby="channels">
      <h2 id="channels">Contact channels</h2>
      <ul class="channels">
        {Object.values(CHANNEL_NAMES).map(({ flag, label }) => (
          <li class={person[flag] ? 'known' : 'unknown'}>
            {label} <span>{person[flag] ? 'on file' : 'not on file'}</span>
          </li>
        ))}
      </ul>
      {hasAny ? (
        <>
          <p>
            <a class="button full" href={visit.to('/docs/reveals')}>
              Reveal <span class="price">{REVEAL_CREDITS} credits</span>
            </a>
          </p>
          <p class="note">Once revealed, a contact stays open to your account. By API:</p>
          <Curl url={`${baseUrl}${call}?include=private`} />
        </>
      ) : (
        <p class="note">There is nothing to reveal.</p>
      )}
    </aside>
  )
}
