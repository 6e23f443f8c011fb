/** @jsxImportSource hono/jsx */
/** Work left after an erasure, or after a request that nobody could be mailed about. It is shown once and not stored. */
import type { Erased } from '../../../database/erasures.ts'
import { ChangeRefused } from '../../../intake/editing/records.ts'
import type { Page, PageContext } from '../../../site/http/page.ts'
import { QuietLink } from '../../../site/ui/actions.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Code, Notice } from '../../../site/ui/page-parts.tsx'
import { figure } from '../../../site/ui/text.tsx'
import type { Closed } from '../../acts/requests.ts'
import { operatorPage } from '../../ui/frame.tsx'
import { BACKUPS, IMPORTS, REQUESTS, recordPath } from '../../ui/paths.ts'

/** @param closed how the request ended that asked for it, where one did */
export function erasedPage(
  context: PageContext,
  { number, records, marks, alike, companies }: Erased,
  closed?: Closed | { failure: unknown },
): Page {
  return operatorPage(
    context,
    { title: 'Erased', shape: 'text', area: REQUESTS },
    <>
      <Notice tone="good">
        The person is erased. Note what is left to do: this page is shown once.
      </Notice>
      <Facts
        facts={[
          { name: 'Erasure', value: <code class="id">{number}</code> },
          { name: 'Records', value: figure(records) },
          { name: 'Hashes that keep imports from bringing them back', value: figure(marks) },
        ]}
      />
      {alike.length > 0 ? (
        <>
          <p>People with one of the same values, to be erased too if it is them:</p>
          <Records context={context} kind="person" ids={alike} />
        </>
      ) : null}
      {companies.length > 0 ? (
        <>
          <p>Companies that may be theirs or speak of them:</p>
          <Records context={context} kind="company" ids={companies} />
        </>
      ) : null}
      <p>
        The database’s files are being written anew. Where that fails the log says what is left to
        do. What you made before may still have them: <a href={context.href(BACKUPS)}>backups</a>,
        exports, reports of imports, and files of people that wait under{' '}
        <a href={context.href(IMPORTS)}>Imports</a>.
      </p>
      {closed ? <RequestEnd closed={closed} /> : null}
      <Requests context={context} />
    </>,
  )
}

/** A request that is closed, with what is left to do. */
export function closedPage(context: PageContext, closed: Closed): Page {
  return operatorPage(
    context,
    { title: `The request is ${closed.state}`, shape: 'text', area: REQUESTS },
    <>
      <RequestEnd closed={closed} />
      {closed.stillListed.length > 0 ? (
        <>
          <p>They are in the directory still:</p>
          <Records context={context} kind="person" ids={closed.stillListed} />
        </>
      ) : null}
      <Requests context={context} />
    </>,
  )
}

function RequestEnd({ closed }: { closed: Closed | { failure: unknown } }) {
  if ('failure' in closed) {
    const { failure } = closed
    const why = failure instanceof ChangeRefused ? failure.reason : 'the mail was not sent'
    return <Notice tone="bad">The request is open still: {why}.</Notice>
  }
  if (!closed.letter) return <Notice tone="good">The person was told by mail.</Notice>
  const { to, subject, text } = closed.letter
  return (
    <>
      <Notice tone="warn">
        No mail server is configured, so nobody was told. Send this to {to}: the address is
        forgotten now.
      </Notice>
      <Code isCommand text={`${subject}\n\n${text}`} />
    </>
  )
}

interface RecordsProps {
  context: PageContext
  kind: 'person' | 'company'
  ids: readonly string[]
}

function Records({ context, kind, ids }: RecordsProps) {
  return (
    <ul>
      {ids.map((id) => (
        <li>
          <a href={context.href(recordPath(kind, id))}>
            <code class="id">{id}</code>
          </a>
        </li>
      ))}
    </ul>
  )
}

const Requests = ({ context }: { context: PageContext }) => (
  <p class="actions">
    <QuietLink href={context.href(REQUESTS)}>Requests</QuietLink>
  </p>
)
