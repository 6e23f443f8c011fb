/** Imports that operators begin on pages. Each is done by a process of its own. */
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
