/** @jsxImportSource hono/jsx */
/** How far a check or an import is. */
import type { ImportJob } from '../../../import/jobs/types.ts'
import { RowAction } from '../../components/actions.tsx'
import { figure } from '../../components/text.tsx'
import type { PageContext } from '../../http/page.ts'

/** The script asks for the page again while it has this part, and browsers without script do. */
export function Progress({ context, job }: { context: PageContext; job: ImportJob }) {
  const { state, bytes, progress, file } = job
  const read = Math.min(progress?.bytes ?? 0, bytes)
  const verb = state === 'importing' ? 'stored or refused' : 'looked at'
  return (
    <section class="panel" id="progress" aria-labelledby="progress-heading">
      <h2 id="progress-heading">{state === 'importing' ? 'Being imported' : 'Being checked'}</h2>
      <progress max={Math.max(bytes, 1)} value={read} aria-label={`How much of ${file} was read`}>
        {Math.floor((read / Math.max(bytes, 1)) * 100)} %
      </progress>
      <p role="status">
        {progress
          ? `${figure(progress.rows)} rows ${verb}${progress.waiting > 0 ? `, ${figure(progress.waiting)} without a key wait for the file’s end` : ''}.`
          : 'It begins.'}
      </p>
      <p class="note">It goes on when you leave this page.</p>
      <RowAction context={context} action="cancel" id={job.id} label="Cancel" of={file} />
    </section>
  )
}
