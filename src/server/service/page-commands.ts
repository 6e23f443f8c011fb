/** Imports and backups that operators begin on pages. Each is done by a process of its own, so that no call waits for it. */

import type { Config } from '../../config.ts'
import type { BackupRun } from '../../console/acts/backup-list.ts'
import type { Log } from '../../log.ts'
import { type Program, type RunningCommand, runCommand } from './command-process.ts'

export type ImportRuns = ReturnType<typeof createImportRuns>

interface ImportRunsOptions {
  program: Program
  log: Log
}

/** Starts `imports run --asked`. */
export function createImportRuns({ program, log }: ImportRunsOptions) {
  const running = new Set<RunningCommand<unknown>>()

  return {
    /** Begins a job's work. A failure stops the job and is logged. */
    begin(id: string) {
      const command = runCommand(program, ['imports', 'run', id, '--asked'])
      running.add(command)
      command.result
        .then(
          () => log.info('import ended', { id }),
          ({ message }: Error) => log.warn('import stopped', { id, reason: message }),
        )
        .finally(() => running.delete(command))
    },
    /** Stops running imports after the batch in hand; they can be run again. */
    async stop() {
      await Promise.all([...running].map((command) => command.stop()))
    },
  }
}

/** Output of `backup --keep`. */
interface Made {
  path: string
  bytes: number
  deleted: number
}

/** Starts `backup --keep`. All instances together make one at a time. */
export function createBackupRuns(
  { dir, keep }: { dir: string } & Pick<Config['backups'], 'keep'>,
  { program, log }: { program: Program; log: Log },
) {
  let last: BackupRun | undefined
  let running: RunningCommand<Made> | undefined
  let isStopped = false
  async function make(name: string): Promise<BackupRun> {
    try {
      running = runCommand(program, ['backup', dir, '--keep', String(keep), '--asked', name])
      const { path, bytes, deleted } = await running.result
      log.info('backup made', { path, bytes, deleted })
      last = { state: 'made' }
    } catch (error) {
      const reason = error instanceof Error ? error.message : ''
      if (!isStopped) log.warn('backup failed', { reason })
      last = { state: 'failed', reason }
    }
    return last
  }
  return {
    /** The last backup begun by this process. */
    last: () => last,
    /** Begins a backup, unless this process makes one or stops. @param name the file's name. @returns its end; never rejects */
    async begin(name: string): Promise<BackupRun> {
      if (isStopped || last?.state === 'running') return last ?? { state: 'failed' }
      last = { state: 'running' }
      return make(name)
    },
    /** Ends a backup in progress and removes its partial file. */
    async stop() {
      isStopped = true
      await running?.stop()
    },
  }
}
