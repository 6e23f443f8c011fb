/** @jsxImportSource hono/jsx */
/** Irreversible actions about people in the directory: erasing them, closing their requests, exporting everything held. */
import type { Erased } from '../../../database/erasures.ts'
import { erasePerson, everythingAbout } from '../../../intake/editing/data-subject.ts'
import { ChangeRefused } from '../../../intake/editing/records.ts'
import { MAX_REASON } from '../../../people/privacy/rules.ts'
import { FieldError, validText } from '../../../people/users/validation.ts'
import type { Form } from '../../../site/http/form.ts'
import { type FormErrors, fieldText, notFound } from '../../../site/http/form-errors.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../../site/http/page.ts'
import { PageError } from '../../../site/http/page-error.ts'
import { QuietLink } from '../../../site/ui/actions.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Checkbox, TextArea, Tick } from '../../../site/ui/fields.tsx'
import { Code, Notice } from '../../../site/ui/page-parts.tsx'
import { figure } from '../../../site/ui/text.tsx'
import { eraseIn } from '../../acts/erase.ts'
import { answerRequest, type Closed, endRequest, removeAsAsked } from '../../acts/requests.ts'
import type { Confirmation, LoadConfirmation } from '../../ui/confirmation.tsx'
import { actorOf, type OperatorContext, operatorPage, performed } from '../../ui/frame.tsx'
import { BACKUPS, IMPORTS, REQUESTS, recordPath } from '../../ui/paths.ts'
import { nameOfRecord } from './kinds.ts'
import { recordOf } from './record.tsx'
import { requestOf, WORDS } from './requests.tsx'

const ERASURE =
  'They go from every table and the journal, with everybody who was merged into them, their private channels, notes and places in lists. Imports refuse them from then on. What accounts paid stays in their books, without the person. Backups and files that you made before may still have them.'

/** Irreversible actions about people, by name. */
export const PERSON_CONFIRMATIONS = {
  erase: async (context, { subject }) => {
    const person = await recordOf(context, 'person', subject)
    return {
      title: `Erase ${nameOfRecord('person', person)}`,
      lead: ERASURE,
      label: 'Erase',
      noun: 'person',
      back: recordPath('person', person.id),
      prepare: () => () =>
        orRefused(async () => {
          const { database } = context.application
          const { desk } = context.console
          const by = actorOf(context)
          const { erased, rewrite } = await eraseIn(desk, () =>
            erasePerson(database, person.id, by),
          )
          return erased ? afterErasure(context, erased, rewrite) : undefined
        }),
    }
  },

  'erase-asked': async (context, { subject, item }) => {
    const request = await openRequest(context, subject)
    const candidate = request.people.find(({ id }) => id === item)
    if (request.kind !== 'remove' || !candidate) throw notFound('person of that request')
    const isProved = request.isConfirmed && candidate.isEmailOnFile === true
    return {
      title: `Erase ${candidate.name}`,
      lead: `${ERASURE} The request is closed then, and whoever asked is told.`,
      label: 'Erase',
      noun: 'open request',
      back: `${REQUESTS}/${request.id}`,
      fields: (errors) => (
        <>
          {isProved ? null : (
            <Tick name="known" errors={errors}>
              The request does not come from a confirmed address that is on file, so anybody may
              have asked. I know by other means that they did.
            </Tick>
          )}
          <Unmailed errors={errors} />
        </>
      ),
      prepare(form) {
        const isKnown = form.get('known') === 'yes'
        if (!isProved && !isKnown)
          throw new FieldError('known', 'Ask back first: an erasure can’t be undone.')
        return () =>
          orRefused(async () => {
            const asked = { person: item, isKnown, mails: mailsIn(form) }
            const { desk } = context.console
            const { erased, rewrite, closed } = await removeAsAsked(
              ...([desk, actorOf(context), request.id, asked] as const),
            )
            return afterErasure(context, erased, rewrite, closed)
          })
      },
    }
  },

  'request-done': async (context, { subject }) => ({
    ...(await ending(context, subject, 'is done')),
    label: 'It is done',
    fields: (errors) => <Unmailed errors={errors} />,
    prepare: (form) => () => ended(context, subject, null, mailsIn(form)),
  }),

  'request-refused': async (context, { subject }) => ({
    ...(await ending(context, subject, 'is refused')),
    label: 'Refuse it',
    fields: (errors) => (
      <>
        <TextArea
          name="reason"
          label="Why, as the person reads it"
          maxlength={MAX_REASON}
          errors={errors}
        />
        <Unmailed errors={errors} />
      </>
    ),
    prepare(form) {
      const reason = validText('reason', fieldText(form, 'reason'), MAX_REASON)
      if (reason === '') throw new FieldError('reason', 'Please say why.')
      return () => ended(context, subject, reason, mailsIn(form))
    },
  }),

  answer: async (context, { subject, item }) => {
    const request = await openRequest(context, subject)
    const candidate = request.people.find(({ id }) => id === item)
    if (request.kind !== 'show' || !candidate) throw notFound('person of that request')
    return {
      title: `Download all that is held of ${candidate.name}`,
      lead: 'The file has their private channels: it is for that person alone. Know first that it is they who asked. The audit log says that you had it.',
      label: 'Download',
      noun: 'open request',
      back: `${REQUESTS}/${request.id}`,
      prepare: () => () =>
        orRefused(async () => {
          if (!(await performed(context, answerRequest(request.id)))) return undefined
          const everything = await everythingAbout(context.application.database, item)
          return new Response(JSON.stringify(everything, null, 2), {
            headers: {
              'content-type': 'application/json; charset=utf-8',
              'content-disposition': `attachment; filename="everything-${item}.json"`,
            },
          })
        }),
    }
  },
} satisfies Readonly<Record<string, LoadConfirmation>>

/** The box by which an operator tells the person themselves. */
const Unmailed = ({ errors }: { errors: FormErrors | undefined }) => (
  <Checkbox
    name="unmailed"
    isTicked={errors?.form.get('unmailed') === 'yes'}
    hint="The page after this one shows what the mail would say."
  >
    Send no mail: I tell them
  </Checkbox>
)

const mailsIn = (form: Form) => form.get('unmailed') !== 'yes'

/** @throws PageError 404 for one that is closed too */
async function openRequest(context: OperatorContext, id: string) {
  const request = await requestOf(context, id)
  if (request.state !== 'open') throw notFound('open request')
  return request
}

async function ending(
  context: OperatorContext,
  id: string,
  end: string,
): Promise<Pick<Confirmation, 'title' | 'lead' | 'noun' | 'back'>> {
  const { kind } = await openRequest(context, id)
  return {
    title: `Say that the request ${end}`,
    lead: `${WORDS[kind]}. A mail says so, and whose request it was is forgotten.`,
    noun: 'open request',
    back: `${REQUESTS}/${id}`,
  }
}

const ended = (context: OperatorContext, id: string, reason: string | null, mails: boolean) =>
  orRefused(async () => {
    const { desk } = context.console
    const closed = await endRequest(desk, actorOf(context), id, { reason, mails })
    if (closed.letter || closed.stillListed.length > 0) return closedPage(context, closed)
    return redirect(context.href(`${REQUESTS}?said=${closed.state}`))
  })

/** Turns a refusal into a page that says why. @throws PageError 409 */
async function orRefused(act: () => Promise<Reply | undefined>): Promise<Reply | undefined> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error
    throw new PageError(409, 'That was not done', `${error.reason}.`)
  }
}

/** Rewrites the files beside the tables after the answer, because that takes long where the directory is large. */
function afterErasure(
  context: OperatorContext,
  erased: Erased,
  rewrite: () => Promise<string[]>,
  closed?: Closed | { failure: unknown },
): Reply {
  context.console.afterErasure(rewrite)
  return erasedPage(context, erased, closed)
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
