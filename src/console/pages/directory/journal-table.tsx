/** @jsxImportSource hono/jsx */
/** Changes of the journal as a table, each with the link to take it back. */
import type { FieldChange, JournalChange } from '../../../intake/editing/journal.ts'
import { RECORD_KINDS, type RecordKind } from '../../../intake/editing/records.ts'
import type { PageContext } from '../../../site/http/page.ts'
import { Table } from '../../../site/ui/page-parts.tsx'
import { Moment, plural } from '../../../site/ui/text.tsx'
import { DIRECTORY, recordPath } from '../../ui/paths.ts'
import { isNone, Value } from '../../ui/value.tsx'
import { labelOf } from './fields.tsx'

/** Characters of a value, fields of a change, and records that they are shown of, at most. */
const MOST_CHARACTERS = 160
const MOST_FIELDS = 12
const MOST_RECORDS = 4

export const undoPath = (change: number) => `${DIRECTORY}/undo?change=${change}`

interface JournalTableProps {
  context: PageContext
  changes: readonly JournalChange[]
  /** Whether they are of one record, whose page this is. */
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
export const whatOf = ({ what, undoes, change }: JournalChange) =>
  `${change}: ${what}${undoes === null ? '' : ` of ${undoes}`}`

/** The record that a change names, else how many it touched. */
export function Touched({ context, of }: { context: PageContext; of: JournalChange }) {
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
  /** Whether the page is that of the one record that they are of. */
  isOfOne?: boolean
}

/**
 * Changed fields, below their record if it isn't the one of the change; private channels by name alone. Empty for a change of
 * many records.
 */
export function Fields({ context, of, isOfOne = false }: FieldsProps) {
  const { fields, kind, id } = of
  if (!fields) return null
  const told = fields.filter(
    ({ of, before, after }) => of === 'channels' || !(isNone(before) && isNone(after)),
  )
  const isOfIts = (change: FieldChange) => change.of === kind
  // Records of its own kind come first: a merge may give others another company.
  const byRecord = [...Map.groupBy(told, ({ record }) => record)].sort(
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
