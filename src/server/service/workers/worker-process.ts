/** The supervisor's end of the line to one worker: its process, and how that ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Family } from '../metrics/families.ts'
import { type FromWorker, lineOf, readMessages, type ToWorker } from './messages.ts'

/** How long the metrics page waits for a worker. */
const FAMILIES_WAIT_MS = 1_000

export interface WorkerEnd {
  /** What the worker said, or what its process ended with. */
  reason: string
  /** Whether the same start may succeed later, as when a database comes back. */
  mayPass: boolean
  /** How long it served, in milliseconds; undefined: it was never ready. */
  servedMs?: number
}

export class WorkerProcess {
  readonly #child: ChildProcess
  /** Resolves when both of its listeners answer; stays open where the process ends before. */
  readonly ready: Promise<void>
  readonly ended: Promise<WorkerEnd>
  #readySinceMs: number | undefined
  #failure: { reason: string; mayPass: boolean } | undefined
  #silentTicks = 0
  /** What it has said last of what it counted. */
  #families: readonly Family[] = []
  #familiesCame = Promise.withResolvers<void>()

  constructor([file, ...args]: readonly [file: string, ...args: string[]]) {
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child = child
    const { promise: ready, resolve: becomeReady } = Promise.withResolvers<void>()
    const { promise: ended, resolve: end } = Promise.withResolvers<WorkerEnd>()
    this.ready = ready
    this.ended = ended
    const take = (message: FromWorker) => {
      this.#silentTicks = 0
      if (message.type === 'failed') this.#failure = message
      if (message.type === 'metrics') this.#takeFamilies(message.families)
      if (message.type !== 'ready') return
      this.#readySinceMs = performance.now()
      becomeReady()
    }
    // What a library prints is no message: it goes where the log goes.
    readMessages<FromWorker>(child.stdout, take, (line) => console.error(line))
    // Its process is gone, which `close` tells.
    child.stdin.on('error', () => {})
    const finish = (how: string) => {
      const failure = this.#failure ?? { reason: how, mayPass: false }
      const since = this.#readySinceMs
      const servedMs = since === undefined ? undefined : performance.now() - since
      end({ ...failure, ...(servedMs !== undefined && { servedMs }) })
    }
    child.once('error', (error) => finish(`its process can't be started: ${error.message}`))
    child.once('close', (code, signal) => finish(describeExit(code, signal)))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Whether both of its listeners have answered. */
  get isReady(): boolean {
    return this.#readySinceMs !== undefined
  }

  send(message: ToWorker) {
    this.#child.stdin?.write(lineOf(message))
  }

  /** What it has counted; what it said before, `isOld`, where it doesn't answer soon or is gone. */
  async families(): Promise<{ families: readonly Family[]; isOld: boolean }> {
    const came = this.#familiesCame.promise.then(() => false)
    const late = pause(FAMILIES_WAIT_MS, true, { ref: false })
    this.send({ type: 'metrics' })
    const isOld = await Promise.race([came, this.ended.then(() => true), late])
    return { families: this.#families, isOld }
  }

  get lastFamilies(): readonly Family[] {
    return this.#families
  }

  #takeFamilies(families: readonly Family[]) {
    this.#families = families
    this.#familiesCame.resolve()
    this.#familiesCame = Promise.withResolvers<void>()
  }

  /** Ends the process at once. @param reason told as the worker's end where nothing else was */
  kill(reason?: string) {
    if (reason !== undefined) this.#failure ??= { reason, mayPass: false }
    this.#child.kill('SIGKILL')
  }

  /** Counts a tick of the supervisor's clock. @returns how many there were since the worker's last message. */
  tick(): number {
    return ++this.#silentTicks
  }
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === 'SIGKILL')
    return 'it was killed by SIGKILL, as the system does when memory runs out'
  return signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`
}
