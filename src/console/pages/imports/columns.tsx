/** @jsxImportSource hono/jsx */
/** The form in which an operator maps the columns of a file to fields, and how its answer is read. */
import { targetOf, targetText } from '../../../intake/import/column-meanings.ts'
import { DATE_ORDERS, type DateOrder } from '../../../intake/import/fields/date-orders.ts'
import type {
  ImportJob,
  JobColumn,
  JobColumns,
  JobSettings,
} from '../../../intake/import/jobs/types.ts'
import { FIELDS } from '../../../intake/import/kinds.ts'
import { UNITS } from '../../../intake/import/questions.ts'
import type { KindName } from '../../../intake/import/summary.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import type { FormErrors } from '../../../site/http/form-errors.ts'
import type { PageContext } from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Field, Form, Problem, problemOf, Select } from '../../../site/ui/form.tsx'
import { Notice, Section, Table } from '../../../site/ui/page-parts.tsx'
import { shortName } from '../../../site/ui/text.tsx'
import { importPath } from '../../ui/paths.ts'

/** Files with more columns have fields to type in: so many choices would make a page of a hundred kilobytes. */
export const MOST_CHOICES = 25

/** Fields for which one value may stand in every row, and the choices that there are. */
const FILLED: Readonly<Record<KindName, readonly string[]>> = {
  companies: ['companyType'],
  people: ['contactType'],
  rounds: ['roundType'],
}

const ORDERS: Readonly<Record<DateOrder, string>> = {
  dmy: 'day first: 3/5/24 is the 3rd of May',
  mdy: 'month first: 3/5/24 is the 5th of March',
  ymd: 'year first: 24/5/3 is the 3rd of May',
}

interface ColumnsFormProps {
  context: PageContext
  job: ImportJob
  found: JobColumns
  errors: FormErrors | undefined
}

export function ColumnsForm({ context, job, found, errors }: ColumnsFormProps) {
  const { kind, settings } = job
  const { columns, clashes } = found
  const isTyped = columns.length > MOST_CHOICES
  if (columns.length === 0) {
    return (
      <Section id="columns" title="What the columns mean">
        <Notice tone="warn">This sheet has no table: choose another.</Notice>
        <SheetForm context={context} job={job} found={found} errors={errors} />
      </Section>
    )
  }
  return (
    <Section id="columns" title="What the columns mean">
      <SheetForm context={context} job={job} found={found} errors={errors} />
      <Missing kind={kind} found={found} />
      {clashes.map(({ field, columns: [one, other] }) => (
        <Notice tone="warn">
          “{shortName(one ?? '')}” and “{shortName(other ?? '')}” both mean {field}: choose another
          field for one, or leave it out.
        </Notice>
      ))}
      <Form context={context} action={importPath(job.id)} class="decide">
        <Table
          label="Columns"
          isCards
          columns={[
            'Column',
            { label: 'First values', card: 'line' },
            { label: 'Field', card: 'line' },
          ]}
          rows={columns.map((column, i) => [
            <bdi>{shortName(column.name)}</bdi>,
            <bdi class="quiet">{column.values.join(' · ')}</bdi>,
            <FieldOf
              kind={kind}
              column={column}
              name={columnField(i)}
              isTyped={isTyped}
              errors={errors}
            />,
          ])}
        />
        {isTyped ? (
          <datalist id="fields">
            {Object.keys(FIELDS[kind]).map((field) => (
              <option value={field} />
            ))}
          </datalist>
        ) : null}
        <div class="form">
          {filledOf(kind, found, settings).map((field) => (
            <Fill kind={kind} field={field} value={settings.fill[field]} errors={errors} />
          ))}
          <Select
            name="dateOrder"
            label="Dates like 3/5/24"
            none="are refused where they read two ways"
            options={DATE_ORDERS.map((order) => ({ value: order, label: ORDERS[order] }))}
            chosen={errors?.form.get('dateOrder') ?? settings.dateOrder}
            errors={errors}
          />
        </div>
        <p class="actions">
          <Submit action="map">Check the file</Submit>
        </p>
        <p class="note">The check changes nothing: it says what the import would do.</p>
      </Form>
    </Section>
  )
}

/** The choice among the sheets of a workbook. */
function SheetForm({ context, job, found: { sheet }, errors }: ColumnsFormProps) {
  if (!sheet || sheet.names.length < 2) return null
  return (
    <Form context={context} action={importPath(job.id)} class="form">
      <Select
        name="sheet"
        label="Sheet of the workbook"
        options={sheet.names.map((name) => ({ value: name, label: shortName(name) }))}
        chosen={sheet.name}
        errors={errors}
      />
      <p class="actions">
        <Submit action="sheet" tone="quiet">
          Read this sheet
        </Submit>
      </p>
    </Form>
  )
}

function Missing({ kind, found: { missing } }: { kind: KindName; found: JobColumns }) {
  if (missing.length === 0) return null
  return (
    <Notice tone="warn">
      No column means {missing.join(' or ')}, which a new record needs: rows of {kind} that the
      directory doesn’t have yet would be refused.
    </Notice>
  )
}

interface FieldOfProps {
  kind: KindName
  column: Pick<JobColumn, 'name' | 'guess' | 'field' | 'factor' | 'likely'>
  name: string
  isTyped: boolean
  errors: FormErrors | undefined
}

/** The choice of a column's field. The guessed field comes first. */
export function FieldOf({ kind, column, name, isTyped, errors }: FieldOfProps) {
  const { field: meant, factor } = column
  const target = meant === null ? '' : targetText({ field: meant, factor })
  const chosen = errors?.form.get(name) ?? target
  const described = {
    'aria-label': `Field of “${shortName(column.name)}”`,
    'aria-invalid': problemOf(errors, name) && 'true',
    'aria-describedby': problemOf(errors, name) && `field-${name}-problem`,
  } as const
  if (isTyped) {
    return (
      <>
        <input
          name={name}
          value={chosen}
          list="fields"
          placeholder="left out"
          autocomplete="off"
          {...described}
        />
        <Problem name={name} errors={errors} />
      </>
    )
  }
  const likely = column.guess ?? column.likely
  const others = Object.entries(FIELDS[kind]).filter(([field]) => field !== likely)
  const option = (field: string, text = field) => (
    <option value={field} selected={field === chosen}>
      {text}
    </option>
  )
  return (
    <>
      <select name={name} {...described}>
        {likely === null
          ? null
          : option(likely, `${likely} (${column.guess ? 'by its name' : 'perhaps'})`)}
        <option value="" selected={chosen === ''}>
          Leave out
        </option>
        <optgroup label="Fields">
          {others.filter(([, { isPrivate }]) => !isPrivate).map(([field]) => option(field))}
        </optgroup>
        <Units kind={kind} chosen={chosen} />
        {others.some(([, { isPrivate }]) => isPrivate) ? (
          <optgroup label="Private channels">
            {others.filter(([, { isPrivate }]) => isPrivate).map(([field]) => option(field))}
          </optgroup>
        ) : null}
      </select>
      <Problem name={name} errors={errors} />
    </>
  )
}

/** The choices of fields whose numbers the file has in another unit. */
function Units({ kind, chosen }: { kind: KindName; chosen: string }) {
  const offered = Object.entries(FIELDS[kind]).flatMap(([field, { doubt }]) =>
    doubt?.hasUnit ? UNITS.map(({ factor }) => targetText({ field, factor })) : [],
  )
  const { factor } = targetOf(chosen)
  const targets = factor === undefined ? offered : [...new Set([...offered, chosen])]
  if (targets.length === 0) return null
  return (
    <optgroup label="Fields in another unit">
      {targets.map((target) => (
        <option value={target} selected={target === chosen}>
          {unitText(target)}
        </option>
      ))}
    </optgroup>
  )
}

/** `amountUsd, in millions` */
function unitText(target: string): string {
  const { field, factor = 1 } = targetOf(target)
  const unit = UNITS.find((one) => one.factor === factor)
  if (factor === 1) return `${field}, as it stands`
  return unit ? `${field}, in ${unit.name}` : `${field}, times ${factor}`
}

interface FillProps {
  kind: KindName
  field: string
  value: string | undefined
  errors: FormErrors | undefined
}

/** The input for a value that fills blank cells of a field: a choice where few values are allowed. */
function Fill({ kind, field, value, errors }: FillProps) {
  const name = fillField(field)
  const label = `${field} of rows that have none`
  const choices = FIELDS[kind][field]?.type.split(', ') ?? []
  if (choices.length === 1) {
    return <Field isOptional name={name} label={label} value={value} errors={errors} />
  }
  return (
    <Select
      name={name}
      label={label}
      none="Nothing"
      options={choices.map((choice) => ({ value: choice, label: choice }))}
      chosen={errors?.form.get(name) ?? value}
      errors={errors}
    />
  )
}

/** Fields that are asked for: those that can be filled and that no column means, and those that were. */
function filledOf(kind: KindName, { columns }: JobColumns, { fill }: JobSettings): string[] {
  const open = FILLED[kind].filter((field) => !columns.some((column) => column.field === field))
  return [...new Set([...open, ...Object.keys(fill)])]
}

const columnField = (place: number) => `column.${place}`
const fillField = (field: string) => `fill.${field}`

/** Reads the settings from the form. */
export function settingsIn(form: Fields, { columns }: JobColumns): JobSettings {
  const map = columns.flatMap(({ name }, i) => {
    const chosen = form.get(columnField(i))?.trim()
    return chosen === undefined ? [] : [[name, chosen === '' ? null : chosen] as const]
  })
  const fill = [...form].flatMap(([name, value]) =>
    name.startsWith(fillField('')) && value.trim() !== ''
      ? [[name.slice(fillField('').length), value.trim()] as const]
      : [],
  )
  const dateOrder = form.get('dateOrder')
  return {
    map: Object.fromEntries(map),
    fill: Object.fromEntries(fill),
    ...(dateOrder && { dateOrder: dateOrder as DateOrder }),
  }
}

/** The field of the form that stands for a column, a filled field or a setting. */
export function placeOf(of: string | undefined, { columns }: JobColumns): string | undefined {
  if (of === undefined || of === 'dateOrder') return of
  const place = columns.findIndex(({ name }) => name === of)
  return place < 0 ? fillField(of) : columnField(place)
}
