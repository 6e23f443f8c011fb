/** Imports and backups that operators begin on pages. Each is done by a process of its own, so that no call waits for it. */

import type { Config } from '../../config.ts'
import type { BackupRun } from '../../console/acts/backups.ts'
import type { Log } from '../../log.ts'
import { type Program, type RunningCommand, runCommand } from './command-process.ts'

export type ImportRuns = ReturnType<typeof createImportRuns>

interface ImportRunsOptions {
  program: Program
  log: Log
}

/** Starts `imports run --asked` for what pages ask. */
export function createImportRuns({ program, log }: ImportRunsOptions) {
  const running = new Set<RunningCommand<unknown>>()

  return {
    /** Begins what was asked for a job; where that fails the job has stopped, and the log says why. */
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
    /** Ends what is under way, after the batch in hand: it has stopped then, and can be run again. */
    async stop() {
      await Promise.all([...running].map((command) => command.stop()))
    },
  }
}

/** What `backup --keep` prints. */
interface Made {
  path: string
  bytes: number
  deleted: number
}

/** Starts `backup --keep`, which is one at a time on all instances. */
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
    /** The last one that was begun here. */
    last: () => last,
    /** Begins one, unless this process makes one or stops. @param name of its file @returns how it ends; never rejects */
    async begin(name: string): Promise<BackupRun> {
      if (isStopped || last?.state === 'running') return last ?? { state: 'failed' }
      last = { state: 'running' }
      return make(name)
    },
    /** Ends what is being made, without a trace of it. */
    async stop() {
      isStopped = true
      await running?.stop()
    },
  }
}
