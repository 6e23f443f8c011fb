/** Backups that operators ask for on pages. Each is made by a process of its own, as the schedule's are. */
import type { Config } from '../../config.ts'
import type { BackupRun } from '../../console/acts/backups.ts'
import type { Log } from '../../log.ts'
import { type Program, type RunningCommand, runCommand } from './command-process.ts'

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
