/** Acts on import jobs. `src/intake/import/jobs` reads and changes jobs; `workOn` there does the work that an act asks for. */
import type { Actor } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import { expectRoom, readJob, uploadedCall } from '../../intake/import/jobs/store.ts'
import type { ImportJob } from '../../intake/import/jobs/types.ts'
import type { FileColumns } from '../../intake/import/sources.ts'
import type { KindName } from '../../intake/import/summary.ts'
import { ActRefused, act, done, given, hidden, type Resources } from './act.ts'
import { perform } from './perform.ts'

const JOB = { subject: 'import', noun: 'import', fields: {} } as const

/** Marks an upload as complete. */
export const addImport = act({
  ...JOB,
  name: 'import.add',
  button: 'Upload',
  statement: ({ id }) => done((sql) => uploadedCall(sql, id)),
})

/** True if a job's file can be mapped, corrected and imported. */
export const isOpen = ({ state, hasFile }: ImportJob): boolean =>
  hasFile && (state === 'waiting' || state === 'checked' || state === 'stopped')

/** True if a process works on it, or was asked to. */
export const isAtWork = ({ state }: ImportJob): boolean =>
  state === 'checking' || state === 'importing' || state === 'undoing'

/** A job whose file can be worked on. @returns undefined where there is none @throws ActRefused where the page is out of date */
export async function openJob(database: Database, id: string): Promise<ImportJob | undefined> {
  const job = await readJob(database, id)
  if (!job || isOpen(job)) return job
  if (isAtWork(job)) throw new ActRefused('it is at work: wait for its end')
  const isOver = job.state === 'ended' || job.state === 'undone'
  throw new ActRefused(`${isOver ? 'it was imported, and its' : 'its'} file is gone. Give it again`)
}

/** Begins the work on a job in another process. @param ask notes what is to be done @throws ActRefused where this process starts none */
export async function begin<T>(
  { imports }: Pick<Resources, 'imports'>,
  command: string,
  id: string,
  ask: () => Promise<T>,
): Promise<T> {
  if (!imports)
    throw new ActRefused(
      `this server starts no other process. Type: chainkin imports ${command} ${id}`,
    )
  const isAsked = await ask()
  if (isAsked !== undefined) imports.begin(id)
  return isAsked
}

/** Asks for the import of a job's file, in the actor's name: `workOn` does it. */
export const runImport = act({
  ...JOB,
  name: 'import.run',
  button: 'Import',
  /** When the check ended whose preview the operator saw. */
  fields: { checked: hidden },
  statement: ({ id }) => done((sql) => sql`import_job_ask(${id}, 'import', actor)`),
  async run({ database, desk, imports, own }, target, values): Promise<true | undefined> {
    const job = await openJob(database, target.id)
    if (!job) return undefined
    if (!job.isPreviewCurrent)
      throw new ActRefused('it changed since it was checked. Check it again before')
    // A second operator may have changed the columns since the form was shown.
    if (values.checked !== job.endedAt)
      throw new ActRefused(
        'it was checked again since you saw what it would do. This is what it would do now',
      )
    await expectRoom(desk().beside)
    return begin({ imports }, 'run', job.id, () => own(target, values))
  },
})

/**
 * Asks for the undo of all that a job's runs changed, in the actor's name: as one change, which can be undone in its turn. It needs no
 * room on the disk: it may be what makes some.
 */
export const undoImport = act({
  ...JOB,
  name: 'import.undo',
  button: 'Undo this import',
  isDangerous: true,
  isUndoable: true,
  async ask({ database }, { on }) {
    const job = await readJob(database, on)
    return job && { title: `Undo the import of ${job.file}`, lead: undoLead(job) }
  },
  statement: ({ id }) => done((sql) => sql`import_job_ask(${id}, 'undo', actor)`),
  run: ({ own, imports }, target): Promise<true | undefined> =>
    begin({ imports }, 'undo', target.id, () => own(target, {})),
})

const count = (many: number, what: string, one: string, more: string) =>
  many === 1 ? `1 record that it ${what} is ${one}` : `${many} records that it ${what} are ${more}`

function undoLead(job: ImportJob): string {
  const { result, change, state } = job
  if (isAtWork(job)) return 'It is at work: wait for its end.'
  if (change === null || state === 'undone')
    return 'There is nothing to undo: it changed nothing, or was undone.'
  const what = result
    ? `${count(result.created, 'made', 'deleted', 'deleted')}, and ${count(result.updated, 'changed', 'as before', 'as before')}.`
    : 'Every record that it made is deleted, and every one that it changed is as before.'
  return `${what} All of it, or nothing where one of them was changed since. Accounts keep what they paid for: a record that comes back has its unlocks again. This can be undone in its turn, for 30 days, in the journal.`
}

/** Cancels an upload, a check or an import: it stops after the batch in hand. An undo is done all at once. */
export const cancelImport = act({
  ...JOB,
  name: 'import.cancel',
  button: 'Cancel',
  said: 'It stops when the rows that it has in hand are done.',
  idle: 'Nothing is under way: it has ended already.',
  ...{
    command: 'imports cancel',
    about: 'end its upload, check or import after the batch in hand',
  },
  statement: ({ id }) => done((sql) => sql`import_job_cancel(${id})`),
  tell: ({ target: { id } }) => ({
    json: { id },
    text: 'cancelled: it ends after the batch in hand',
  }),
})

/** Deletes a job and its file; what was imported stays. */
export const deleteImport = act({
  ...JOB,
  name: 'import.delete',
  button: 'Delete',
  isLast: true,
  said: 'The import and what was left of its file are deleted. What it had imported stays.',
  command: 'imports delete',
  about: 'forget it and its file; what it imported stays',
  statement: ({ id }) => done((sql) => sql`import_job_delete(${id})`),
  tell: ({ target: { id } }) => ({ json: { id }, text: 'deleted' }),
})

/** Takes the columns of a source's refused files for its own. Nothing is done where those of `at` are not its last refused ones any more. */
export const confirmColumns = act({
  name: 'source.columns',
  subject: 'source',
  noun: 'refused file',
  ...{
    button: 'Confirm these columns',
    said: 'Saved: the next file with these columns is imported.',
  },
  fields: {
    at: given<string>(),
    /** By kind of records, as `import_sources` keeps them. */
    columns: given<Partial<Record<KindName, FileColumns>>>(),
  },
  statement: ({ id }, { at, columns }) =>
    done(
      (sql) => sql`source_confirm_columns(${id}, ${at}, ${JSON.stringify(columns)}::text::jsonb)`,
    ),
})

/** Marks an upload as complete. @throws ActRefused where the file is empty, or the upload was cancelled */
export async function endUpload(database: Database, by: Actor, id: string): Promise<void> {
  if (await perform(database, by, addImport, id)) return
  throw new ActRefused('this upload was cancelled: give the file again')
}
