/** @jsxImportSource hono/jsx */
/** `/operator/directory/companies/:id`, `people/:id`, `rounds/:id`: one record, the form that changes it, and its journal. */
import { type RecordSource, sourcesOf } from '../../../intake/editing/find.ts'
import { type JournalChange, readJournal } from '../../../intake/editing/journal.ts'
import type { RecordKind, ShownRecord } from '../../../intake/editing/records.ts'
import type { Form as Sent } from '../../../site/http/form.ts'
import { type FormErrors, notFound, withFormErrors } from '../../../site/http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { QuietLink } from '../../../site/ui/actions.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Section } from '../../../site/ui/page-parts.tsx'
import { Day, plural } from '../../../site/ui/text.tsx'
import { deleteOne, erase, nameOfRecord, recordIfThere } from '../../acts/records.ts'
import { Said } from '../../ui/acts.tsx'
import { ConfirmLink } from '../../ui/confirm-link.tsx'
import { operatorPage } from '../../ui/frame.tsx'
import { JOURNAL, mergePath, recordPath } from '../../ui/paths.ts'
import { JournalTable } from './journal.tsx'
import { kindOfPath, publicPath } from './kinds.ts'
import { Pins, RecordForm, saveRecord, typedIn, unpinTicked } from './record-form.tsx'

/** Changes of a record. */
const CHANGES = 30
/** Rows of each change that are counted: enough to know whether it touched others too. */
const COUNTED_ROWS = 20

const MESSAGES = {
  added: 'The record is added. Its journal below can take that back for 30 days.',
  saved: 'The record is saved. Its journal below can take that back for 30 days.',
  same: 'Nothing was changed.',
  unpinned: 'The fields are unpinned: the next import that has them may change them.',
  merged: 'The records are one now. The journal below can part them for 30 days.',
}

export async function recordPage(context: SignedInContext): Promise<Reply> {
  const kind = kindOfPath(context.path)
  const record = await recordOf(context, kind, context.id)
  // The path had a slug, or the id of a record that was merged.
  if (record.id !== context.id) return redirect(context.href(recordPath(kind, record.id)))
  return pageOf(context, kind, record)
}

export async function changeRecord(context: SignedInContext, form: Sent): Promise<Reply> {
  const kind = kindOfPath(context.path)
  const record = await recordOf(context, kind, context.id)
  const again = async ({ problems }: FormErrors) => {
    const stored = await recordOf(context, kind, record.id)
    return pageOf(context, kind, stored, { problems, form: typedIn(kind, stored, form) })
  }
  return withFormErrors(form, again, async () => {
    if (form.get('action') === 'unpin') {
      await unpinTicked(context, kind, record, form)
      return redirect(context.href(`${recordPath(kind, record.id)}?said=unpinned`))
    }
    const said = (await saveRecord(context, kind, record, form)) ? 'saved' : 'same'
    return redirect(context.href(`${recordPath(kind, record.id)}?said=${said}`))
  })
}

/** @throws PageError 404 */
export async function recordOf(
  { application }: SignedInContext,
  kind: RecordKind,
  name: string,
): Promise<ShownRecord> {
  const record = await recordIfThere(application.database, kind, name.toLowerCase())
  if (!record) throw notFound(kind)
  return record
}

async function pageOf(
  context: SignedInContext,
  kind: RecordKind,
  record: ShownRecord,
  errors?: FormErrors,
): Promise<Page> {
  const { database } = context.application
  const [changes, sources] = await Promise.all([
    readJournal(database, { id: record.id, limit: CHANGES, countedRows: COUNTED_ROWS }),
    sourcesOf(database, record.id),
  ])
  const name = nameOfRecord(kind, record)
  return operatorPage(
    context,
    { title: name, heading: name },
    <>
      <Said context={context} messages={MESSAGES} />
      <About context={context} kind={kind} record={record} sources={sources} />
      <RecordForm context={context} kind={kind} record={record} errors={errors} />
      <Pins context={context} kind={kind} record={record} errors={errors} />
      <Changes context={context} id={record.id} changes={changes} />
    </>,
  )
}

interface RecordProps {
  context: SignedInContext
  kind: RecordKind
  record: ShownRecord
}

function About({ context, kind, record, sources }: RecordProps & { sources: RecordSource[] }) {
  const { id, createdAt, updatedAt } = record
  const shown = publicPath(kind, record)
  const day = (at: unknown) => (typeof at === 'string' ? <Day at={at} /> : null)
  return (
    <>
      <p class="lead">
        {kind} <code class="id">{id}</code>
      </p>
      <Facts
        facts={[
          { name: 'Added', value: day(createdAt) },
          { name: 'Last changed', value: day(updatedAt) },
          {
            name: 'From',
            value:
              sources.length === 0
                ? null
                : sources.map(({ source, since, last }) => (
                    <div>
                      <bdi>{source}</bdi>
                      {since ? ', since ' : ''}
                      {day(since)}
                      {last ? ', last brought ' : ''}
                      {day(last)}
                    </div>
                  )),
          },
        ]}
      />
      <p class="actions">
        {shown ? <QuietLink href={context.href(shown)}>View public page</QuietLink> : null}
        <QuietLink href={context.href(mergePath(kind, id))}>Merge with another</QuietLink>
        <ConfirmLink isButton context={context} act={deleteOne} on={id} of={kind}>
          {deleteOne.button}
        </ConfirmLink>
        {kind === 'person' ? (
          <ConfirmLink isButton context={context} act={erase} on={id}>
            Erase at their own request
          </ConfirmLink>
        ) : null}
      </p>
    </>
  )
}

interface ChangesProps {
  context: SignedInContext
  id: string
  changes: JournalChange[]
}

function Changes({ context, id, changes }: ChangesProps) {
  return (
    <Section id="journal" title="Changes of the last 30 days">
      <JournalTable context={context} changes={changes} none="None." isOfOne />
      {changes.length === CHANGES ? (
        <p class="note">
          The newest {plural(CHANGES, 'change', 'changes')};{' '}
          <a href={context.href(`${JOURNAL}?record=${id}`)}>the journal has all</a>.
        </p>
      ) : null}
    </Section>
  )
}
