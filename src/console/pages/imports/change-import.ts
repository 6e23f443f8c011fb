/** Actions of the forms on an import's page. */
import { readColumns, setMapping } from '../../../intake/import/jobs/mapping.ts'
import type { ImportJob } from '../../../intake/import/jobs/types.ts'
import { FieldError } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import { runAction } from '../../../site/http/form-errors.ts'
import { type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { cancel, deleteJob } from '../../acts/imports.ts'
import { actorOf } from '../../ui/frame.tsx'
import { IMPORTS, importPath } from '../../ui/paths.ts'
import { begin } from './begin.ts'
import { placeOf, settingsIn } from './columns.tsx'
import { keepCorrections } from './corrections.tsx'
import { importPage } from './import.tsx'
import { isAtWork, isOpen, jobOf, orFieldError, WHOLE } from './parts.tsx'

/** Names of a hundred columns, or cells of 25 rows. */
export const MAX_IMPORT_FORM_BYTES = 256 * 1024

export function changeImport(context: SignedInContext, form: Fields): Promise<Reply> {
  return runAction(ACTIONS, context, form, importPage)
}

/** The import that a form of its own page changes. @throws FieldError where that is out of date */
async function openJob(context: SignedInContext): Promise<ImportJob> {
  const job = await jobOf(context)
  if (isOpen(job)) return job
  const { state } = job
  const done = state === 'ended' || state === 'undone' ? 'It was imported, and its' : 'Its'
  throw new FieldError(
    WHOLE,
    isAtWork(job) ? 'It is at work: wait for its end.' : `${done} file is gone. Give it again.`,
  )
}

const ACTIONS = {
  /** Says what the columns mean, and checks the file. */
  async map(context: SignedInContext, form: Fields): Promise<Reply> {
    const job = await openJob(context)
    const { database } = context.application
    const found = await orFieldError(() => readColumns(database, job, job.settings))
    await orFieldError(
      () => setMapping(database, job, settingsIn(form, found)),
      (of) => placeOf(of, found),
    )
    return begin(context, job, 'check')
  },

  async check(context: SignedInContext): Promise<Reply> {
    return begin(context, await jobOf(context), 'check')
  },

  /** Corrects cells, and checks the file. */
  async correct(context: SignedInContext, form: Fields): Promise<Reply> {
    const job = await openJob(context)
    if ((await keepCorrections(context, job, form)) === 0 && job.isPreviewCurrent) {
      throw new FieldError(WHOLE, 'Nothing was corrected.')
    }
    return begin(context, job, 'check')
  },

  async run(context: SignedInContext, form: Fields): Promise<Reply> {
    const job = await openJob(context)
    if (!job.isPreviewCurrent) {
      throw new FieldError(WHOLE, 'It changed since it was checked. Check it again before.')
    }
    // A second operator may have changed the columns since the form was shown.
    if (form.get('checked') !== job.endedAt) {
      const reason =
        'It was checked again since you saw what it would do. This is what it would do now.'
      throw new FieldError(WHOLE, reason)
    }
    return begin(context, job, 'import')
  },

  async cancel(context: SignedInContext): Promise<Reply> {
    const job = await jobOf(context)
    await orFieldError(() => cancel(context.application.database, actorOf(context), job.id))
    return redirect(context.href(`${importPath(job.id)}?said=cancelled`))
  },

  async delete(context: SignedInContext): Promise<Reply> {
    const { id } = await jobOf(context)
    await orFieldError(() => deleteJob(context.application.database, actorOf(context), id))
    return redirect(context.href(`${IMPORTS}?said=deleted`))
  },
}
