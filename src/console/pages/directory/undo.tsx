/** @jsxImportSource hono/jsx */
/** `/operator/directory/undo`: says what a change did, and takes it back. That is a change too, which can be taken back. */
import { undoChange } from '../../../intake/editing/edit.ts'
import { type JournalChange, readJournal } from '../../../intake/editing/journal.ts'
import { ChangeRefused, RECORD_KINDS, showRecord } from '../../../intake/editing/records.ts'
import { jobOfChange } from '../../../intake/import/jobs/store.ts'
import type { Form as Sent } from '../../../site/http/form.ts'
import { notFound } from '../../../site/http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { addressMistake } from '../../../site/http/page-error.ts'
import { QuietLink, Submit } from '../../../site/ui/actions.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Form } from '../../../site/ui/form.tsx'
import { Notice } from '../../../site/ui/page-parts.tsx'
import { Moment, plural } from '../../../site/ui/text.tsx'
import { actorOf, operatorPage } from '../../ui/frame.tsx'
import { JOURNAL, recordPath, undoImportPath } from '../../ui/paths.ts'
import { changeIn } from './journal.tsx'
import { Fields, Touched, undoPath, whatOf } from './journal-table.tsx'

export async function undoPage(context: SignedInContext): Promise<Reply> {
  const change = await changeOf(context, new URLSearchParams(context.query))
  return (await asImport(context, change)) ?? pageOf(context, change)
}

export async function undo(context: SignedInContext, form: Sent): Promise<Reply> {
  const change = await changeOf(context, form)
  const elsewhere = await asImport(context, change)
  if (elsewhere) return elsewhere
  const { database } = context.application
  try {
    await undoChange(database, change.change, actorOf(context))
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error
    return { ...pageOf(context, change, error.reason), status: 409 }
  }
  return redirect(context.href(`${await pathAfter(context, change)}?said=undone`))
}

/** An import that was given as a file is undone on its own page, by another process. */
async function asImport({ application, href }: SignedInContext, { what, change }: JournalChange) {
  const job = what === 'import' ? await jobOfChange(application.database, change) : undefined
  return job === undefined ? undefined : redirect(href(undoImportPath(job)))
}

/** Where to go after an undo: the page of the changed record if it exists again, else the journal. */
async function pathAfter({ application }: SignedInContext, { kind, id }: JournalChange) {
  const known = RECORD_KINDS.find((one) => one === kind)
  if (!known || !id) return JOURNAL
  try {
    return recordPath(known, (await showRecord(application.database, known, id)).id)
  } catch (error) {
    if (error instanceof ChangeRefused) return JOURNAL
    throw error
  }
}

/** @throws PageError 404 for a change that the journal doesn't have any more */
async function changeOf({ application }: SignedInContext, sent: Sent): Promise<JournalChange> {
  const number = changeIn(sent, 'change')
  if (number === undefined) throw addressMistake('change', 'the number of a change')
  const query = { before: number + 1, limit: 1 }
  const [change] = await readJournal(application.database, query)
  if (change?.change !== number) throw notFound('change')
  return change
}

/** @param refused why it can't be taken back */
function pageOf(context: SignedInContext, change: JournalChange, refused?: string): Page {
  const { at, who, what, records, undoneBy } = change
  const isImport = what === 'import'
  return operatorPage(
    context,
    {
      title: `Undo change ${change.change}`,
      heading: `Undo change ${change.change}?`,
      shape: 'text',
    },
    <>
      {refused ? (
        <Notice tone="bad">It can’t be undone: {refused}. Nothing was changed.</Notice>
      ) : null}
      <Facts
        facts={[
          { name: 'What', value: whatOf(change) },
          { name: 'When', value: <Moment at={at} /> },
          { name: 'Who', value: <bdi>{who}</bdi> },
          { name: 'Record', value: <Touched context={context} of={change} /> },
          {
            name: 'What changed',
            value: change.fields ? <Fields context={context} of={change} /> : null,
          },
        ]}
      />
      <p>
        {isImport
          ? `Undo takes all of this import back: ${plural(records, 'record', 'records')} will be as before it, and those that it brought will be gone.`
          : 'Undo puts every record that it touched back as it was, with its ids, slugs and private channels.'}{' '}
        The journal notes the undo as a change, which can be undone too.
      </p>
      {undoneBy === null ? (
        <Form context={context} action={undoPath(change.change).split('?')[0] ?? ''}>
          <input type="hidden" name="change" value={String(change.change)} />
          <p class="actions">
            <Submit>Undo</Submit>
            <QuietLink href={context.href(JOURNAL)}>Cancel</QuietLink>
          </p>
        </Form>
      ) : (
        <Notice tone="warn">It was undone already, by change {undoneBy}.</Notice>
      )}
    </>,
  )
}
