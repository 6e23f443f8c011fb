/** @jsxImportSource hono/jsx */
/** `/operator/directory/requests`: what people ask about their own data, those that wait first. */
import { listRequests, type PrivacyRequest } from '../../../people/privacy/register.ts'
import type { Page, PageContext, SignedInContext } from '../../../site/http/page.ts'
import { Badge } from '../../../site/ui/badges.tsx'
import { Flash, Section, Table } from '../../../site/ui/page-parts.tsx'
import { Day, plural } from '../../../site/ui/text.tsx'
import { operatorPage } from '../../ui/frame.tsx'
import { REQUESTS } from '../../ui/paths.ts'
import { DirectoryTabs } from './tabs.tsx'

/** Closed requests that are listed; the command has all. */
const CLOSED = 50

const MESSAGES = {
  done: 'The request is done: the person was told, and whose it was is forgotten.',
  refused: 'The request is refused: the person was told why, and whose it was is forgotten.',
}

export async function requestsPage(context: SignedInContext): Promise<Page> {
  const all = await listRequests(context.application.database)
  const waiting = all.filter(({ closedAt }) => closedAt === null)
  const closed = all.filter(({ closedAt }) => closedAt !== null).reverse()
  return operatorPage(
    context,
    { title: 'Privacy requests' },
    <>
      <Flash context={context} messages={MESSAGES} />
      <DirectoryTabs context={context} current="requests" />
      {waiting.length === 0 ? (
        <p class="empty">
          No request waits. Whoever is in the directory can ask on{' '}
          <a href={context.href('/privacy')}>the privacy page</a> to see, correct or remove what it
          has about them, and that request comes here.
        </p>
      ) : (
        <Table
          label="Requests that wait, oldest first"
          isCards
          columns={[
            'What they ask',
            { label: 'Who it is about', card: 'line' },
            { label: 'Who asks', card: 'line' },
            'Asked',
            'Left to answer',
          ]}
          rows={waiting.map((request) => [
            <a href={context.href(`${REQUESTS}/${request.id}`)}>{WORDS[request.kind]}</a>,
            <bdi>{request.person}</bdi>,
            <Asker request={request} />,
            <Day at={request.askedAt} />,
            <Deadlines request={request} />,
          ])}
        />
      )}
      {closed.length > 0 ? (
        <Section id="closed" title="Closed" count={closed.length}>
          <Closed context={context} requests={closed.slice(0, CLOSED)} />
        </Section>
      ) : null}
    </>,
  )
}

export const WORDS: Readonly<Record<PrivacyRequest['kind'], string>> = {
  show: 'To be shown',
  correct: 'To be corrected',
  remove: 'To be removed',
}

/** Address of the requester, and its confirmation. */
export function Asker({ request }: { request: Pick<PrivacyRequest, 'email' | 'isConfirmed'> }) {
  return (
    <>
      <bdi>{request.email}</bdi>{' '}
      {request.isConfirmed ? null : <Badge tone="warn">not confirmed</Badge>}
    </>
  )
}

/** How many days the laws leave. */
export function Deadlines({ request }: { request: Pick<PrivacyRequest, 'deadlines'> }) {
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

function Closed({ requests }: { context: PageContext; requests: readonly PrivacyRequest[] }) {
  return (
    <Table
      label="Closed, newest first"
      isCards
      columns={['What was asked', 'Asked', 'Closed', 'End', { label: 'Why', card: 'line' }]}
      rows={requests.map(({ kind, askedAt, closedAt, state, reason }) => [
        WORDS[kind],
        <Day at={askedAt} />,
        closedAt ? <Day at={closedAt} /> : '',
        state,
        reason ? <bdi>{reason}</bdi> : '',
      ])}
    />
  )
}
