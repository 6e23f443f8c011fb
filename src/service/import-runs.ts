/** Imports that operators begin on pages. Each is done by a process of its own, so that no call waits for it (D186). */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Log } from '../log.ts'

/** For one that is interrupted to finish the batch in hand. */
const STOP_MS = 5_000
/** Of what a process says when it ends, as much as is kept for the log. */
const MOST_SAID = 10_000

export type ImportRuns = ReturnType<typeof createImportRuns>

interface ImportRunsOptions {
  /** What starts this program; its arguments follow. */
  program: readonly [file: string, ...args: string[]]
  log: Log
}

/** Starts `imports run --asked` for what pages ask. */
export function createImportRuns({ program: [file, ...before], log }: ImportRunsOptions) {
  const running = new Map<ChildProcess, Promise<void>>()

  function ended(child: ChildProcess, id: string): Promise<void> {
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-MOST_SAID)
    })
    return new Promise((resolve) => {
      const end = (reason: string | undefined) => {
        running.delete(child)
        if (reason !== undefined) log.warn('import stopped', { id, reason })
        resolve()
      }
      child.once('error', (error) => end(error.message))
      child.once('close', (code) => {
        if (code === 0) log.info('import ended', { id })
        end(code === 0 ? undefined : said.trim().split('\n').at(-1) || `exit ${code}`)
      })
    })
  }

  return {
    /** Begins what was asked for a job; where that fails the job has stopped, and the log says why. */
    begin(id: string) {
      const args = [...before, 'imports', 'run', id, '--asked', '--json']
      const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] })
      running.set(child, ended(child, id))
    },
    /** Ends what is under way, after the batch in hand: it has stopped then, and can be run again. */
    async stop() {
      const ends = [...running.values()]
      for (const child of running.keys()) child.kill('SIGINT')
      if (ends.length === 0) return
      const late = new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())
      await Promise.race([Promise.all(ends), late])
    },
  }
}
