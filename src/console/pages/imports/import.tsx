/** @jsxImportSource hono/jsx */
/** `/operator/imports/:id`: one import, from what its columns mean to what it did. */

import { readColumns } from '../../../intake/import/jobs/mapping.ts'
import {
  type ImportJob,
  type JobColumns,
  JobRefused,
  type JobSummary,
} from '../../../intake/import/jobs/types.ts'
import { ASSETS } from '../../../site/http/assets.ts'
import type { FormErrors } from '../../../site/http/form-errors.ts'
import type { Page, SignedInContext } from '../../../site/http/page.ts'
import { QuietLink, RowAction, Submit } from '../../../site/ui/actions.tsx'
import { Form, problemOf } from '../../../site/ui/form.tsx'
import { Flash, Notice } from '../../../site/ui/page-parts.tsx'
import { humanize, Moment, plural, sentence } from '../../../site/ui/text.tsx'
import { operatorPage } from '../../ui/frame.tsx'
import { changePath, IMPORTS, importPath, undoImportPath } from '../../ui/paths.ts'
import { ColumnsForm } from './columns.tsx'
import { Corrections, type Shown, shownFindings } from './corrections.tsx'
import { isAtWork, isOpen, jobOf, StateBadge, storable, WHOLE } from './parts.tsx'
import { Counts, Differences, Reasons, Remarks } from './preview.tsx'
import { Progress } from './progress.tsx'

const MESSAGES = { cancelled: 'It stops when the rows that it has in hand are done.' }

/** How often a page without script asks again. */
const REFRESH_SECONDS = 5

/** Inputs of an import's page. */
interface Seen {
  context: SignedInContext
  job: ImportJob
  errors: FormErrors | undefined
}

export async function importPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const job = await jobOf(context)
  const seen = { context, job, errors }
  const isWorkedOn = isAtWork(job)
  const columns = isOpen(job) && asksForColumns(seen) ? await columnsOf(seen) : undefined
  const asked = new URLSearchParams(context.query).get('after')
  const shown =
    isOpen(job) && job.preview
      ? await shownFindings(context, job, errors?.form.get('after') ?? asked)
      : undefined
  const problem = problemOf(errors, WHOLE)
  return operatorPage(
    context,
    {
      title: job.file,
      heading: job.file,
      ...(isWorkedOn && { refreshSeconds: REFRESH_SECONDS }),
    },
    <>
      <Flash context={context} messages={MESSAGES} />
      {problem ? <Notice tone="warn">{problem}</Notice> : null}
      <p class="lead">
        {humanize(job.kind)}, <StateBadge job={job} /> given by <bdi>{job.addedBy}</bdi> on{' '}
        <Moment at={job.addedAt} /> (UTC).
      </p>
      {isWorkedOn ? <Progress context={context} job={job} /> : null}
      <Stopped job={job} />
      <Undone context={context} job={job} />
      {isOpen(job) ? (
        <>
          <Preview {...seen} shown={shown} />
          {typeof columns === 'string' ? <Notice tone="bad">{columns}</Notice> : null}
          {typeof columns === 'object' ? (
            <ColumnsForm context={context} job={job} found={columns} errors={errors} />
          ) : null}
        </>
      ) : null}
      {isWorkedOn ? null : <Outcome {...seen} />}
      {isWorkedOn || job.state === 'uploading' ? null : (
        <RowAction context={context} action="delete" id={job.id} label="Delete" of={job.file} />
      )}
      <script type="module" src={context.href(ASSETS.imports.path)}></script>
    </>,
  )
}

/** The form of columns is shown before the first check, after a mistake in it, and on request. */
const asksForColumns = ({ context, job, errors }: Seen): boolean =>
  !job.preview ||
  errors?.form.get('action') === 'map' ||
  new URLSearchParams(context.query).has('columns')

/** @returns why the file can't be read, where it can't */
async function columnsOf({ context, job }: Seen): Promise<JobColumns | string> {
  try {
    return await readColumns(context.application.database, job, job.settings)
  } catch (error) {
    if (error instanceof JobRefused) return sentence(error.message)
    throw error
  }
}

/** Why it is not under way, and what to do. */
function Stopped({ job: { state, stopped, hasFile, result } }: { job: ImportJob }) {
  if (state === 'uploading') {
    return (
      <Notice tone="warn">
        The file is still on its way, or the upload broke off. What doesn’t come whole is deleted
        after ten minutes: give it again.
      </Notice>
    )
  }
  return (
    <>
      {stopped ? (
        <Notice tone="bad">
          The {stopped.work} stopped: {sentence(stopped.reason)}{' '}
          {stopped.work === 'import' && result
            ? `${plural(storable(result), 'row was', 'rows were')} taken in and stay. Import again: what is stored counts as the same.`
            : ''}
        </Notice>
      ) : null}
      {!hasFile && stopped?.work !== 'undo' && /^(waiting|checked|stopped)$/.test(state) ? (
        <Notice tone="warn">Its file is gone, as files are kept for 7 days. Give it again.</Notice>
      ) : null}
    </>
  )
}

/** That it was taken back, and by what. */
function Undone({ context, job: { state, undone } }: Omit<Seen, 'errors'>) {
  if (state !== 'undone') return null
  return (
    <Notice tone="good">
      The import is undone: every record that it touched is as it was before.
      {undone ? (
        <>
          {' '}
          By <bdi>{undone.who}</bdi>:{' '}
          <a href={context.href(changePath(undone.change))}>the change in the journal</a>, which can
          be undone too.
        </>
      ) : null}
    </Notice>
  )
}

/** Preview of the import, with the button that starts it. */
function Preview({ context, job, errors, shown }: Seen & { shown: Shown | undefined }) {
  const { preview, isPreviewCurrent, kind, id, endedAt } = job
  if (!preview) return null
  const rows = storable(preview)
  return (
    <>
      {isPreviewCurrent ? null : (
        <Notice tone="warn">
          Since it was checked, the file was corrected, its columns were given another meaning, or a
          person was erased: check it again.
        </Notice>
      )}
      <Counts summary={preview} />
      <Remarks summary={preview} />
      <Form context={context} action={importPath(id)} class="inline">
        <input type="hidden" name="checked" value={endedAt ?? ''} />
        <p class="actions">
          {isPreviewCurrent && rows > 0 ? (
            <Submit action="run">Import {plural(rows, 'row', 'rows')}</Submit>
          ) : null}
          <Submit action="check" tone={isPreviewCurrent ? 'quiet' : undefined}>
            Check again
          </Submit>
          <QuietLink href={context.href(`${importPath(id)}?columns=1#columns`)}>
            What the columns mean
          </QuietLink>
          <Report context={context} job={job} summary={preview} />
        </p>
      </Form>
      <Reasons summary={preview} />
      {shown ? <Corrections context={context} job={job} shown={shown} errors={errors} /> : null}
      <Differences kind={kind} summary={preview} />
    </>
  )
}

/** Results of the import. */
function Outcome({ context, job }: Seen) {
  const { result, state, change, id, endedAt, runBy } = job
  if (!result) return null
  return (
    <>
      {endedAt && runBy ? (
        <p>
          Imported by <bdi>{runBy}</bdi>, <Moment at={endedAt} /> (UTC).
        </p>
      ) : null}
      <Counts isDone summary={result} />
      <Remarks summary={result} />
      <p class="actions">
        {isOpen(job) && job.preview ? null : (
          <Report context={context} job={job} summary={result} />
        )}
        {change !== null && state !== 'undone' ? (
          <QuietLink href={context.href(undoImportPath(id))}>Undo this import</QuietLink>
        ) : null}
      </p>
      {isOpen(job) ? null : <Reasons summary={result} />}
    </>
  )
}

interface ReportProps {
  context: SignedInContext
  job: ImportJob
  /** Summary of the last check or import, which has the report. */
  summary: JobSummary
}

function Report({ context, job: { id }, summary: { refused, warned } }: ReportProps) {
  if (refused + warned === 0) return null
  return (
    <QuietLink href={context.href(`${IMPORTS}/report.csv?id=${id}`)}>
      Download what is left out (CSV)
    </QuietLink>
  )
}
