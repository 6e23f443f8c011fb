/** @jsxImportSource hono/jsx */
/** `/operator/directory/requests`: what people ask about their own data, those that wait first. */

import type { Candidate } from '../../../people/privacy/candidates.ts'
import {
  listRequests,
  type PrivacyRequest,
  type ShownRequest,
  showRequest,
} from '../../../people/privacy/register.ts'
import type { Page, SignedInContext } from '../../../site/http/page.ts'
import { QuietLink } from '../../../site/ui/actions.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Section } from '../../../site/ui/page-parts.tsx'
import { Day, Moment, plural, wordList } from '../../../site/ui/text.tsx'
import {
  answerRequest,
  endAsDone,
  eraseAsAsked,
  refuseRequest,
  KINDS as WORDS,
} from '../../acts/requests.ts'
import { Said } from '../../ui/acts.tsx'
import { ConfirmLink } from '../../ui/confirm-link.tsx'
import { foundById, operatorPage } from '../../ui/frame.tsx'
import { List } from '../../ui/lists.tsx'
import { REQUESTS, recordPath } from '../../ui/paths.ts'
import { DirectoryTabs } from './browse.tsx'

/** Closed requests that are listed; the command has all. */
const CLOSED = 50

export async function requestsPage(context: SignedInContext): Promise<Page> {
  const all = await listRequests(context.application.database)
  const waiting = all.filter(({ closedAt }) => closedAt === null)
  const closed = all.filter(({ closedAt }) => closedAt !== null).reverse()
  return operatorPage(
    context,
    { title: 'Privacy requests' },
    <>
      <Said context={context} />
      <DirectoryTabs context={context} current="requests" />
      <List
        label="Requests that wait, oldest first"
        rows={waiting}
        none={
          <>
            No request waits. Whoever is in the directory can ask on{' '}
            <a href={context.href('/privacy')}>the privacy page</a> to see, correct or remove what
            it has about them, and that request comes here.
          </>
        }
        cells={[
          [
            'What they ask',
            ({ id, kind }) => <a href={context.href(`${REQUESTS}/${id}`)}>{WORDS[kind]}</a>,
          ],
          [{ label: 'Who it is about', card: 'line' }, ({ person }) => <bdi>{person}</bdi>],
          [{ label: 'Who asks', card: 'line' }, (request) => <Asker request={request} />],
          ['Asked', ({ askedAt }) => <Day at={askedAt} />],
          ['Left to answer', (request) => <Deadlines request={request} />],
        ]}
      />
      {closed.length > 0 ? (
        <Section id="closed" title="Closed" count={closed.length}>
          <List
            label="Closed, newest first"
            rows={closed.slice(0, CLOSED)}
            cells={[
              ['What was asked', ({ kind }) => WORDS[kind]],
              ['Asked', ({ askedAt }) => <Day at={askedAt} />],
              ['Closed', ({ closedAt: at }) => (at ? <Day at={at} /> : '')],
              ['End', ({ state }) => state],
              [{ label: 'Why', card: 'line' }, ({ reason }) => (reason ? <bdi>{reason}</bdi> : '')],
            ]}
          />
        </Section>
      ) : null}
    </>,
  )
}

/** Address of the requester, and its confirmation. */
function Asker({ request }: { request: Pick<PrivacyRequest, 'email' | 'isConfirmed'> }) {
  return (
    <>
      <bdi>{request.email}</bdi>{' '}
      {request.isConfirmed ? null : <Badge tone="warn">not confirmed</Badge>}
    </>
  )
}

/** How many days the laws leave. */
function Deadlines({ request }: { request: Pick<PrivacyRequest, 'deadlines'> }) {
  if (!request.deadlines) return null
  const { eu, california } = request.deadlines
  return (
    <>
      EU: <Left days={eu.daysLeft} />, California: <Left days={california.daysLeft} />
    </>
  )
}

function Left({ days }: { days: number }) {
  if (days >= 0) return <>{plural(days, 'day', 'days')}</>
  return <Badge tone="bad">{plural(-days, 'day', 'days')} late</Badge>
}

export async function requestPage(context: SignedInContext): Promise<Page> {
  const { database } = context.application
  const request = await foundById('request', context.id, (id) => showRequest(database, id))
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
            <ConfirmLink isButton context={context} act={endAsDone} on={id}>
              {endAsDone.button}
            </ConfirmLink>
            <ConfirmLink isButton context={context} act={refuseRequest} on={id}>
              {refuseRequest.button}
            </ConfirmLink>
          </p>
        </Section>
      ) : null}
      <p class="actions">
        <QuietLink href={context.href(REQUESTS)}>All requests</QuietLink>
      </p>
    </>,
  )
}

interface PeopleProps {
  context: SignedInContext
  request: ShownRequest
  people: readonly Candidate[]
}

function People({ context, request, people }: PeopleProps) {
  return (
    <Section id="people" title="Whom it may be about" count={people.length}>
      <List
        label="Whom it may be about"
        rows={people}
        none="Nobody in the directory is found by this name, address or profile."
        cells={[
          [
            'Person',
            ({ id, name }) => (
              <a href={context.href(recordPath('person', id))}>
                <bdi>{name}</bdi>
              </a>
            ),
          ],
          ['Company', ({ company }) => (company ? <bdi>{company}</bdi> : '')],
          ['Found by', ({ foundBy }) => wordList(foundBy, foundBy.length)],
          ['E-mail', (person) => <OnFile request={request} person={person} />],
          [
            { label: 'Act', card: 'last' },
            (person) => <Act context={context} request={request} person={person} />,
          ],
        ]}
      />
    </Section>
  )
}

/** True if the request came from the address on file, which is never shown. */
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
  const { id: of, name } = person
  if (kind === 'correct')
    return (
      <a href={context.href(recordPath('person', of))} aria-label={`Correct ${name}`}>
        Correct
      </a>
    )
  const isToShow = kind === 'show'
  const text = isToShow ? 'All that is held' : eraseAsAsked.button
  return (
    <ConfirmLink
      {...{ context, act: isToShow ? answerRequest : eraseAsAsked, on: id, of }}
      label={`${text}${isToShow ? ' of' : ''} ${name}`}
    >
      {text}
    </ConfirmLink>
  )
}
