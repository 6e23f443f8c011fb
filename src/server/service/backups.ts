/** Backups that a server makes by itself, each by a process of its own. */
import type { Config } from '../../config.ts'
import { durationOf } from '../../duration.ts'
import type { Log } from '../../log.ts'
import {
  BACKUP_BYTES as BYTES,
  BACKUP_FAILURES as FAILURES,
  LAST_BACKUP as LAST,
} from '../metrics/descriptions.ts'
import { counter, type Family, gauge } from '../metrics/families.ts'
import { type Program, type RunningCommand, runCommand } from './command-process.ts'

/** Delay of the first look, because a start has more to do. */
const FIRST_MS = 30_000
/** Longest time between two looks, and the longest after a failure. */
const LONGEST_MS = 86_400_000
const RETRY_MS = 600_000

export type Backups = ReturnType<typeof startBackups>

interface BackupsOptions {
  program: Program
  log: Log
  firstMs?: number
}

/** Output of `backup --every`, about the new file or the newest existing one. */
interface Made {
  isNew: boolean
  /** True while another process makes one. */
  isBusy?: boolean
  path?: string
  /** ISO 8601, UTC. */
  madeAt?: string
  bytes?: number
  deleted: number
}

/** Makes a backup whenever one is due, until stopped. */
export function startBackups(
  { dir, everySeconds, keep }: Config['backups'] & { dir: string },
  { program, log, firstMs = FIRST_MS }: BackupsOptions,
) {
  const last = { madeAtMs: 0, bytes: 0 }
  let failures = 0
  let stopped = false
  let running: RunningCommand<Made> | undefined
  let timer = setTimeout(run, firstMs)

  /** Runs the command, which makes a backup if one is due. @returns milliseconds until the next run */
  async function makeOne(): Promise<number> {
    const every = durationOf(everySeconds)
    try {
      running = runCommand(program, ['backup', dir, '--keep', String(keep), '--every', every])
      const { isNew, isBusy, path, madeAt, bytes, deleted } = await running.result
      if (madeAt) Object.assign(last, { madeAtMs: Date.parse(madeAt), bytes })
      if (isNew) log.info('backup made', { path, bytes, deleted })
      // A second server makes one, so look later.
      if (isBusy) return Math.min(RETRY_MS, everySeconds * 1_000)
      return last.madeAtMs + everySeconds * 1_000 - Date.now()
    } catch (error) {
      if (stopped) return 0
      failures++
      log.warn('backup failed', { reason: error instanceof Error ? error.message : '' })
      return Math.min(RETRY_MS, everySeconds * 1_000)
    }
  }

  async function run() {
    const inMs = await makeOne()
    if (!stopped) timer = setTimeout(run, Math.min(LONGEST_MS, Math.max(1_000, inMs)))
  }

  return {
    families(): Family[] {
      return [
        gauge(LAST, last.madeAtMs / 1_000),
        gauge(BYTES, last.bytes),
        counter(FAILURES, [{ value: failures, labels: {} }]),
      ]
    },
    /** Ends a backup in progress and removes its partial file. */
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running?.stop()
    },
  }
}
