/** Begins what an operator asked for. Another process does it, so that no call of the API waits for it. */
import { expectRoom } from '../../../intake/import/jobs/store.ts'
import type { ImportJob, JobWork } from '../../../intake/import/jobs/types.ts'
import { askCheck } from '../../../intake/import/jobs/work.ts'
import { FieldError } from '../../../people/users/validation.ts'
import { type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { run, undo } from '../../acts/imports.ts'
import { actorOf } from '../../ui/frame.tsx'
import { importPath } from '../../ui/paths.ts'
import { orFieldError, WHOLE } from './parts.tsx'

const COMMANDS: Readonly<Record<JobWork, string>> = { check: 'check', import: 'run', undo: 'undo' }

/**
 * Begins a check, the import of a file, or its undo.
 * @returns the way to the page that says how far it is
 * @throws FieldError where it can't be done now
 */
export async function begin(
  context: SignedInContext,
  { id }: Pick<ImportJob, 'id'>,
  work: JobWork,
): Promise<Reply> {
  const { database, desk, imports } = context.application
  if (!imports) {
    const command = `chainkin imports ${COMMANDS[work]} ${id}`
    throw new FieldError(WHOLE, `This server starts no other process. Type: ${command}`)
  }
  await orFieldError(async () => {
    // An undo comes through in any case: it may be what makes room.
    if (work !== 'undo') await expectRoom(desk.beside)
    if (work === 'check') return askCheck(database, id)
    return (work === 'import' ? run : undo)(database, actorOf(context), id)
  })
  imports.begin(id)
  return redirect(context.href(importPath(id)))
}
