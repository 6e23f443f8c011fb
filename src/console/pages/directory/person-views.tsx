/** @jsxImportSource hono/jsx */
/** Pages after acts about people: what an erasure left to do, the end of a request, and the file of all that is held. */
import type { Erased } from '../../../database/erasures.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../../site/http/page.ts'
import { QuietLink } from '../../../site/ui/actions.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Code, Notice } from '../../../site/ui/page-parts.tsx'
import { figure } from '../../../site/ui/text.tsx'
import { ActRefused } from '../../acts/act.ts'
import { erase } from '../../acts/records.ts'
import {
  answerRequest,
  type Closed,
  endAsDone,
  eraseAsAsked,
  type Removed,
  refuseRequest,
} from '../../acts/requests.ts'
import { viewOf } from '../../ui/acts.tsx'
import { type OperatorContext, operatorPage } from '../../ui/frame.tsx'
import { BACKUPS, IMPORTS, REQUESTS, recordPath } from '../../ui/paths.ts'

export const PERSON_VIEWS = [
  viewOf(erase, { reply: afterErasure }),
  viewOf(eraseAsAsked, { reply: afterErasure }),
  viewOf(endAsDone, {
    reply: (context, end) =>
      'erased' in end ? afterErasure(context, end) : afterEnd(context, end),
  }),
  viewOf(refuseRequest, { reply: afterEnd }),
  viewOf(answerRequest, {
    reply: (_, everything, { of }) =>
      new Response(JSON.stringify(everything, null, 2), {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': `attachment; filename="everything-${of}.json"`,
        },
      }),
  }),
]

/** Rewrites the files beside the tables after the answer, because that takes long where the directory is large. */
function afterErasure(
  context: OperatorContext,
  { erased, rewrite, closed }: Omit<Removed, 'closed'> & Partial<Pick<Removed, 'closed'>>,
): Reply {
  context.console.afterErasure(rewrite)
  return erasedPage(context, erased, closed)
}

function afterEnd(context: OperatorContext, closed: Closed): Reply {
  if (closed.letter || closed.stillListed.length > 0) return closedPage(context, closed)
  const said = closed.state === 'done' ? endAsDone.name : refuseRequest.name
  return redirect(context.href(`${REQUESTS}?said=${said}`))
}

/** @param closed how the request ended that asked for it, where one did */
function erasedPage(
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
function closedPage(context: PageContext, closed: Closed): Page {
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
    const why = failure instanceof ActRefused ? failure.message : 'the mail was not sent'
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
