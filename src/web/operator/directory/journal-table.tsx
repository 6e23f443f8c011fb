/** @jsxImportSource hono/jsx */
/** Changes of the journal as a table, each with the link to take it back. */
import type { FieldChange, JournalChange } from '../../../editing/journal.ts'
import { RECORD_KINDS, type RecordKind } from '../../../editing/records.ts'
import { Table } from '../../components/page-parts.tsx'
import { Moment, plural } from '../../components/text.tsx'
import type { PageContext } from '../../http/page.ts'
import { isNone, Value } from '../value.tsx'
import { labelOf } from './fields.tsx'
import { DIRECTORY, recordPath } from './kinds.ts'

/** Characters of a value, and fields of a change, at most. */
const MOST_CHARACTERS = 160
const MOST_FIELDS = 12

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
        { label: 'Take it back', card: 'last' },
      ]}
      rows={changes.map((change) => [
        <Moment at={change.at} />,
        <bdi>{change.who}</bdi>,
        whatOf(change),
        ...(isOfOne ? [] : [<Touched context={context} of={change} />]),
        // With several records of an import it would be unclear which field belongs to which.
        <Fields
          context={context}
          fields={
            isOfOne || change.what !== 'import' || (change.records ?? 0) <= 1
              ? change.fields
              : undefined
          }
        />,
        change.undoneBy !== null ? (
          `undone by ${change.undoneBy}`
        ) : change.what === 'erase' ? (
          'can’t be undone'
        ) : (
          <a href={context.href(undoPath(change.change))} aria-label={`Undo ${change.change}`}>
            Undo
          </a>
        ),
      ])}
    />
  )
}

/** What a change did: `set`, `undo of 17`. */
export const whatOf = ({ what, undoes, change }: JournalChange) =>
  `${change}: ${what}${undoes === null ? '' : ` of ${undoes}`}`

/** The record that a change names, else how many it touched. */
export function Touched({ context, of }: { context: PageContext; of: JournalChange }) {
  const kind = RECORD_KINDS.find((one) => one === of.kind)
  if (!kind || !of.id || of.what === 'erase')
    return <>{plural(of.records ?? 0, 'record', 'records')}</>
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
  fields: readonly FieldChange[] | undefined
}

/** What a change did to fields; of private channels only which. */
export function Fields({ context, fields }: FieldsProps) {
  if (!fields) return <span class="quiet">of several records</span>
  const told = fields.filter(
    ({ of, before, after }) => of === 'channels' || !(isNone(before) && isNone(after)),
  )
  return (
    <>
      {told.slice(0, MOST_FIELDS).map((change) => (
        <div>
          {change.of === 'investment' || change.of === 'redirect' ? `${change.of}: ` : ''}
          {labelOf(change.field)}:{' '}
          {change.of === 'channels' ? (
            'changed'
          ) : (
            <>
              <Side context={context} field={change.field} value={change.before} /> →{' '}
              <Side context={context} field={change.field} value={change.after} />
            </>
          )}
        </div>
      ))}
      {told.length > MOST_FIELDS ? (
        <div class="quiet">and {plural(told.length - MOST_FIELDS, 'field', 'fields')}</div>
      ) : null}
    </>
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
