/** Commands of this program that a server runs, each in a process of its own, so that no call waits for it. */
import { type ExecFileException, execFile } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** How long a command that is interrupted may take to finish its batch, or to remove what it began. */
const STOP_MS = 5_000
/** The most that one may print, in bytes. */
const MOST_PRINTED = 16_777_216

/** What starts this program; its arguments follow. */
export type Program = readonly [file: string, ...args: string[]]

export interface RunningCommand<T> {
  /** What it prints with `--json`. Rejects with the reason where it fails. */
  result: Promise<T>
  /** Interrupts it, and waits for its end, but not for ever. Never rejects. */
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

/** @returns undefined where it printed no JSON, as a process that was killed */
function parsed(stdout: string): { error?: string } | undefined {
  try {
    return JSON.parse(stdout)
  } catch {
    return undefined
  }
}

/** How a silent process ended, or why none began. */
function endOf(error: ExecFileException | null): string {
  if (!error) return 'it printed nothing'
  if (typeof error.code === 'number') return `exit ${error.code}`
  return error.signal ? `ended by ${error.signal}` : error.message
}

/**
 * Lets a process go behind others. Whoever starts one says it at once: threads that it makes have what its first one has then, and on
 * Linux none has what is said later.
 * @param pid this process where it is absent
 */
export function yieldProcessor(pid = 0) {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Some systems let nobody change it, and a process may have ended.
  }
}
