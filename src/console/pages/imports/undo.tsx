/** @jsxImportSource hono/jsx */
/** `/operator/imports/undo`: asks before a whole import is taken back, which another process does. No code is asked for: what is undone can be done again. */

import type { Form as Fields } from '../../../site/http/form.ts'
import { type FormErrors, fieldText, withFormErrors } from '../../../site/http/form-errors.ts'
import type { Page, Reply } from '../../../site/http/page.ts'
import { QuietLink, Submit } from '../../../site/ui/actions.tsx'
import { Form, problemOf } from '../../../site/ui/form.tsx'
import { Notice } from '../../../site/ui/page-parts.tsx'
import { plural } from '../../../site/ui/text.tsx'
import { type OperatorContext, operatorPage } from '../../ui/frame.tsx'
import { IMPORTS, importPath } from '../../ui/paths.ts'
import { begin } from './import.tsx'
import { isAtWork, jobOf, WHOLE } from './parts.tsx'

export async function undoImportPage(context: OperatorContext, errors?: FormErrors): Promise<Page> {
  const params = errors?.form ?? new URLSearchParams(context.query)
  const job = await jobOf(context, fieldText(params, 'id'))
  const problem = problemOf(errors, WHOLE)
  const { result, change, state } = job
  const isPossible = change !== null && state !== 'undone' && !isAtWork(job)
  return operatorPage(
    context,
    { title: 'Undo an import', heading: `Undo the import of ${job.file}?`, shape: 'text' },
    <>
      {problem ? <Notice tone="warn">{problem}</Notice> : null}
      {isPossible ? (
        <p class="lead">
          {result
            ? `${plural(result.created, 'record', 'records')} that it made ${result.created === 1 ? 'is' : 'are'} deleted, and ${plural(result.updated, 'record', 'records')} that it changed ${result.updated === 1 ? 'is' : 'are'} as before.`
            : 'Every record that it made is deleted, and every one that it changed is as before.'}{' '}
          All of it, or nothing where one of them was changed since.
        </p>
      ) : (
        <p class="lead">
          {isAtWork(job)
            ? 'It is at work: wait for its end.'
            : 'There is nothing to undo: it changed nothing, or was undone.'}
        </p>
      )}
      <p>
        Accounts keep what they paid for: a record that comes back has its unlocks again. This can
        be undone in its turn, for 30 days, in the{' '}
        <a href={context.href('/operator/directory/journal')}>journal</a>.
      </p>
      <Form context={context} action={`${IMPORTS}/undo`}>
        <input type="hidden" name="id" value={job.id} />
        <p class="actions">
          {isPossible ? <Submit tone="danger">Undo this import</Submit> : null}
          <QuietLink href={context.href(importPath(job.id))}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}

/** Begins the undo; the import's page says what comes of it. */
export function undoImport(context: OperatorContext, form: Fields): Promise<Reply> {
  return withFormErrors(
    form,
    (errors) => undoImportPage(context, errors),
    async () => begin(context, await jobOf(context, fieldText(form, 'id')), 'undo'),
  )
}
