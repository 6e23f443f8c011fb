/** Begins what an operator asked for. Another process does it, so that no call of the API waits for it. */

import type { ImportJob, JobWork } from '../../../import/jobs/types.ts'
import { askCheck } from '../../../import/jobs/work.ts'
import { run } from '../../../operator/imports.ts'
import { FieldError } from '../../../users/validation.ts'
import { type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { actorOf } from '../frame.tsx'
import { importPath, orFieldError, WHOLE } from './parts.tsx'

/**
 * Begins a check or the import of a file.
 * @returns the way to the page that says how far it is
 * @throws FieldError where it can't be done now
 */
export async function begin(
  context: SignedInContext,
  { id }: Pick<ImportJob, 'id'>,
  work: JobWork,
): Promise<Reply> {
  const { database, imports } = context.application
  if (!imports) {
    const command = `chainkin imports ${work === 'check' ? 'check' : 'run'} ${id}`
    throw new FieldError(WHOLE, `This server starts no other process. Type: ${command}`)
  }
  await orFieldError(() =>
    work === 'check' ? askCheck(database, id) : run(database, actorOf(context), id),
  )
  imports.begin(id)
  return redirect(context.href(importPath(id)))
}
