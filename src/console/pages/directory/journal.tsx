/** @jsxImportSource hono/jsx */
/** `/operator/directory/journal`: all changes of the directory in the last 30 days. */

import {
  type FieldChange,
  type JournalChange,
  readJournal,
} from '../../../intake/editing/journal.ts'
import { RECORD_KINDS, type RecordKind } from '../../../intake/editing/records.ts'
import {
  type Page,
  type PageContext,
  redirect,
  type SignedInContext,
} from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Field } from '../../../site/ui/form.tsx'
import { Notice } from '../../../site/ui/page-parts.tsx'
import { NewerOlder } from '../../../site/ui/pager.tsx'
import { Moment, plural } from '../../../site/ui/text.tsx'
import { changeOf, recordIfThere, undo } from '../../acts/records.ts'
import { Said, viewOf } from '../../ui/acts.tsx'
import { ConfirmLink } from '../../ui/confirm-link.tsx'
import { type OperatorContext, operatorPage } from '../../ui/frame.tsx'
import { List } from '../../ui/lists.tsx'
import { JOURNAL, recordPath } from '../../ui/paths.ts'
import { idIn, numberIn, whoIn } from '../../ui/query.ts'
import { isNone, Value } from '../../ui/value.tsx'
import { DirectoryTabs } from './browse.tsx'
import { labelOf } from './fields.tsx'

/** Changes of a page. */
const LIMIT = 30
/** Rows of each change that are counted: an import may have touched millions. */
const COUNTED_ROWS = 1_000

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
      <Said context={context} />
      <DirectoryTabs context={context} current="journal" />
      <form class="filters" action={context.href(JOURNAL)}>
        <Field isOptional name="record" label="Record (its id)" value={id} autocomplete="off" />
        <Field isOptional name="who" label="Who" value={who} autocomplete="off" />
        <Submit tone="quiet">Filter</Submit>
        {id || who || one ? <a href={context.href(JOURNAL)}>Clear filters</a> : null}
      </form>
      <JournalTable
        context={context}
        changes={changes}
        none={
          id || who || one
            ? 'No change of the last 30 days is found.'
            : 'Nothing was changed in the last 30 days.'
        }
      />
      <NewerOlder
        older={matches.length > LIMIT ? context.href(`${JOURNAL}?${params}`) : undefined}
      />
    </>,
  )
}

/** The number of a change. @throws PageError 400 */
const changeIn = (asked: URLSearchParams, name: string): number | undefined =>
  numberIn(asked, name, 'the number of a change, as the journal names it')

/** Limits of what is shown: characters of a value, fields of a change, records of a change. */
const MOST_CHARACTERS = 160
const MOST_FIELDS = 12
const MOST_RECORDS = 4

interface JournalTableProps {
  context: PageContext
  changes: readonly JournalChange[]
  /** Stands in place of no changes. */
  none: string
  /** The page is that of one record, and all changes are its own. */
  isOfOne?: boolean
}

export function JournalTable({ context, changes, none, isOfOne = false }: JournalTableProps) {
  return (
    <List
      label="Changes, newest first"
      rows={changes}
      none={none}
      cells={[
        ['Time (UTC)', ({ at }) => <Moment at={at} />],
        ['Who', ({ who }) => <bdi>{who}</bdi>],
        ['What', whatOf],
        ...(isOfOne
          ? []
          : [['Record', (of: JournalChange) => <Touched {...{ context, of }} />] as const]),
        [
          { label: 'Before → after', card: 'line' },
          (of) => <Fields {...{ context, of, isOfOne }} />,
        ],
        [{ label: 'Undo', card: 'last' }, (of) => <UndoLink {...{ context, of, isOfOne }} />],
      ]}
    />
  )
}

interface UndoLinkProps {
  context: PageContext
  of: JournalChange
  isOfOne: boolean
}

/** On the page of one record the link says where more than that record is taken back. */
function UndoLink({ context, of, isOfOne }: UndoLinkProps) {
  const { change, what, records, undoneBy } = of
  if (undoneBy !== null) return <>undone by {undoneBy}</>
  if (what === 'erase') return <>can’t be undone</>
  const isMore = isOfOne && (what === 'import' || records > 1)
  const label = isMore ? `Undo the whole ${what === 'import' ? 'import' : 'change'}` : 'Undo'
  return (
    <ConfirmLink context={context} act={undo} on={String(change)} label={`${label} ${change}`}>
      {label}
    </ConfirmLink>
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

/** Where to go after an undo: the page of the changed record if it exists again, else the journal. */
async function pathAfter({ application }: SignedInContext, { kind, id }: JournalChange) {
  const known = RECORD_KINDS.find((one) => one === kind)
  const record = known && id ? await recordIfThere(application.database, known, id) : undefined
  return known && record ? recordPath(known, record.id) : JOURNAL
}

/** Shows the change before, and leads to the record that is there again. */
export const UNDO_VIEW = viewOf(undo, {
  facts: (context, { on }) => changeFacts(context, on),
  async reply(context, _, { on }) {
    const change = await changeOf(context.application.database, on)
    const path = change ? await pathAfter(context, change) : JOURNAL
    return redirect(context.href(`${path}?said=${undo.name}`))
  },
})

/** Facts of a change. */
async function changeFacts(context: OperatorContext, number: string) {
  const change = await changeOf(context.application.database, number)
  if (!change) return null
  const { at, who, fields, undoneBy } = change
  return (
    <>
      <Facts
        facts={[
          { name: 'What', value: whatOf(change) },
          { name: 'When', value: <Moment at={at} /> },
          { name: 'Who', value: <bdi>{who}</bdi> },
          { name: 'Record', value: <Touched context={context} of={change} /> },
          { name: 'What changed', value: fields && <Fields context={context} of={change} /> },
        ]}
      />
      {undoneBy === null ? null : (
        <Notice tone="warn">It was undone already, by change {undoneBy}.</Notice>
      )}
    </>
  )
}
