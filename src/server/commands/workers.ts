/** `serve --workers` and `worker`: one process supervises, and the others serve. */
import type { Command } from 'commander'
import { addressOf, type Config, readConfig } from '../../config.ts'
import { DatabaseUnavailable } from '../../database/client.ts'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { asStartFailure } from '../../database/reach.ts'
import { createLog, type Log } from '../../log.ts'
import { CAN_SHARE_PORTS, exit, programCommand } from '../../runtime.ts'
import { READY, WORKER_RESTARTS, WORKERS } from '../metrics/descriptions.ts'
import { counter, type Family, gauge } from '../metrics/families.ts'
import type { Serving } from '../service/serving.ts'
import { type HeldPort, holdPort } from '../service/workers/held-port.ts'
import { linkToSupervisor } from '../service/workers/link.ts'
import { type Supervisor, supervise } from '../service/workers/supervisor.ts'
import { Refusal, reasonOf } from './command.ts'
import {
  logWhatIsPrinted,
  openMetrics,
  type Running,
  startPage,
  surviveDriverFaults,
  withLog,
} from './process.ts'

/**
 * Starts workers, and resolves when all of them answer. @param isBeside true where another service may answer at the same ports
 * @throws Refusal, CannotListen, WorkerFailed
 */
export async function startWorkers(
  { count, isBeside }: { count: number; isBeside: boolean },
  config: Config,
  open: OpenDatabase,
  log: Log,
  families: () => Promise<Family[]>,
): Promise<Running> {
  if (!CAN_SHARE_PORTS) {
    throw new Refusal(
      `${count} workers need a system on which processes share a port, which is Linux: set --workers (or WORKERS) to 1`,
    )
  }
  // A PostgreSQL has been migrated; the embedded database stays open, and the workers come through its socket.
  if (config.databaseUrl) await open.close()
  const { host } = config
  // No port is held beside another service, because the holder would close half of the new connections.
  const portOf = async (variable: string, port: number): Promise<HeldPort> =>
    isBeside && port !== 0 ? { port, release() {} } : holdPort(variable, host, port)
  const api = await portOf('PORT', config.port)
  const app = await portOf('APP_PORT', config.appPort)
  const place = { count, port: api.port, appPort: app.port }
  let supervisor: Supervisor | undefined
  const collect = async () =>
    supervisor
      ? [workerFamilies(supervisor.counts), ...(await supervisor.families()).map(withReadiness)]
      : []
  const { page, metricsUrl } = await startPage(config, collect, families)
  const running = supervise({
    count,
    command: (number) => [...programCommand(), ...workerArguments(number, place)],
    log,
    onEnd: (families) => page?.retire(families),
  })
  supervisor = running
  try {
    running.firstReady.then(() => {
      api.release()
      app.release()
    })
    await running.ready
  } catch (error) {
    await running.stop()
    throw error
  }
  return {
    apiUrl: config.baseUrl ?? addressOf(host, api.port),
    appUrl: config.appUrl ?? addressOf(host, app.port),
    ...(metricsUrl !== undefined && { metricsUrl }),
    ready: { workers: count },
    failed: running.failed,
    async stop(drainSeconds = 0) {
      if (drainSeconds > 0) log.info('draining, then stopping', { drainSeconds })
      else log.info('stopping: finishing the requests in hand')
      await running.stop(drainSeconds)
    },
  }
}

/** Adds `ready 0` for a worker that is gone, loads or doesn't answer. */
function withReadiness({ number, families, isOld }: WorkerFamilies): readonly Family[] {
  const current = isOld ? families.filter(({ name }) => name !== READY.name) : families
  const hasReadiness = current.some(({ name }) => name === READY.name)
  return hasReadiness ? current : [...current, gauge(READY, 0, { worker: String(number) })]
}

type WorkerFamilies = Awaited<ReturnType<Supervisor['families']>>[number]

/** Metrics of the process above the workers. */
export function workerFamilies({ alive, restarts }: Supervisor['counts']): Family[] {
  return [gauge(WORKERS, alive), counter(WORKER_RESTARTS, [{ value: restarts, labels: {} }])]
}

/** Connections of all workers together, besides those of charges. */
const CONNECTIONS = 16
const MIN_CONNECTIONS = 4

/** Arguments of a worker, also for people who look at the list of processes. */
interface WorkerPlace {
  of: string
  port: string
  appPort: string
}

export function registerWorker(program: Command) {
  program
    .command('worker <number>', { hidden: true })
    .description('one of the processes of serve --workers, which starts it')
    .requiredOption('--of <count>')
    .requiredOption('--port <port>')
    .requiredOption('--app-port <port>')
    .action((number: string, place: WorkerPlace) => work(Number(number), place))
}

export function workerArguments(
  number: number,
  { count, port, appPort }: { count: number; port: number; appPort: number },
): string[] {
  const place = { of: count, port, 'app-port': appPort }
  return [
    'worker',
    String(number),
    ...Object.entries(place).map(([name, value]) => `--${name}=${value}`),
  ]
}

async function work(number: number, { of, port, appPort }: WorkerPlace): Promise<never> {
  if (process.stdin.isTTY) {
    console.error('chainkin worker: `serve --workers` starts this process; start that')
    return exit(2)
  }
  let serving: Serving | undefined
  const supervisor = linkToSupervisor(async () => serving?.families() ?? [])
  supervisor.stopAsked.then(async (drainSeconds) => {
    await serving?.stop(drainSeconds)
    // The last counts, which the page has not collected.
    if (serving) await supervisor.send({ type: 'metrics', families: await serving.families() })
    exit(0)
  })
  let databaseUrl: string | undefined
  try {
    const config = readConfig(process.env)
    databaseUrl = config.databaseUrl
    const log = createLog(config.logLevel, undefined, { worker: number })
    logWhatIsPrinted(log)
    surviveDriverFaults(log)
    const { startServing } = await import('../service/serving.ts')
    const open = await openDatabase(config, {
      connections: Math.max(MIN_CONNECTIONS, Math.ceil(CONNECTIONS / Number(of))),
      // The supervisor has migrated it.
      skipMigrations: true,
      ...withLog(config, log),
    })
    // The supervisor's options go before the environment.
    const ports = { port: Number(port), appPort: Number(appPort), workers: Number(of) }
    serving = await startServing({ ...config, ...ports, isShared: true }, open, log, {
      keepsHouse: number === 1,
      worker: number,
      metrics: await openMetrics(config, number),
    })
    log.info('worker ready', { pid: process.pid })
    await supervisor.send({ type: 'ready' })
  } catch (thrown) {
    const error = asStartFailure(thrown, { databaseUrl })
    const mayPass = error instanceof DatabaseUnavailable && error.mayPass
    await supervisor.send({ type: 'failed', reason: reasonOf(error), mayPass })
    exit(1)
  }
  return new Promise<never>(() => {})
}
