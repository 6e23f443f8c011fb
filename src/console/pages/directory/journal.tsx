/** @jsxImportSource hono/jsx */
/** `/operator/directory/journal`: all changes of the directory in the last 30 days. */

import { undoChange } from '../../../intake/editing/edit.ts'
import {
  type FieldChange,
  type JournalChange,
  readJournal,
} from '../../../intake/editing/journal.ts'
import {
  ChangeRefused,
  RECORD_KINDS,
  type RecordKind,
  showRecord,
} from '../../../intake/editing/records.ts'
import { jobOfChange } from '../../../intake/import/jobs/store.ts'
import type { Form as Sent } from '../../../site/http/form.ts'
import { notFound } from '../../../site/http/form-errors.ts'
import {
  type Page,
  type PageContext,
  type Reply,
  redirect,
  type SignedInContext,
} from '../../../site/http/page.ts'
import { addressMistake } from '../../../site/http/page-error.ts'
import { QuietLink, Submit } from '../../../site/ui/actions.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Field, Form } from '../../../site/ui/form.tsx'
import { Flash, Notice, Table } from '../../../site/ui/page-parts.tsx'
import { NewerOlder } from '../../../site/ui/pager.tsx'
import { Moment, plural } from '../../../site/ui/text.tsx'
import { actorOf, operatorPage } from '../../ui/frame.tsx'
import { DIRECTORY, JOURNAL, recordPath, undoImportPath } from '../../ui/paths.ts'
import { idIn, numberIn, whoIn } from '../../ui/query.ts'
import { isNone, Value } from '../../ui/value.tsx'
import { labelOf } from './fields.tsx'
import { DirectoryTabs } from './tabs.tsx'

/** Changes of a page. */
const LIMIT = 30
/** Rows of each change that are counted: an import may have touched millions. */
const COUNTED_ROWS = 1_000

const MESSAGES = { undone: 'The change is taken back.' }

export async function journalPage(context: SignedInContext): Promise<Page> {
  const params = new URLSearchParams(context.query)
  const [id, who] = [idIn(params, 'record'), whoIn(params)]
  const before = changeIn(params, 'before')
  const one = changeIn(params, 'change')
  const query =
    one === undefined
      ? { id, who, before, limit: LIMIT + 1, countedRows: COUNTED_ROWS }
      : { before: one + 1, limit: 1 }
  const read = await readJournal(context.application.database, query)
  const matches = one === undefined ? read : read.filter(({ change }) => change === one)
  const changes = matches.slice(0, LIMIT)
  params.set('before', String(changes.at(-1)?.change ?? ''))
  return operatorPage(
    context,
    { title: 'Journal of the directory' },
    <>
      <Flash context={context} messages={MESSAGES} />
      <DirectoryTabs context={context} current="journal" />
      <form class="filters" action={context.href(JOURNAL)}>
        <Field isOptional name="record" label="Record (its id)" value={id} autocomplete="off" />
        <Field isOptional name="who" label="Who" value={who} autocomplete="off" />
        <Submit tone="quiet">Filter</Submit>
        {id || who || one ? <a href={context.href(JOURNAL)}>Clear filters</a> : null}
      </form>
      {changes.length > 0 ? (
        <JournalTable context={context} changes={changes} />
      ) : (
        <p class="empty">
          {id || who || one
            ? 'No change of the last 30 days is found.'
            : 'Nothing was changed in the last 30 days.'}
        </p>
      )}
      <NewerOlder
        older={matches.length > LIMIT ? context.href(`${JOURNAL}?${params}`) : undefined}
      />
    </>,
  )
}

/** The number of a change. @throws PageError 400 */
export const changeIn = (asked: URLSearchParams, name: string): number | undefined =>
  numberIn(asked, name, 'the number of a change, as the journal names it')

/** Limits of what is shown: characters of a value, fields of a change, records of a change. */
const MOST_CHARACTERS = 160
const MOST_FIELDS = 12
const MOST_RECORDS = 4

const undoPath = (change: number) => `${DIRECTORY}/undo?change=${change}`

interface JournalTableProps {
  context: PageContext
  changes: readonly JournalChange[]
  /** The page is that of one record, and all changes are its own. */
  isOfOne?: boolean
}

export function JournalTable({ context, changes, isOfOne = false }: JournalTableProps) {
  return (
    <Table
      label="Changes, newest first"
      isCards
      columns={[
        'Time (UTC)',
        'Who',
        'What',
        ...(isOfOne ? [] : ['Record']),
        { label: 'Before → after', card: 'line' },
        { label: 'Undo', card: 'last' },
      ]}
      rows={changes.map((change) => [
        <Moment at={change.at} />,
        <bdi>{change.who}</bdi>,
        whatOf(change),
        ...(isOfOne ? [] : [<Touched context={context} of={change} />]),
        <Fields context={context} of={change} isOfOne={isOfOne} />,
        change.undoneBy !== null ? (
          `undone by ${change.undoneBy}`
        ) : change.what === 'erase' ? (
          'can’t be undone'
        ) : (
          <UndoLink context={context} of={change} isOfOne={isOfOne} />
        ),
      ])}
    />
  )
}

interface UndoLinkProps {
  context: PageContext
  of: JournalChange
  isOfOne: boolean
}

/** On the page of one record the link says where more than that record is taken back. */
function UndoLink({ context, of: { change, what, records }, isOfOne }: UndoLinkProps) {
  const isMore = isOfOne && (what === 'import' || records > 1)
  const label = isMore ? `Undo the whole ${what === 'import' ? 'import' : 'change'}` : 'Undo'
  return (
    <a href={context.href(undoPath(change))} aria-label={`${label} ${change}`}>
      {label}
    </a>
  )
}

/** Name of a change: `set`, `undo of 17`. */
const whatOf = ({ what, undoes, change }: JournalChange) =>
  `${change}: ${what}${undoes === null ? '' : ` of ${undoes}`}`

/** The record that a change names, else how many it touched. */
function Touched({ context, of }: { context: PageContext; of: JournalChange }) {
  const kind = RECORD_KINDS.find((one) => one === of.kind)
  if (!kind || !of.id || of.what === 'erase')
    return (
      <>
        {of.isLowerBound ? 'at least ' : ''}
        {plural(of.records, 'record', 'records')}
      </>
    )
  return (
    <a href={context.href(recordPath(kind, of.id))}>
      {kind} <code>{of.id}</code>
    </a>
  )
}

/** Fields that hold the id of a record, and of which kind. */
const REFERENCES: Readonly<Record<string, RecordKind>> = {
  companyId: 'company',
  investorId: 'company',
  roundId: 'round',
}

interface FieldsProps {
  context: PageContext
  of: JournalChange
  /** The page is that of one record, and all changes are its own. */
  isOfOne?: boolean
}

/**
 * Changed fields, below their record if it isn't the one of the change; private channels by name alone. Empty for a change of
 * many records.
 */
function Fields({ context, of, isOfOne = false }: FieldsProps) {
  const { fields, kind, id } = of
  if (!fields) return null
  const visible = fields.filter(
    ({ of, before, after }) => of === 'channels' || !(isNone(before) && isNone(after)),
  )
  const isOfIts = (change: FieldChange) => change.of === kind
  // Records of its own kind come first: a merge may give others another company.
  const byRecord = [...Map.groupBy(visible, ({ record }) => record)].sort(
    ([, a], [, b]) => Number(b.some(isOfIts)) - Number(a.some(isOfIts)),
  )
  const isNamed = !isOfOne && byRecord.some(([record]) => record !== id)
  const shown = byRecord.slice(0, MOST_RECORDS)
  const most = Math.floor(MOST_FIELDS / Math.max(1, shown.length))
  const more = byRecord.length - shown.length
  return (
    <>
      {shown.map(([record, changes]) => (
        <>
          {isNamed ? <Owner context={context} record={record} changes={changes} /> : null}
          {changes.slice(0, most).map((change) => (
            <FieldLine context={context} change={change} />
          ))}
          {changes.length > most ? (
            <div class="quiet">
              and {plural(changes.length - most, 'more field', 'more fields')}
            </div>
          ) : null}
        </>
      ))}
      {more > 0 ? <div class="quiet">and {plural(more, 'more record', 'more records')}</div> : null}
    </>
  )
}

/** The kind of record that rows beside a record's own belong to. */
const OWNERS: Readonly<Record<string, RecordKind>> = { channels: 'person', investment: 'round' }

interface OwnerProps {
  context: PageContext
  record: string
  changes: readonly FieldChange[]
}

/** The record that fields belong to; the link of one that was merged leads to the one that stayed. */
function Owner({ context, record, changes }: OwnerProps) {
  const kinds = changes.map(({ of }) => RECORD_KINDS.find((one) => one === of) ?? OWNERS[of])
  const kind = kinds.find((one) => one !== undefined)
  return (
    <div>
      <b>Of {kind ?? 'record'}</b>{' '}
      {kind ? (
        <a href={context.href(recordPath(kind, record))}>
          <code>{record}</code>
        </a>
      ) : (
        <code>{record}</code>
      )}
    </div>
  )
}

function FieldLine({ context, change }: { context: PageContext; change: FieldChange }) {
  const { of, field, before, after } = change
  return (
    <div>
      {of === 'investment' || of === 'redirect' ? `${of}: ` : ''}
      {labelOf(field)}:{' '}
      {of === 'channels' ? (
        'changed'
      ) : (
        <>
          <Side context={context} field={field} value={before} /> →{' '}
          <Side context={context} field={field} value={after} />
        </>
      )}
    </div>
  )
}

/** The value before or after. */
function Side({ context, field, value }: { context: PageContext; field: string; value: unknown }) {
  const kind = REFERENCES[field]
  if (!kind || typeof value !== 'string') return <Value value={value} most={MOST_CHARACTERS} />
  return (
    <a href={context.href(recordPath(kind, value))}>
      <code>{value}</code>
    </a>
  )
}

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
