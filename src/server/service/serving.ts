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

/** How long requests in hand may take to finish, in milliseconds. */
const FINISH_MS = 10_000
/** The runtime returns freed pages to the system in the background, about this long after a collection. */
const RELEASE_MS = 100
/** The number of records from which that memory is worth the wait. */
const LARGE_DIRECTORY = 10_000

export type Serving = Awaited<ReturnType<typeof startServing>>

interface ServingOptions {
  /** Whether this process keeps house for all of the service's. */
  keepsHouse?: boolean
  /** What counts, where METRICS_PORT is set. */
  metrics?: ProcessMetrics | undefined
  /** What all workers of a service start from. */
  image?: string | undefined
  /** The number of this process, where it is one of several. */
  worker?: number
}

/** Loads the directory and answers at both listeners. @throws CannotListen, DatabaseUnavailable */
export async function startServing(
  config: Config & { isShared?: boolean },
  open: OpenDatabase,
  log: Log,
  { keepsHouse = true, metrics, image, worker }: ServingOptions = {},
) {
  const accessLog = openAccessLog(config, log, worker === undefined ? {} : { worker })
  const { database, pool } = open
  // The second pool is the meter's: charges wait for each other alone.
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
    image,
    imports,
    backups,
    ...(metrics && { metered: metrics.aroundMeter, onGroup: metrics.countGroup }),
  })
  const checkpoint = () => database.use(({ sql }) => sql`checkpoint`)
  try {
    const { counts } = service.directory
    const isLarge = counts.people + counts.companies > LARGE_DIRECTORY
    // Loading leaves as much garbage as records: it goes before the first request, while the listeners begin.
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
      /** What was counted so far; nothing without metrics. */
      families: async () => metrics?.families(service) ?? [],
      /**
       * For `drainSeconds` it answers on, and says that it is not ready and that connections end. Then it takes no more
       * connections, lets requests in hand finish, and stops what goes on beside them.
       */
      async stop(drainSeconds = 0) {
        service.health.drain()
        if (drainSeconds > 0) {
          log.info('draining: answering on while balancers look elsewhere', { drainSeconds })
          await pause(drainSeconds * 1_000)
        }
        log.info('stopping: finishing the requests in hand')
        // What the embedded database would write while it closes, when no listener is there any more.
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

/** While `isDraining`, each answer asks its client to come back on another connection. */
function closingWhile(isDraining: () => boolean, answer: ApiFetch): ApiFetch {
  const closing: ApiFetch = async (request) => {
    const response = await answer(request)
    response.headers.set('connection', 'close')
    return response
  }
  return (request) => (isDraining() ? closing(request) : answer(request))
}
