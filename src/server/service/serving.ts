/** One process that serves: the service behind its listeners, from an open database until it is asked to stop. */
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiFetch } from '../../api/app.ts'
import type { Config } from '../../config.ts'
import type { OpenDatabase } from '../../database/open.ts'
import type { Log } from '../../log.ts'
import { programCommand, releaseMemory } from '../../runtime.ts'
import { openAccessLog } from './access-log.ts'
import { createBackupRuns, createImportRuns } from './page-commands.ts'
import type { ProcessMetrics } from './process-metrics.ts'
import { startServer } from './server.ts'
import { openService } from './service.ts'

/** Time for requests in hand to finish. */
const FINISH_MS = 10_000
/** Time after a collection in which the runtime returns freed pages to the system. */
const RELEASE_MS = 100
/** Number of records from which that wait is worth the memory. */
const LARGE_DIRECTORY = 10_000

export type Serving = Awaited<ReturnType<typeof startServing>>

interface ServingOptions {
  /** True in the one process that does housekeeping for all. */
  keepsHouse?: boolean
  /** Counters, with METRICS_PORT. */
  metrics?: ProcessMetrics | undefined
  /** This process's number among several workers. */
  worker?: number
}

/** Loads the directory and answers at both listeners. @throws CannotListen, DatabaseUnavailable */
export async function startServing(
  config: Config & { isShared?: boolean },
  open: OpenDatabase,
  log: Log,
  { keepsHouse = true, metrics, worker }: ServingOptions = {},
) {
  const accessLog = openAccessLog(config, log, worker === undefined ? {} : { worker })
  const { database, pool } = open
  // The meter has a pool of its own, so that charges wait for each other alone.
  const counted = metrics
    ? {
        database: metrics.aroundDatabase(database, 'other'),
        pool: (count: number) => metrics.aroundDatabase(pool(count), 'charges'),
        takeLongLock: open.takeLongLock,
      }
    : open
  const imports = createImportRuns({ program: programCommand(), log })
  const { dir, keep } = config.backups
  const backups = dir
    ? createBackupRuns({ dir, keep }, { program: programCommand(), log })
    : undefined
  const service = await openService(config, counted, log, {
    keepsHouse,
    imports,
    backups,
    ...(metrics && { metered: metrics.aroundMeter, onGroup: metrics.countGroup }),
  })
  const checkpoint = () => database.use(({ sql }) => sql`checkpoint`)
  try {
    const { counts } = service.directory
    const isLarge = counts.people + counts.companies > LARGE_DIRECTORY
    // Loading leaves as much garbage as records, which goes before the first request.
    if (isLarge) releaseMemory()
    const released = isLarge ? pause(RELEASE_MS) : undefined
    const isDraining = () => service.health.isDraining
    const hosts: typeof service.hosts = async (...urls) => {
      const both = await service.hosts(...urls)
      const noted = metrics ? metrics.aroundHosts(both) : both
      const { api, web } = accessLog ? accessLog.around(noted) : noted
      return { api: closingWhile(isDraining, api), web: closingWhile(isDraining, web) }
    }
    const server = await startServer(config, { hosts })
    await released
    const { apiUrl, appUrl } = server
    return {
      apiUrl,
      appUrl,
      counts,
      /** Metrics so far; empty without METRICS_PORT. */
      families: async () => metrics?.families(service) ?? [],
      /**
       * Answers on for `drainSeconds`, unready and closing connections. Then takes no more connections, lets requests in hand
       * finish, and stops its background work.
       */
      async stop(drainSeconds = 0) {
        service.health.drain()
        if (drainSeconds > 0) {
          log.info('draining: answering on while balancers look elsewhere', { drainSeconds })
          await pause(drainSeconds * 1_000)
        }
        log.info('stopping: finishing the requests in hand')
        // Done now, because the embedded database would do it while it closes, when no listener answers.
        if (open.isOwned) await checkpoint().catch(() => {})
        await Promise.all([
          Promise.race([server.stop(), pause(FINISH_MS)]),
          imports.stop(),
          backups?.stop(),
        ])
        metrics?.stop()
        await service.stop()
        await accessLog?.stop()
      },
    }
  } catch (error) {
    await service.stop()
    await accessLog?.stop()
    throw error
  }
}

/** Adds `Connection: close` to answers while `isDraining`. */
function closingWhile(isDraining: () => boolean, answer: ApiFetch): ApiFetch {
  const closing: ApiFetch = async (request) => {
    const response = await answer(request)
    response.headers.set('connection', 'close')
    return response
  }
  return (request) => (isDraining() ? closing(request) : answer(request))
}
