/** Signals, uncaught errors and metrics of the processes of `serve`. */
import { setTimeout as pause } from 'node:timers/promises'
import { format } from 'node:util'
import { COMMIT } from '../../commit.ts'
import { addressOf, type Config } from '../../config.ts'
import { API_VERSION } from '../../contract/version.ts'
import { describeError } from '../../database/client.ts'
import { bytesFreeIn } from '../../database/disk.ts'
import type { Log } from '../../log.ts'
import { exit } from '../../runtime.ts'
import { BUILD, DISK_FREE } from '../metrics/descriptions.ts'
import { type Family, gauge, gauges } from '../metrics/families.ts'
import type { MetricsPageOptions } from '../service/metrics-page.ts'
import { onUncaught, printJson } from './command.ts'

/** Options of `openDatabase` for a process of the service: it waits for PostgreSQL, and its log says so. */
export const withLog = ({ databaseWaitSeconds: waitSeconds }: Config, log: Log) => ({
  waitSeconds,
  onWait: (reason: string) => log.warn('waiting for the database', { reason }),
  onTrouble: (what: string) => log.error(what),
})

/** A running service, of one process or several. */
export interface Running {
  apiUrl: string
  appUrl: string
  /** The metrics page's address, with METRICS_PORT. */
  metricsUrl?: string
  /** Fields of the log's line at the start. */
  ready: Record<string, unknown>
  /** Rejects when the service can't go on. */
  failed?: Promise<never>
  /** Answers on for so many seconds, then lets the requests in hand finish. */
  stop(drainSeconds?: number): Promise<void>
}

/** Time within which two signals count as one: `bun run` and `npx` pass a terminal's Ctrl-C on, so that it arrives twice. */
const SAME_SIGNAL_MS = 1_000

/** Resolves at the first SIGINT or SIGTERM with its name; one that comes over a second later ends the process at once. */
export function nextSignal(): Promise<'SIGINT' | 'SIGTERM'> {
  const first = Promise.withResolvers<'SIGINT' | 'SIGTERM'>()
  let isOver = false
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (isOver) exit(1)
      first.resolve(name)
    })
  }
  void first.promise.then(sameSignalTime).then(() => {
    isOver = true
  })
  return first.promise
}

/** Waits in two halves, so that a signal that came while a closing database held the thread is heard between them. */
async function sameSignalTime(): Promise<void> {
  for (let half = 0; half < 2; half++) {
    await pause(SAME_SIGNAL_MS / 2, undefined, { ref: false })
  }
}

/** Sends output of packages and the runtime to the log, because programs read its lines. */
export function logWhatIsPrinted(log: Log) {
  const entry =
    (level: 'info' | 'warn' | 'error') =>
    (...words: unknown[]) =>
      log[level](format(...words))
  const [info, warn, error] = [entry('info'), entry('warn'), entry('error')]
  Object.assign(console, { log: info, info, warn, error })
  process.emitWarning = (warning: string | Error) => warn(String(warning))
}

/**
 * Keeps the process alive when postgres.js throws outside any promise, as on a write to a socket that is gone: the call
 * fails by its own deadline, and others must not fail with it. Other uncaught errors end the process, whose state is unknown.
 */
export function surviveDriverFaults(log: Log, asJson = false) {
  const survive = (error: unknown) => {
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    const fromDriver = /[\\/]postgres[\\/](src|cjs|cf)[\\/]/.test(stack)
    log.error(fromDriver ? 'the database driver failed' : 'an error that nobody caught', {
      error: describeError(error),
    })
    if (fromDriver) return
    if (asJson) printJson({ error: describeError(error) })
    exit(1)
  }
  onUncaught(survive)
}

/** Counters of this process; undefined without METRICS_PORT. They are loaded only then. */
export async function openMetrics({ metricsPort }: Config, worker: number) {
  if (metricsPort === undefined) return undefined
  const { createProcessMetrics } = await import('../service/process-metrics.ts')
  return createProcessMetrics(worker)
}

/** Metrics of the machine: the build, and free space of the disks that the service writes to. */
export async function machineFamilies({
  databaseUrl,
  dataDir,
  backups,
}: Config): Promise<Family[]> {
  const folders = { data: databaseUrl ? undefined : dataDir, backups: backups.dir }
  const free: Record<string, number> = {}
  for (const [name, folder] of Object.entries(folders)) {
    if (folder === undefined) continue
    // The first backup makes its folder.
    const bytes = await bytesFreeIn(folder).catch(() => undefined)
    if (bytes !== undefined) free[name] = bytes
  }
  return [
    gauge(BUILD, 1, { version: API_VERSION, commit: COMMIT ?? '' }),
    ...gauges(DISK_FREE, 'disk', free),
  ]
}

/**
 * @param more metrics of the machine, which no serving process counts
 * @returns the page and its address; {} without METRICS_PORT. @throws CannotListen
 */
export async function startPage(
  { host, metricsPort }: Config,
  collectServing: MetricsPageOptions['collect'],
  more: () => Promise<Family[]>,
) {
  if (metricsPort === undefined) return {}
  const { startMetricsPage } = await import('../service/metrics-page.ts')
  const collect = async () => [...(await collectServing()), await more()]
  const page = await startMetricsPage({ host, port: metricsPort, collect })
  return { page, metricsUrl: `${addressOf(host, page.port)}/metrics` }
}
