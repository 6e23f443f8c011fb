/** @jsxImportSource hono/jsx */
/** `/operator/directory/requests/:id`: one request, the people whom it may be about, and what can be done. */
import type { Candidate } from '../../../people/privacy/candidates.ts'
import { type ShownRequest, showRequest } from '../../../people/privacy/register.ts'
import type { Page, SignedInContext } from '../../../site/http/page.ts'
import { QuietLink } from '../../../site/ui/actions.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Section, Table } from '../../../site/ui/page-parts.tsx'
import { Moment, wordList } from '../../../site/ui/text.tsx'
import { DangerLink } from '../../ui/dangers.tsx'
import { foundById, operatorPage } from '../../ui/frame.tsx'
import { REQUESTS, recordPath } from '../../ui/paths.ts'
import { Asker, Deadlines, WORDS } from './requests.tsx'

export async function requestPage(context: SignedInContext): Promise<Page> {
  const request = await requestOf(context, context.id)
  const { id, kind, details, askedAt, closedAt, people, reason, state } = request
  const isOpen = closedAt === null
  return operatorPage(
    context,
    { title: `${WORDS[kind]}: request of a person`, heading: WORDS[kind] },
    <>
      <Facts
        facts={[
          { name: 'Request', value: <code class="id">{id}</code> },
          { name: 'Asked', value: <Moment at={askedAt} /> },
          { name: 'Closed', value: closedAt && <Moment at={closedAt} /> },
          { name: 'End', value: isOpen ? null : state },
          { name: 'Why', value: reason },
          { name: 'Who asks', value: isOpen ? <Asker request={request} /> : null },
          { name: 'Who it is about', value: request.person && <bdi>{request.person}</bdi> },
          { name: 'Left to answer', value: isOpen ? <Deadlines request={request} /> : null },
        ]}
      />
      {details ? (
        <Section id="details" title="What they write">
          <blockquote>
            {details.split('\n').map((line) => (
              <p>
                <bdi>{line}</bdi>
              </p>
            ))}
          </blockquote>
        </Section>
      ) : null}
      {isOpen ? <People context={context} request={request} people={people} /> : null}
      {isOpen ? (
        <Section id="end" title="End it">
          <p>
            The person is told by mail, and whose request it was is forgotten: that can’t be undone.
          </p>
          <p class="actions">
            <DangerLink isButton context={context} danger="request-done" on={id}>
              It is done
            </DangerLink>
            <DangerLink isButton context={context} danger="request-refused" on={id}>
              Refuse it
            </DangerLink>
          </p>
        </Section>
      ) : null}
      <p class="actions">
        <QuietLink href={context.href(REQUESTS)}>All requests</QuietLink>
      </p>
    </>,
  )
}

/** @throws PageError 404 */
export const requestOf = ({ application }: SignedInContext, id: string): Promise<ShownRequest> =>
  foundById('request', id, (known) => showRequest(application.database, known))

interface PeopleProps {
  context: SignedInContext
  request: ShownRequest
  people: readonly Candidate[]
}

function People({ context, request, people }: PeopleProps) {
  return (
    <Section id="people" title="Whom it may be about" count={people.length}>
      {people.length === 0 ? (
        <p class="empty">Nobody in the directory is found by this name, address or profile.</p>
      ) : (
        <Table
          label="Whom it may be about"
          isCards
          columns={['Person', 'Company', 'Found by', 'E-mail', { label: 'Act', card: 'last' }]}
          rows={people.map((person) => [
            <a href={context.href(recordPath('person', person.id))}>
              <bdi>{person.name}</bdi>
            </a>,
            person.company ? <bdi>{person.company}</bdi> : '',
            wordList(person.foundBy, person.foundBy.length),
            <OnFile request={request} person={person} />,
            <Act context={context} request={request} person={person} />,
          ])}
        />
      )}
    </Section>
  )
}

/** Whether the request came from the address on file, which is never shown. */
function OnFile({ request, person }: { request: ShownRequest; person: Candidate }) {
  if (person.isEmailOnFile === null) return <>none on file</>
  if (!person.isEmailOnFile) return <>another is on file</>
  return (
    <>
      the one on file{' '}
      {request.isConfirmed ? null : <Badge tone="warn">anybody may have typed it</Badge>}
    </>
  )
}

function Act({
  context,
  request: { id, kind },
  person,
}: Omit<PeopleProps, 'people'> & { person: Candidate }) {
  const of = person.id
  if (kind === 'correct')
    return (
      <a href={context.href(recordPath('person', of))} aria-label={`Correct ${person.name}`}>
        Correct
      </a>
    )
  if (kind === 'show')
    return (
      <DangerLink
        context={context}
        danger="answer"
        on={id}
        of={of}
        label={`All that is held of ${person.name}`}
      >
        All that is held
      </DangerLink>
    )
  return (
    <DangerLink
      context={context}
      danger="erase-asked"
      on={id}
      of={of}
      label={`Erase ${person.name}`}
    >
      Erase
    </DangerLink>
  )
}
