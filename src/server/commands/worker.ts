/** `worker`: one of the processes of `serve --workers`. The supervisor starts it, and nobody else. */
import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { DatabaseUnavailable } from '../../database/client.ts'
import { openDatabase } from '../../database/open.ts'
import { asStartFailure } from '../../database/reach.ts'
import { createLog } from '../../log.ts'
import { exit } from '../../runtime.ts'
import type { Serving } from '../service/serving.ts'
import { linkToSupervisor } from '../service/workers/link.ts'
import { reasonOf } from './command.ts'
import { openMetrics } from './metrics.ts'
import { logWhatIsPrinted, surviveDriverFaults } from './process.ts'

/** All workers' connections for what is not charged; each worker has some. */
const CONNECTIONS = 16
const MIN_CONNECTIONS = 4

/** Which worker this is. The arguments stand in the list of processes, so they say it to people too. */
interface Place {
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
    .action((number: string, place: Place) => work(Number(number), place))
}

/** The arguments of worker `number`. */
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

async function work(number: number, { of, port, appPort }: Place): Promise<never> {
  if (process.stdin.isTTY) {
    console.error('chainkin worker: `serve --workers` starts this process; start that')
    return exit(2)
  }
  let serving: Serving | undefined
  const supervisor = linkToSupervisor(async () => serving?.families() ?? [])
  supervisor.stopAsked.then(async (drainSeconds) => {
    await serving?.stop(drainSeconds)
    // What was counted since the page last asked.
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
      onTrouble: (what) => log.error(what),
      waitSeconds: config.databaseWaitSeconds,
      onWait: (reason) => log.warn('waiting for the database', { reason }),
    })
    // As the supervisor's command line has them, where it differs from the environment.
    const given = { port: Number(port), appPort: Number(appPort), workers: Number(of) }
    serving = await startServing({ ...config, ...given, isShared: true }, open, log, {
      keepsHouse: number === 1,
      worker: number,
      image: await supervisor.image,
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
