/** @jsxImportSource hono/jsx */
/** `/operator/imports/:id`: one import, from what its columns mean to what it did. */

import { whyUnclear } from '../../../intake/import/fields/date-orders.ts'
import { reportOf } from '../../../intake/import/jobs/findings.ts'
import { readColumns, setMapping } from '../../../intake/import/jobs/mapping.ts'
import { expectRoom } from '../../../intake/import/jobs/store.ts'
import {
  type ImportJob,
  type JobColumns,
  JobRefused,
  type JobSummary,
} from '../../../intake/import/jobs/types.ts'
import { askCheck } from '../../../intake/import/jobs/work.ts'
import { oddityText } from '../../../intake/import/questions.ts'
import { areValuesLeftOut, type KindName } from '../../../intake/import/summary.ts'
import { FieldError } from '../../../people/users/validation.ts'
import { ASSETS } from '../../../site/http/assets.ts'
import type { FormErrors } from '../../../site/http/form-errors.ts'
import type { Child } from '../../../site/http/html.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../../site/http/page.ts'
import { ownCsvFile } from '../../../site/http/rights.ts'
import { QuietLink, RowAction, Submit } from '../../../site/ui/actions.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { Form } from '../../../site/ui/form.tsx'
import { Notice, numbers, Section } from '../../../site/ui/page-parts.tsx'
import { Stats } from '../../../site/ui/stats.tsx'
import {
  figure,
  humanize,
  Moment,
  plural,
  sentence,
  shortName,
  wordList,
} from '../../../site/ui/text.tsx'
import {
  begin,
  cancelImport,
  deleteImport,
  isAtWork,
  isOpen,
  openJob,
  runImport,
  undoImport,
} from '../../acts/imports.ts'
import { formsOf, Refused, Said } from '../../ui/acts.tsx'
import { ConfirmLink } from '../../ui/confirm-link.tsx'
import { foundById, type OperatorContext, operatorPage } from '../../ui/frame.tsx'
import { List } from '../../ui/lists.tsx'
import { changePath, IMPORTS, importPath } from '../../ui/paths.ts'
import { Value } from '../../ui/value.tsx'
import { ColumnsForm, placeOf, settingsIn } from './columns.tsx'
import { Corrections, keepCorrections, type Shown, shownFindings } from './corrections.tsx'
import { jobOf, onPage, orFieldError, StateBadge, storable } from './parts.tsx'

/** How often a page without script asks again. */
const REFRESH_SECONDS = 5

/** Inputs of an import's page. */
interface Seen {
  context: OperatorContext
  job: ImportJob
  errors: FormErrors | undefined
}

export async function importPage(context: OperatorContext, errors?: FormErrors): Promise<Page> {
  const job = await jobOf(context)
  const seen = { context, job, errors }
  const isWorkedOn = isAtWork(job)
  const columns = isOpen(job) && asksForColumns(seen) ? await columnsOf(seen) : undefined
  const asked = new URLSearchParams(context.query).get('after')
  const shown =
    isOpen(job) && job.preview
      ? await shownFindings(context, job, errors?.form.get('after') ?? asked)
      : undefined
  return operatorPage(
    context,
    {
      title: job.file,
      heading: job.file,
      ...(isWorkedOn && { refreshSeconds: REFRESH_SECONDS }),
    },
    <>
      <Said context={context} />
      <Refused errors={errors} />
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
        <RowAction
          context={context}
          action={deleteImport.name}
          id={job.id}
          label={deleteImport.button}
          of={job.file}
        />
      )}
      <script type="module" src={context.href(ASSETS.imports.path)}></script>
    </>,
  )
}

/** The form of columns is shown before the first check, after a mistake in it, and on request. */
const asksForColumns = ({ context, job, errors }: Seen): boolean =>
  !job.preview ||
  /^(?:map|sheet)$/.test(errors?.form.get('action') ?? '') ||
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

/** Reason why the import doesn't run, and what to do. */
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

/** Notice that the import was undone, with a link to that change. */
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
            <Submit action={runImport.name}>
              {runImport.button} {plural(rows, 'row', 'rows')}
            </Submit>
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
          <ConfirmLink isButton context={context} act={undoImport} on={id}>
            {undoImport.button}
          </ConfirmLink>
        ) : null}
      </p>
      {isOpen(job) ? null : <Reasons summary={result} />}
    </>
  )
}

interface ReportProps {
  context: OperatorContext
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

/** Reasons that are shown; the report has every row of all. */
const REASONS = 25
/** Names of columns that are left out. */
const COLUMNS = 20
/** Characters of a value. */
const VALUE = 120

interface CountsProps {
  summary: JobSummary
  /** True if it was done; else it would be. */
  isDone?: boolean
}

function Counts({ summary, isDone = false }: CountsProps) {
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
function Remarks({ summary }: { summary: JobSummary }) {
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

function Reasons({ summary: { reasons } }: { summary: JobSummary }) {
  if (reasons.length === 0) return null
  return (
    <Section id="reasons" title="Why rows are refused, and values left out" count={reasons.length}>
      <List
        label="Reasons, the most frequent first"
        rows={reasons.slice(0, REASONS)}
        cells={[
          [{ label: 'Reason', card: 'line' }, ({ reason }) => <bdi>{onPage(reason)}</bdi>],
          ['Field', ({ field }) => field ?? ''],
          [
            'What is left out',
            ({ severity, field }) => (
              <Badge tone={severity === 'refused' ? 'bad' : 'warn'}>
                {severity === 'refused' ? 'the row' : field === null ? 'nothing' : 'the value'}
              </Badge>
            ),
          ],
          [numbers('Rows'), ({ count }) => figure(count)],
          [numbers('First row'), ({ firstRow }) => figure(firstRow)],
        ]}
      />
    </Section>
  )
}

function Differences({ kind, summary }: { kind: KindName; summary: JobSummary }) {
  const { differences = [] } = summary
  if (differences.length === 0) return null
  return (
    <Section id="differences" title="First values that change">
      <List
        label={`Values of ${kind} that change`}
        rows={differences}
        cells={[
          ['Record', ({ record }) => <bdi>{record}</bdi>],
          ['Field', ({ field }) => field],
          [{ label: 'Before', card: 'line' }, ({ before }) => <Stored value={before} />],
          [{ label: 'After', card: 'line' }, ({ after }) => <Stored value={after} />],
        ]}
      />
    </Section>
  )
}

/** A value as it is stored; of a private channel neither the old one nor the new one is known here. */
function Stored({ value }: { value: unknown }) {
  if (value === undefined) return <span class="quiet">not shown</span>
  return <Value value={value} most={VALUE} />
}

interface ProgressProps {
  context: PageContext
  job: ImportJob
}

/** The script asks for the page again while it has this part, and browsers without script do. */
function Progress({ context, job }: ProgressProps) {
  if (job.state === 'undoing') return <UndoUnderWay job={job} />
  const { state, bytes, progress, file } = job
  const read = Math.min(progress?.bytes ?? 0, bytes)
  const verb = state === 'importing' ? 'stored or refused' : 'looked at'
  return (
    <Panel title={state === 'importing' ? 'Being imported' : 'Being checked'}>
      <progress max={Math.max(bytes, 1)} value={read} aria-label={`How much of ${file} was read`}>
        {Math.floor((read / Math.max(bytes, 1)) * 100)} %
      </progress>
      <p role="status">{progress ? `${figure(progress.rows)} rows ${verb}.` : 'It begins.'}</p>
      <p class="note">
        It goes on when you leave this page, and more slowly while the service answers calls.
      </p>
      <RowAction
        context={context}
        action={cancelImport.name}
        id={job.id}
        label={cancelImport.button}
        of={file}
      />
    </Panel>
  )
}

/** An undo is one statement: nobody knows how far it is, and it can't be cancelled. */
function UndoUnderWay({ job: { file, result } }: Pick<ProgressProps, 'job'>) {
  const records = result ? result.created + result.updated : undefined
  return (
    <Panel title="Being undone">
      <progress aria-label={`The undo of ${file} is under way`} />
      <p role="status">
        {records === undefined ? 'All' : plural(records, 'record', 'records')} that it changed, at
        once.
      </p>
      <p class="note">It goes on when you leave this page. Until its end nothing is changed.</p>
    </Panel>
  )
}

function Panel({ title, children }: { title: string; children: Child }) {
  return (
    <section class="panel" id="progress" aria-labelledby="progress-heading">
      <h2 id="progress-heading">{title}</h2>
      {children}
    </section>
  )
}

export async function reportFile(context: OperatorContext): Promise<Response> {
  const job = await jobOf(context, new URLSearchParams(context.query).get('id') ?? '')
  const lines = reportOf(context.application.database, job)
  return ownCsvFile(context, 'import-report', lines, ({ user }) => user.isOperator)
}

/** Names of a hundred columns, or cells of 25 rows. */
export const MAX_IMPORT_FORM_BYTES = 256 * 1024

/** The import that a form of its own page changes. @throws FieldError where that is out of date */
async function openJobOf({ application, id }: OperatorContext): Promise<ImportJob> {
  return foundById('import', id, (known) =>
    orFieldError(() => openJob(application.database, known)),
  )
}

/** Begins a check, which changes nothing. @throws FieldError where it can't be done now */
async function check(context: OperatorContext, { id }: ImportJob): Promise<Reply> {
  const { database } = context.application
  const { desk, imports } = context.console
  await orFieldError(() =>
    begin({ imports }, 'check', id, async () => {
      await expectRoom(desk.beside)
      await askCheck(database, id)
      return true
    }),
  )
  return redirect(context.href(importPath(id)))
}

/** Forms that are no acts: nothing is imported by them. */
export const changeImport = formsOf('import', importPage, {
  /** Chooses the sheet of a workbook, whose columns get new meanings. */
  async sheet(context, form) {
    const job = await openJobOf(context)
    const sheet = form.get('sheet') ?? undefined
    await orFieldError(
      () => setMapping(context.application.database, job, { ...job.settings, map: {}, sheet }),
      () => 'sheet',
    )
    return redirect(context.href(`${importPath(job.id)}?columns=1#columns`))
  },

  /** Says what the columns mean, and checks the file. */
  async map(context, form) {
    const job = await openJobOf(context)
    const { database } = context.application
    const { sheet } = job.settings
    const found = await orFieldError(() => readColumns(database, job, job.settings))
    await orFieldError(
      () => setMapping(database, job, { ...settingsIn(form, found), sheet }),
      (of) => placeOf(of, found),
    )
    return check(context, job)
  },

  check: async (context) => check(context, await jobOf(context)),

  /** Corrects cells, and checks the file. */
  async correct(context, form) {
    const job = await openJobOf(context)
    if ((await keepCorrections(context, job, form)) === 0 && job.isPreviewCurrent)
      throw new FieldError('', 'Nothing was corrected.')
    return check(context, job)
  },
})
