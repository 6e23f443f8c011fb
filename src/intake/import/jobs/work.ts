/** The work on a job, by a process that may end at any moment: a check, which is a dry run, the import, or its undo. */
import { randomUUID } from 'node:crypto'
import { type Actor, authorForAudit, nameOfAuthor } from '../../../database/actor.ts'
import type { Database } from '../../../database/client.ts'
import type { TakeLongLock } from '../../../database/long-lock.ts'
import type { Change } from '../change.ts'
import { ImportStopped, importFiles } from '../import.ts'
import type { KindSummary, Summary } from '../summary.ts'
import { correcting, findingsWriter } from './findings.ts'
import { columnMapOf } from './mapping.ts'
import { callImports, DEADLINE, readJob, sourceOf } from './store.ts'
import {
  type ImportJob,
  type JobProgress,
  JobRefused,
  type JobSummary,
  type JobWork,
} from './types.ts'

/**
 * Lock of the one process that works on imports. The lock of `imports.sql` is another, because an upload would wait for
 * it until the import ends.
 */
const LOCK = 'work on import jobs'
/** Interval of the heartbeat. After 30 s of silence `import_job_state` takes a process for dead. */
const BEAT_MS = 1_000
/** One statement undoes a whole import. PostgreSQL serves callers meanwhile; the embedded database doesn't. */
const UNDO_DEADLINE = { deadlineMs: 600_000 }

export interface WorkOptions {
  takeLongLock: TakeLongLock
  /** Runs a dry run on a copy, where one in the database itself would hold up the server. */
  onCopy?:
    | (<T>(work: (copy: Database) => Promise<T>, signal: AbortSignal) => Promise<T>)
    | undefined
  /** While true, each batch is followed by a rest, for callers that are served meanwhile. */
  isGentle?: (() => Promise<boolean>) | undefined
  /** Aborting finishes the batch in hand and stops the job. */
  signal: AbortSignal
  onProgress?: (progress: JobProgress) => void
  /** Interval of the heartbeat, by which the process also hears of a cancellation. */
  beatMs?: number
}

/** Requests a check, in nobody's name because it changes nothing. @throws JobRefused saying why it can't be done now */
export async function askCheck(database: Database, id: string): Promise<void> {
  await callImports(database, (sql) => sql`select import_job_ask(${id}, 'check', null)`)
}

/**
 * Does the requested work on a job, if nobody else does it.
 * @returns the job afterwards; undefined where no work was requested, or another process has it
 * @throws JobRefused where another job is at work
 */
export async function workOn(
  database: Database,
  id: string,
  options: WorkOptions,
): Promise<ImportJob | undefined> {
  const lock = await options.takeLongLock(LOCK)
  if (!lock) throw new JobRefused('another import is at work: wait for its end, or cancel it')
  try {
    const worker = randomUUID()
    const work = await callImports<JobWork>(
      database,
      (sql) => sql`select import_job_claim(${id}, ${worker})`,
    )
    const job = work === null ? undefined : await readJob(database, id)
    if (!work || !job) return undefined
    const { summary, reason } = await doneBy(database, job, work, worker, options)
    // A finished undo has ended the job in its own statement.
    await callImports(
      database,
      (sql) => sql`
        select import_job_end(${id}, ${worker}, ${summary ? JSON.stringify(summary) : null}::text::jsonb, ${reason})`,
    )
    return await readJob(database, id)
  } finally {
    await lock.release()
  }
}

/** Does the work with a heartbeat. @returns the summary, and why it stopped before the end */
async function doneBy(
  database: Database,
  job: ImportJob,
  work: JobWork,
  worker: string,
  options: WorkOptions,
): Promise<{ summary: JobSummary | null; reason: string | null }> {
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, options.signal])
  let progress: JobProgress | undefined
  let isCancelled = false
  const beats = setInterval(async () => {
    const given = progress ? JSON.stringify(progress) : null
    const goesOn = await callImports<boolean>(
      database,
      (sql) => sql`select import_job_beat(${job.id}, ${worker}, ${given}::text::jsonb)`,
      // A failed beat is followed by another one.
    ).catch(() => true)
    if (goesOn) return
    isCancelled = true
    stop.abort()
  }, options.beatMs ?? BEAT_MS)
  const reasonOf = (message: string) => {
    if (isCancelled) return 'cancelled'
    return options.signal.aborted ? 'interrupted, as the program that did it ended' : message
  }
  try {
    if (work === 'undo') {
      await undoing(database, job.id, worker)
      return { summary: null, reason: null }
    }
    const summary = await importing(database, job, work, { ...options, signal }, (now) => {
      progress = now
      options.onProgress?.(now)
    })
    return { summary: keptOf(summary[job.kind]), reason: null }
  } catch (error) {
    const isStopped = error instanceof ImportStopped
    const summary = isStopped ? keptOf(error.summary[job.kind]) : null
    return { summary, reason: reasonOf(messageOf(error)) }
  } finally {
    clearInterval(beats)
  }
}

/** Undoes the imports of a job. @throws JobRefused where a later change touched one of its records */
const undoing = (database: Database, id: string, worker: string) =>
  callImports(database, (sql) => sql`select import_job_undo(${id}, ${worker})`, UNDO_DEADLINE)

async function importing(
  database: Database,
  job: ImportJob,
  work: Exclude<JobWork, 'undo'>,
  { onCopy, isGentle, signal }: WorkOptions,
  onProgress: (progress: JobProgress) => void,
): Promise<Summary> {
  const { id, kind, settings } = job
  const isDryRun = work === 'check'
  const correct = await correcting(database, id)
  const findings = await findingsWriter(database, id)
  const change = isDryRun ? undefined : await changeOf(database, id)
  const importInto = (into: Database) =>
    importFiles(
      into,
      { [kind]: { ...sourceOf(database, job), sheet: settings.sheet } },
      {
        columnMap: columnMapOf(settings),
        fill: { [kind]: settings.fill },
        dateOrder: settings.dateOrder,
        correct,
        change,
        isDryRun,
        // A copy serves nobody.
        isGentle: isDryRun && onCopy ? undefined : isGentle,
        signal,
        onFinding: (_kind, finding, row) => findings.add(finding, row),
        onProgress: ({ rows, bytes }) => onProgress({ rows, bytes }),
      },
    )
  try {
    return await (isDryRun && onCopy ? onCopy(importInto, signal) : importInto(database))
  } finally {
    await findings.flush()
  }
}

/** Change of the journal for all runs of a job, in the name of who requested the last run. */
async function changeOf(database: Database, id: string): Promise<Change> {
  const [row] = await database.use(
    ({ sql }) => sql<{ change: number; by: Actor }[]>`
      select change::float8 as change, run_by as by from import_jobs where id = ${id}`,
    DEADLINE,
  )
  if (!row) throw new JobRefused('it was deleted')
  const { change, by } = row
  return { change, who: nameOfAuthor(by), ...authorForAudit(by), what: 'import' }
}

/** Drops the single findings, which have rows of their own. */
function keptOf(summary: KindSummary | undefined): JobSummary | null {
  if (!summary) return null
  const { refusals, warnings, ...kept } = summary
  return kept
}

/** The first line of an error's message, which holds no value of any row. */
const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
