/** `imports check|run|undo`: the work on a job, by this process. Pages start all of it as `imports run --asked`. */

import { run, undo } from '../../console/acts/imports.ts'
import { onCopyOfDatabase } from '../../database/backup/base-backup.ts'
import { readJob } from '../../intake/import/jobs/store.ts'
import { type ImportJob, JobRefused } from '../../intake/import/jobs/types.ts'
import { askCheck, workOn } from '../../intake/import/jobs/work.ts'
import { interruption } from './backup.ts'
import { type Context, EXIT_INTERRUPTED, type Result, tell } from './command.ts'
import { paceBeside } from './import-pace.ts'
import { reportProgress } from './import-progress.ts'
import { summaryText } from './import-summary.ts'
import { typist } from './performed.ts'

export interface WorkOptions {
  fast?: boolean
  /** Do the work that a page asked for, in the name of its operator. */
  asked?: boolean
  as?: string
  json?: boolean
}

/** Asks for a check of a job, and does it. */
export async function checkJob(context: Context, id: string, options: WorkOptions) {
  await askCheck(context.database, id)
  return worked(context, id, options)
}

/** Asks for the import of a job and does it, or does what a page asked for. */
export async function runJob(context: Context, id: string, options: WorkOptions) {
  if (!options.asked) await run(context.database, typist(options.as), id)
  return worked(context, id, options)
}

/** Asks for the undo of a job and does it. */
export async function undoJob(context: Context, id: string, options: WorkOptions) {
  await undo(context.database, typist(options.as), id)
  return worked(context, id, options)
}

async function worked(
  { database, config, isAlone, takeLongLock }: Context,
  id: string,
  { fast, json }: WorkOptions,
): Promise<Result> {
  const signal = interruption()
  const before = await readJob(database, id)
  const isCheck = before?.state === 'checking'
  const kind = before?.kind ?? 'companies'
  const reporter = reportProgress({ [kind]: before?.bytes ?? 0 }, tell)
  const isGentle = paceBeside(
    { database, isAlone },
    {
      isFast: fast,
      isDryRun: isCheck,
      isOnCopy: isCheck && !config.databaseUrl,
      // An undo is one statement.
      say: json || before?.state === 'undoing' ? () => {} : reporter.say,
    },
  )
  const job = await workOn(database, id, {
    takeLongLock,
    isGentle,
    signal,
    // The transaction of a dry run would hold the one session of an embedded database.
    onCopy: config.databaseUrl
      ? undefined
      : (work, until) => onCopyOfDatabase(database, config.dataDir, work, { signal: until }),
    onProgress: (progress) => reporter.listeners.onProgress({ kind, ...progress }),
  }).finally(() => reporter.stop())
  if (!job) throw new JobRefused('nothing is asked for it, or another process does it')
  return ended(job, signal.aborted)
}

function ended(job: ImportJob, isInterrupted: boolean): Result {
  const { stopped, kind, state } = job
  const isCheck = state === 'checked' || stopped?.work === 'check'
  const summary = stopped?.work === 'undo' ? null : isCheck ? job.preview : job.result
  const counts = summary ? summaryText({ [kind]: { ...summary, refusals: [], warnings: [] } }) : ''
  if (state === 'undone') {
    return { json: { ...job }, text: `undone; take this back with: undo ${job.undone?.change}` }
  }
  if (!stopped) return { json: { ...job }, text: `${state}\n${counts}` }
  console.error(`chainkin imports: ${stopped.reason}`)
  const exitCode = isInterrupted ? EXIT_INTERRUPTED : 1
  return { json: { ...job, error: stopped.reason }, text: counts, exitCode }
}
