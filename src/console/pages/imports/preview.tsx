/** @jsxImportSource hono/jsx */
/** Results of an import, planned or done: counts, reasons, and the first changed values. */
import { whyUnclear } from '../../../intake/import/fields/date-orders.ts'
import type { JobSummary } from '../../../intake/import/jobs/types.ts'
import { oddityText } from '../../../intake/import/questions.ts'
import { areValuesLeftOut, type KindName } from '../../../intake/import/summary.ts'
import { Badge } from '../../../site/ui/badges.tsx'
import { Notice, numbers, Section, Table } from '../../../site/ui/page-parts.tsx'
import { Stats } from '../../../site/ui/stats.tsx'
import { figure, plural, shortName, wordList } from '../../../site/ui/text.tsx'
import { Value } from '../../ui/value.tsx'
import { onPage } from './parts.tsx'

/** Reasons that are shown; the report has every row of all. */
const REASONS = 25
/** Names of columns that are left out. */
const COLUMNS = 20
/** Characters of a value. */
const VALUE = 120

interface CountsProps {
  summary: JobSummary
  /** Whether it was done; else it would be. */
  isDone?: boolean
}

export function Counts({ summary, isDone = false }: CountsProps) {
  const { created, updated, unchanged, refused, warned } = summary
  const counts = [
    { name: isDone ? 'Created' : 'New', value: created },
    { name: 'Changed', value: updated },
    { name: 'The same', value: unchanged },
    { name: 'Refused', value: refused },
    ...(warned > 0
      ? [
          {
            name: areValuesLeftOut(summary) ? 'Without a value' : 'With a warning',
            value: warned,
            note: 'stored all the same',
          },
        ]
      : []),
  ]
  return <Stats stats={counts.map(({ value, ...stat }) => ({ ...stat, value: figure(value) }))} />
}

/** Remarks about an import. */
export function Remarks({ summary }: { summary: JobSummary }) {
  const { erased, pinned, ignoredFields, unclearDates = [], questions = [] } = summary
  return (
    <>
      {unclearDates.map((dates) => (
        <Notice tone="warn">
          {whyUnclear(dates)}.{' '}
          {dates.fitting.length === 0
            ? 'Write them alike in the file, and give it again.'
            : 'Say their order under “What the columns mean”.'}
        </Notice>
      ))}
      {questions.map((question) => (
        <Notice tone="warn">
          {oddityText(question)}.{' '}
          {question.unit
            ? `If they are in ${question.unit.name}, choose “${question.field}, in ${question.unit.name}” under “What the columns mean”.`
            : `If “${shortName(question.column)}” is another column, leave it out under “What the columns mean”.`}
        </Notice>
      ))}
      {erased > 0 ? (
        <p class="note">
          {plural(erased, 'refused row is', 'refused rows are')} of people who were erased at their
          own request. They stay out.
        </p>
      ) : null}
      {pinned > 0 ? (
        <p class="note">
          {plural(pinned, 'value is', 'values are')} not taken, because an operator’s own value is
          kept in {pinned === 1 ? 'its' : 'their'} place.
        </p>
      ) : null}
      {ignoredFields.length > 0 ? (
        <p class="note">
          Columns that are left out: {wordList(ignoredFields.map(shortName), COLUMNS)}.
        </p>
      ) : null}
    </>
  )
}

export function Reasons({ summary: { reasons } }: { summary: JobSummary }) {
  if (reasons.length === 0) return null
  return (
    <Section id="reasons" title="Why rows are refused, and values left out" count={reasons.length}>
      <Table
        label="Reasons, the most frequent first"
        isCards
        columns={[
          { label: 'Reason', card: 'line' },
          'Field',
          'What is left out',
          numbers('Rows'),
          numbers('First row'),
        ]}
        rows={reasons
          .slice(0, REASONS)
          .map(({ reason, field, severity, count, firstRow }) => [
            <bdi>{onPage(reason)}</bdi>,
            field ?? '',
            <Badge tone={severity === 'refused' ? 'bad' : 'warn'}>
              {severity === 'refused' ? 'the row' : field === null ? 'nothing' : 'the value'}
            </Badge>,
            figure(count),
            figure(firstRow),
          ])}
      />
    </Section>
  )
}

export function Differences({ kind, summary }: { kind: KindName; summary: JobSummary }) {
  const { differences = [] } = summary
  if (differences.length === 0) return null
  return (
    <Section id="differences" title="First values that change">
      <Table
        label={`Values of ${kind} that change`}
        isCards
        columns={[
          'Record',
          'Field',
          { label: 'Before', card: 'line' },
          { label: 'After', card: 'line' },
        ]}
        rows={differences.map(({ record, field, before, after }) => [
          <bdi>{record}</bdi>,
          field,
          <Stored value={before} />,
          <Stored value={after} />,
        ])}
      />
    </Section>
  )
}

/** A value as it is stored; of a private channel neither the old one nor the new one is known here. */
function Stored({ value }: { value: unknown }) {
  if (value === undefined) return <span class="quiet">not shown</span>
  return <Value value={value} most={VALUE} />
}
