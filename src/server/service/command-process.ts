/** Commands of this program that a server runs, each in a process of its own, so that no call waits for it. */
import { type ExecFileException, execFile } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** Time for an interrupted command to finish its batch or to remove its partial file. */
const STOP_MS = 5_000
/** Limit of a command's output, in bytes. */
const MOST_PRINTED = 16_777_216

/** Program file and leading arguments of this program. */
export type Program = readonly [file: string, ...args: string[]]

export interface RunningCommand<T> {
  /** The object of `--json`. Rejects with the reason where the command fails. */
  result: Promise<T>
  /** Interrupts the command and waits a few seconds for its end. Never rejects. */
  stop(): Promise<void>
}

/** @param args the command and its arguments, without `--json` */
export function runCommand<T>(
  [file, ...before]: Program,
  args: readonly string[],
): RunningCommand<T> {
  const { promise: result, resolve, reject } = Promise.withResolvers<T>()
  const options = { maxBuffer: MOST_PRINTED }
  const all = [...before, ...args, '--json']
  const child = execFile(file, all, options, (error, stdout, stderr) => {
    const printed = parsed(stdout)
    if (!error && printed) resolve(printed as T)
    else reject(new Error(printed?.error || lastLine(stderr) || endOf(error)))
  })
  if (child.pid !== undefined) yieldProcessor(child.pid)
  return {
    result,
    async stop() {
      child.kill('SIGINT')
      const late = pause(STOP_MS, undefined, { ref: false })
      await Promise.race([result.then(noop, noop), late])
    },
  }
}

const noop = () => {}

const lastLine = (text: string) => text.trim().split('\n').at(-1)

/** @returns undefined where the output isn't JSON, as after a kill */
function parsed(stdout: string): { error?: string } | undefined {
  try {
    return JSON.parse(stdout)
  } catch {
    return undefined
  }
}

/** The end of a process without output, or the reason why it didn't start. */
function endOf(error: ExecFileException | null): string {
  if (!error) return 'it printed nothing'
  if (typeof error.code === 'number') return `exit ${error.code}`
  return error.signal ? `ended by ${error.signal}` : error.message
}

/**
 * Lowers the priority of a process. Call it before threads start: Linux doesn't apply it to existing ones.
 * @param pid default: this process
 */
export function yieldProcessor(pid = 0) {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Some systems forbid it, and the process may have ended.
  }
}
