/**
 * The supervisor starts a number of workers, replaces one that ends or hangs, and asks all to stop. It knows processes and
 * messages, and nothing of the work.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../log.ts'
import type { Family } from '../../metrics/families.ts'
import { ALIVE_EVERY_MS, type FromWorker, lineOf, readMessages, type ToWorker } from './link.ts'

/** Time that the metrics page waits for a worker. */
const FAMILIES_WAIT_MS = 1_000

export interface WorkerEnd {
  /** The worker's message, or the exit of its process. */
  reason: string
  /** True where the same start may succeed later, as when a database comes back. */
  mayPass: boolean
  /** Milliseconds of service; absent where it was never ready. */
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
  /** The last counts that it sent. */
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
    // Output of a library isn't a message and goes to the log's stream.
    readMessages<FromWorker>(child.stdout, take, (line) => console.error(line))
    // The process is gone, which `close` reports.
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

  /** True once both of its listeners have answered. */
  get isReady(): boolean {
    return this.#readySinceMs !== undefined
  }

  send(message: ToWorker) {
    this.#child.stdin?.write(lineOf(message))
  }

  /** The worker's counts; its last ones, with `isOld`, where it doesn't answer soon or is gone. */
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

  /** Counts a tick of the supervisor's clock. @returns the ticks since the worker's last message */
  tick(): number {
    return ++this.#silentTicks
  }
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === 'SIGKILL')
    return 'it was killed by SIGKILL, as the system does when memory runs out'
  return signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`
}

/** A worker can't be kept running; the message is the reason. */
export class WorkerFailed extends Error {
  override name = 'WorkerFailed'
}

export interface SupervisorOptions {
  count: number
  /** Command of the worker of this number, from 1 on. */
  command: (number: number) => readonly [file: string, ...args: string[]]
  log: Log
  /** Takes the last counts of a worker that ended. */
  onEnd?: (families: readonly Family[]) => void
  limits?: Partial<Limits>
}

interface Limits {
  /** Failed starts in a row after which the service ends. */
  failedStarts: number
  /** Seconds without a message after which a worker that serves hangs. */
  silentSeconds: number
  /** The same for one that starts: loading holds its event loop, the longer the more workers load on few cores. */
  silentStartSeconds: number
  /** Time for workers to finish after a stop; longer than the time for their requests. */
  stopMs: number
}

const LIMITS: Limits = {
  failedStarts: 5,
  silentSeconds: 30,
  silentStartSeconds: 300,
  stopMs: 15_000,
}

/** Service time after which a worker is replaced at once. Others wait for a pause that doubles each time. */
const STEADY_MS = 60_000
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000

/** Starts the workers. They are killed when this process exits, whatever ends it. */
export const supervise = (options: SupervisorOptions) => new Supervisor(options)

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #limits: Limits
  readonly #numbers: readonly number[]
  readonly #workers = new Map<number, WorkerProcess>()
  readonly #stopped = Promise.withResolvers<void>()
  readonly #clock: ReturnType<typeof setInterval>
  #isServing = false
  #isStopping = false
  #restarts = 0
  /** Resolves when one of the workers answers. */
  readonly firstReady: Promise<void>
  /** Resolves when all of them answer. @throws WorkerFailed where one of them did not start */
  readonly ready: Promise<void>
  /** Never resolves. @throws WorkerFailed when a worker failed to start again and again */
  readonly failed: Promise<never>

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
    this.#numbers = Array.from({ length: options.count }, (_, index) => index + 1)
    // Ticks of this process are counted, so that workers aren't found silent when a machine wakes from sleep.
    this.#clock = setInterval(() => this.#killSilent(), ALIVE_EVERY_MS)
    process.once('exit', this.#kill)
    const first = this.#numbers.map((number) => ({ number, worker: this.#start(number) }))
    this.failed = new Promise<never>((_, reject) => {
      for (const { number, worker } of first) this.#keep(number, worker).catch(reject)
    })
    const answers = first.map(({ worker }) => worker.ready)
    this.firstReady = Promise.race(answers)
    this.ready = Promise.race([this.failed, Promise.all(answers)]).then(() => {
      this.#isServing = true
    })
    // A caller may wait for one of them alone: the other's failure is handled here.
    for (const one of [this.failed, this.ready]) one.catch(() => {})
  }

  #start(number: number): WorkerProcess {
    const worker = new WorkerProcess(this.#options.command(number))
    this.#workers.set(number, worker)
    return worker
  }

  /** Keeps worker `number` running from its first process on. @throws WorkerFailed */
  async #keep(number: number, first: WorkerProcess): Promise<void> {
    const { log, onEnd } = this.#options
    const { failedStarts } = this.#limits
    let failures = 0
    let pauseMs = 0
    for (let worker = first; ; worker = this.#start(number)) {
      const end = await worker.ended
      this.#workers.delete(number)
      onEnd?.(worker.lastFamilies)
      if (this.#isStopping) return
      // A worker that served while others were loading did start.
      if (!this.#isServing && end.servedMs === undefined) throw new WorkerFailed(end.reason)
      failures = failuresAfter(failures, end)
      if (failures === failedStarts) {
        throw new WorkerFailed(`worker ${number} failed to start ${failures} times: ${end.reason}`)
      }
      const wasSteady = (end.servedMs ?? 0) >= STEADY_MS
      pauseMs = wasSteady ? 0 : Math.min(Math.max(pauseMs * 2, FIRST_PAUSE_MS), MAX_PAUSE_MS)
      const fields = { worker: number, pid: worker.pid, reason: end.reason, pauseMs }
      log.error('a worker ended and is replaced', fields)
      await Promise.race([pause(pauseMs, undefined, { ref: false }), this.#stopped.promise])
      if (this.#isStopping) return
      this.#restarts++
    }
  }

  #killSilent() {
    const { silentSeconds, silentStartSeconds } = this.#limits
    for (const worker of this.#workers.values()) {
      const limit = worker.isReady ? silentSeconds : silentStartSeconds
      if (worker.tick() > limit) worker.kill(`it hung for ${limit} s and was killed`)
    }
  }

  readonly #kill = () => {
    for (const worker of this.#workers.values()) worker.kill()
  }

  /** The number of workers that run, and of those that were replaced. */
  get counts() {
    return { alive: this.#workers.size, restarts: this.#restarts }
  }

  /** Counts of each worker, also of one that is being replaced. */
  families() {
    return Promise.all(
      this.#numbers.map(async (number) => {
        const counted = await this.#workers.get(number)?.families()
        return { number, ...(counted ?? { families: [], isOld: true }) }
      }),
    )
  }

  /**
   * Asks all workers to answer on for `drainSeconds`, then to finish the requests in hand, and waits until they have;
   * kills those that take too long.
   */
  async stop(drainSeconds = 0): Promise<void> {
    this.#isStopping = true
    this.#stopped.resolve()
    const late = setTimeout(this.#kill, drainSeconds * 1_000 + this.#limits.stopMs)
    const ends = [...this.#workers.values()].map((worker) => {
      worker.send({ type: 'stop', drainSeconds })
      return worker.ended
    })
    await Promise.all(ends)
    clearTimeout(late)
    clearInterval(this.#clock)
    process.off('exit', this.#kill)
  }
}

/** An outage of the database may pass by itself, so such failures don't count. */
function failuresAfter(failures: number, { servedMs, mayPass }: WorkerEnd): number {
  if (servedMs !== undefined) return 0
  return mayPass ? failures : failures + 1
}
