/** @jsxImportSource hono/jsx */
/** How far a check, an import or its undo is. */
import type { ImportJob } from '../../../intake/import/jobs/types.ts'
import type { Child } from '../../../site/http/html.ts'
import type { PageContext } from '../../../site/http/page.ts'
import { RowAction } from '../../../site/ui/actions.tsx'
import { figure, plural } from '../../../site/ui/text.tsx'

interface ProgressProps {
  context: PageContext
  job: ImportJob
}

/** The script asks for the page again while it has this part, and browsers without script do. */
export function Progress({ context, job }: ProgressProps) {
  if (job.state === 'undoing') return <UndoUnderWay job={job} />
  const { state, bytes, progress, file } = job
  const read = Math.min(progress?.bytes ?? 0, bytes)
  const verb = state === 'importing' ? 'stored or refused' : 'looked at'
  return (
    <Panel title={state === 'importing' ? 'Being imported' : 'Being checked'}>
      <progress max={Math.max(bytes, 1)} value={read} aria-label={`How much of ${file} was read`}>
        {Math.floor((read / Math.max(bytes, 1)) * 100)} %
      </progress>
      <p role="status">
        {progress
          ? `${figure(progress.rows)} rows ${verb}${progress.waiting > 0 ? `, ${figure(progress.waiting)} without a key wait for the file’s end` : ''}.`
          : 'It begins.'}
      </p>
      <p class="note">
        It goes on when you leave this page, and more slowly while the service answers calls.
      </p>
      <RowAction context={context} action="cancel" id={job.id} label="Cancel" of={file} />
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
