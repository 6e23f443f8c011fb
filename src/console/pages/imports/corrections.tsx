/** @jsxImportSource hono/jsx */
/** Refused rows and values that were left out, each with a field to correct it in place, beside its reason. */
import { isWhole } from '../../../intake/import/findings.ts'
import { correct, readFindings } from '../../../intake/import/jobs/findings.ts'
import type { ImportJob, JobFinding } from '../../../intake/import/jobs/types.ts'
import { FieldError, refuseAll } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import type { FormErrors } from '../../../site/http/form-errors.ts'
import type { PageContext, SignedInContext } from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { Form, Problem, problemOf } from '../../../site/ui/form.tsx'
import { Section, Table } from '../../../site/ui/page-parts.tsx'
import { figure } from '../../../site/ui/text.tsx'
import { importPath } from '../../ui/paths.ts'
import { onPage, orFieldError } from './parts.tsx'

/** Findings on a page, and so in its form. */
const LIMIT = 25

/** Findings that a page shows. */
export interface Shown {
  findings: readonly JobFinding[]
  /** The place behind which it begins. */
  after: number
  hasMore: boolean
}

/** Findings behind a place, those of refused rows first where it is the beginning. @param after as the page or its form says */
export async function shownFindings(
  { application: { database } }: SignedInContext,
  job: ImportJob,
  after: string | null,
): Promise<Shown> {
  const from = after !== null && /^\d{1,9}$/.test(after) ? Number(after) : 0
  const findings = await readFindings(database, job, { after: from, limit: LIMIT + 1 })
  return { findings: findings.slice(0, LIMIT), after: from, hasMore: findings.length > LIMIT }
}

interface CorrectionsProps {
  context: PageContext
  job: ImportJob
  shown: Shown
  errors: FormErrors | undefined
}

export function Corrections({ context, job, shown, errors }: CorrectionsProps) {
  const { findings, after, hasMore } = shown
  if (findings.length === 0) return null
  const path = importPath(job.id)
  return (
    <Section id="rows" title="Rows to correct">
      <p class="note">
        What you write here stands in for what the file has, for this import alone. Rows that stay
        as they are stay out.
      </p>
      <Form context={context} action={path} class="decide">
        <input type="hidden" name="after" value={String(after)} />
        <Table
          label="Rows to correct"
          isCards
          columns={[
            'Row',
            'Field',
            { label: 'Reason', card: 'line' },
            { label: 'Value', card: 'line' },
          ]}
          rows={findings.map((finding) => [
            <>
              {figure(finding.row)} <bdi>{finding.label ?? ''}</bdi>
            </>,
            <>
              {finding.field ?? ''}{' '}
              {finding.severity === 'warning' ? (
                <Badge tone="warn">{finding.field === null ? 'warning' : 'value left out'}</Badge>
              ) : null}
            </>,
            <bdi>{onPage(finding.reason)}</bdi>,
            <Cell finding={finding} errors={errors} />,
          ])}
        />
        <p class="actions">
          <Submit action="correct">Save and check again</Submit>
        </p>
      </Form>
      {hasMore || after > 0 ? (
        <p class="beside">
          {after > 0 ? <a href={context.href(`${path}#rows`)}>First rows</a> : null}{' '}
          {hasMore ? (
            <a href={context.href(`${path}?after=${findings.at(-1)?.place}#rows`)}>Further rows</a>
          ) : null}
        </p>
      ) : null}
    </Section>
  )
}

/** The field of one cell. A row that is at fault as a whole has none: the reason says what to do in the file. */
function Cell({ finding, errors }: { finding: JobFinding; errors: FormErrors | undefined }) {
  const { field, row, label, isPrivate, value } = finding
  if (field === null) return <>{value ?? ''}</>
  const name = cellName(finding)
  const problem = problemOf(errors, name)
  return (
    <>
      <input
        name={name}
        value={errors?.form.get(name) ?? cellText(finding)}
        placeholder={isPrivate ? 'private: not shown' : (value ?? undefined)}
        autocomplete="off"
        aria-label={`${field} of row ${row}${label ? `, ${label}` : ''}`}
        aria-invalid={problem && 'true'}
        aria-describedby={problem && `field-${name}-problem`}
      />
      <Problem name={name} errors={errors} />
    </>
  )
}

/** By row and field, which stay the same in the next check. */
const cellName = ({ row, field }: JobFinding) => `cell.${row}.${field}`

/**
 * Content of a cell's field: its correction, or the file's value. Empty for a private channel and for a value that isn't shown
 * whole, because a part of it would be stored in its place. On one line, as browsers send it back, so that an untouched cell is
 * no correction.
 */
const cellText = ({ isPrivate, corrections, field, value }: JobFinding): string =>
  isPrivate || field === null
    ? ''
    : onOneLine(corrections[field] ?? (value !== null && isWhole(value) ? value : ''))

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/**
 * Keeps what a form says of the cells that its page showed. One that was left as it is stays so, and an empty one of a private
 * channel.
 * @returns how many cells were corrected
 * @throws FieldError beside each value that can't be stored; the others are kept
 */
export async function keepCorrections(
  context: SignedInContext,
  job: ImportJob,
  form: Fields,
): Promise<number> {
  const { findings } = await shownFindings(context, job, form.get('after'))
  const refused: FieldError[] = []
  let corrected = 0
  for (const finding of findings) {
    const { row, field } = finding
    const values = form.getAll(cellName(finding)).map(onOneLine)
    const value = values.find((one) => one !== cellText(finding))
    if (field === null || value === undefined) continue
    try {
      await orFieldError(
        () => correct(context.application.database, job, { row, field, value }),
        (of) => (of === undefined ? undefined : cellName(finding)),
      )
      corrected++
    } catch (error) {
      if (!(error instanceof FieldError)) throw error
      refused.push(error)
    }
  }
  refuseAll(refused)
  return corrected
}
