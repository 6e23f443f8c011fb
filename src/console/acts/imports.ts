/**
 * The acts on import jobs, for pages and the command `imports`. `src/intake/import/jobs` reads and changes jobs; `workOn` there does the work that an
 * act asks for.
 */
import type { Actor } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import { uploadedCall, withReason } from '../../intake/import/jobs/store.ts'
import { JobRefused } from '../../intake/import/jobs/types.ts'
import type { FileColumns } from '../../intake/import/sources.ts'
import type { KindName } from '../../intake/import/summary.ts'
import { type Act, perform } from './perform.ts'

const job = (id: string) => ({ kind: 'import', id }) as const
const isDone = () => true

/** Marks an upload as complete. Nothing is done where none is under way. */
export const addImport = (id: string): Act<boolean> => ({
  name: 'import.add',
  to: job(id),
  call: (sql) => uploadedCall(sql, id),
  result: isDone,
})

/** Asks for the import of a job's file, in somebody's name: `workOn` does it. */
export const runImport = (id: string, by: Actor): Act<boolean> => ({
  name: 'import.run',
  to: job(id),
  call: (sql) => sql`import_job_ask(${id}, 'import', ${JSON.stringify(by)}::text::jsonb)`,
  result: isDone,
})

/** Asks for the undo of all that a job's runs changed, in somebody's name: `workOn` does it. */
export const undoImport = (id: string, by: Actor): Act<boolean> => ({
  name: 'import.undo',
  to: job(id),
  call: (sql) => sql`import_job_ask(${id}, 'undo', ${JSON.stringify(by)}::text::jsonb)`,
  result: isDone,
})

/** Stops the work on a job after the batch in hand. Nothing is done where no work is under way. */
export const cancelImport = (id: string): Act<boolean> => ({
  name: 'import.cancel',
  to: job(id),
  call: (sql) => sql`import_job_cancel(${id})`,
  result: isDone,
})

/** Deletes a job and its file; what was imported stays. */
export const deleteImport = (id: string): Act<boolean> => ({
  name: 'import.delete',
  to: job(id),
  call: (sql) => sql`import_job_delete(${id})`,
  result: isDone,
})

/**
 * Takes the columns of a source's refused files for its own. Nothing is done where those of `at` are not its last refused ones any more.
 * @param columns by kind of records, as `import_sources` keeps them
 */
export const confirmColumns = (
  source: string,
  at: string,
  columns: Partial<Record<KindName, FileColumns>>,
): Act<boolean> => ({
  name: 'source.columns',
  to: { kind: 'source', id: source },
  call: (sql) =>
    sql`source_confirm_columns(${source}, ${at}, ${JSON.stringify(columns)}::text::jsonb)`,
  result: isDone,
})

/** Does one of these acts. @throws JobRefused saying why it can't be done */
async function performed(
  database: Database,
  by: Actor,
  act: Act<boolean>,
  nothing = 'there is no such import: it may have been deleted',
): Promise<void> {
  const isOk = await perform(database, by, act).catch(withReason)
  if (!isOk) throw new JobRefused(nothing)
}

/** Marks an upload as complete. @throws JobRefused where the file is empty, or the upload was cancelled */
export const endUpload = (database: Database, by: Actor, id: string) =>
  performed(database, by, addImport(id), 'this upload was cancelled: give the file again')

/** Asks for the import of a job's file. @throws JobRefused where it can't be done now */
export const run = (database: Database, by: Actor, id: string) =>
  performed(database, by, runImport(id, by))

/**
 * Asks for the undo of all that a job's runs changed, as one change, which can be undone in its turn.
 * @throws JobRefused where it changed nothing, was undone or is at work
 */
export const undo = (database: Database, by: Actor, id: string) =>
  performed(database, by, undoImport(id, by))

/**
 * Cancels an upload, a check or an import: it stops after the batch in hand.
 * @throws JobRefused where nothing is under way, or an undo, which is done all at once
 */
export const cancel = (database: Database, by: Actor, id: string) =>
  performed(database, by, cancelImport(id), 'nothing is under way: it has ended already')

/** Deletes a job and its file. @throws JobRefused while it is at work */
export const deleteJob = (database: Database, by: Actor, id: string) =>
  performed(database, by, deleteImport(id))
