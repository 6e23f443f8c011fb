/** @jsxImportSource hono/jsx */
/** `/operator/imports/columns`: files of sources that were refused for columns that are missing or new, to be mapped or confirmed. */

import { expectField } from '../../../intake/import/jobs/mapping.ts'
import { JobRefused } from '../../../intake/import/jobs/types.ts'
import { columnsOf } from '../../../intake/import/read.ts'
import {
  type ColumnChange,
  changeText,
  confirmedColumns,
  type RefusedColumns,
  refusedColumns,
  refusedText,
} from '../../../intake/import/sources.ts'
import { KINDS, type KindName, NOT_SHOWN } from '../../../intake/import/summary.ts'
import { FieldError } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import {
  type FormErrors,
  fieldText,
  notFound,
  withFormErrors,
} from '../../../site/http/form-errors.ts'
import type { Page, PageContext, Reply, SignedInContext } from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Form } from '../../../site/ui/form.tsx'
import { Notice, Section, Table } from '../../../site/ui/page-parts.tsx'
import { humanize, Moment, shortName } from '../../../site/ui/text.tsx'
import { targetOf } from '../../acts/act.ts'
import { confirmColumns } from '../../acts/imports.ts'
import { answerAct, Said } from '../../ui/acts.tsx'
import { type OperatorContext, operatorPage } from '../../ui/frame.tsx'
import { COLUMNS } from '../../ui/paths.ts'
import { FieldOf, MOST_CHOICES } from './columns.tsx'

interface RefusedProps {
  context: PageContext
  refused: readonly RefusedColumns[]
}

/** A line for each source whose last file was refused for its columns. */
export function RefusedSources({ context, refused }: RefusedProps) {
  return (
    <>
      {refused.map((one) => (
        <Notice tone="bad">
          The last file of the source <bdi>{one.source}</bdi> was refused, because its columns
          changed: {refusedText(one).join('; ')}.{' '}
          <a href={context.href(COLUMNS)}>Say what they mean, or confirm them</a>
        </Notice>
      ))}
    </>
  )
}

export async function sourceColumnsPage(
  context: SignedInContext,
  errors?: FormErrors,
): Promise<Page> {
  const refused = await refusedColumns(context.application.database)
  return operatorPage(
    context,
    { title: 'Columns that changed' },
    <>
      <Said context={context} />
      {refused.length === 0 ? <p class="empty">No file was refused for its columns.</p> : null}
      {refused.map((one, place) => (
        <SourceForm
          context={context}
          place={place}
          refused={one}
          errors={errors?.form.get('source') === one.source ? errors : undefined}
        />
      ))}
    </>,
  )
}

interface SourceFormProps {
  context: PageContext
  place: number
  refused: RefusedColumns
  errors: FormErrors | undefined
}

function SourceForm({ context, place, refused, errors }: SourceFormProps) {
  const { source, at, kinds } = refused
  return (
    <Section id={`source-${place}`} title={source}>
      <p>
        Refused <Moment at={at} /> (UTC). Confirm, and the next file is taken with the columns that
        this one had: fields that it no longer has stay as they are.
      </p>
      <Form context={context} action={COLUMNS} class="decide">
        <input type="hidden" name="source" value={source} />
        <input type="hidden" name="at" value={at} />
        {KINDS.flatMap((kind) => {
          const change = kinds[kind]
          return change ? [<Kind kind={kind} change={change} errors={errors} />] : []
        })}
        <p class="actions">
          <Submit>{confirmColumns.button}</Submit>
        </p>
      </Form>
    </Section>
  )
}

interface KindProps {
  kind: KindName
  change: ColumnChange
  errors: FormErrors | undefined
}

function Kind({ kind, change, errors }: KindProps) {
  const columns = columnsOf(kind)
  return (
    <>
      <p>
        {humanize(kind)}: {changeText(change)}.
      </p>
      {mappable(change).length === 0 ? null : (
        <Table
          label={`New columns of ${kind}`}
          isCards
          columns={['Column', { label: 'Field', card: 'line' }]}
          rows={mappable(change).map((name) => {
            const meaning = columns.meaningOf(name)
            const guess = typeof meaning === 'object' ? meaning.field : null
            const likely = columns.likely(name) ?? null
            return [
              <bdi>{shortName(name)}</bdi>,
              <FieldOf
                kind={kind}
                column={{ name, guess, field: guess, likely }}
                name={columnField(kind, name)}
                isTyped={mappable(change).length > MOST_CHOICES}
                errors={errors}
              />,
            ]
          })}
        />
      )}
    </>
  )
}

const mappable = ({ added }: ColumnChange): string[] => added.filter((name) => name !== NOT_SHOWN)

const columnField = (kind: KindName, column: string) => `${kind}.${column}`

/** Takes the columns of a refused file, with what the form says of them, for the source's own. */
export function confirmSourceColumns(context: OperatorContext, form: Fields): Promise<Reply> {
  return withFormErrors(
    form,
    (errors) => sourceColumnsPage(context, errors),
    async () => {
      const [source, at] = [fieldText(form, 'source'), fieldText(form, 'at')]
      const refused = await refusedColumns(context.application.database)
      const one = refused.find((other) => other.source === source && other.at === at)
      if (!one) throw notFound('refused file')
      const columns = KINDS.flatMap((kind) => {
        const change = one.kinds[kind]
        return change ? [[kind, confirmedColumns(change, targetsIn(form, kind, change))]] : []
      })
      const values = { at, columns: Object.fromEntries(columns) }
      return answerAct(context, confirmColumns, targetOf(confirmColumns, source), values)
    },
  )
}

/** @throws FieldError for a field that the kind doesn't have */
function targetsIn(form: Fields, kind: KindName, change: ColumnChange) {
  const columns = columnsOf(kind)
  return mappable(change).map((column) => {
    const field = columnField(kind, column)
    const target = fieldText(form, field).trim() || null
    try {
      expectField(kind, column, target)
    } catch (error) {
      throw error instanceof JobRefused ? new FieldError(field, error.message) : error
    }
    return { column, target, isSaid: target !== null || columns.isField(column) }
  })
}
