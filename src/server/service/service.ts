/** Puts the service together: from a database to the two functions that answer requests. */
import { availableParallelism } from 'node:os'
import { createApi } from '../../api/app.ts'
import { exampleAnswers } from '../../api/examples.ts'
import { openApiDocument } from '../../api/openapi/document.ts'
import type { Config } from '../../config.ts'
import { type ConsoleServices, openConsole } from '../../console/acts/services.ts'
import { waitingCounts } from '../../console/acts/waiting.ts'
import { consoleRoutes } from '../../console/routes.ts'
import { describeError } from '../../database/client.ts'
import { makeLedgerMonths } from '../../database/ledger-months.ts'
import type { OpenDatabase } from '../../database/open.ts'
import { openDirectory } from '../../directory/records/open.ts'
import { cleanJobs } from '../../intake/import/jobs/store.ts'
import type { Log } from '../../log.ts'
import { createKeyCache } from '../../money/accounts/key-cache.ts'
import { createRequestLog } from '../../money/accounts/request-log.ts'
import { clean, keepHouse } from '../../money/charge/housekeeping.ts'
import { sumLedger } from '../../money/charge/ledger-days.ts'
import { createMeter, type Meter } from '../../money/charge/meter.ts'
import { giveRewards } from '../../money/payments/referrals.ts'
import { once } from '../../once.ts'
import type { WebFetch } from '../../site/frame/app.ts'
import { type Application, openApplication } from '../../site/http/application.ts'
import { createSite } from '../../site/site.ts'
import { createHealth } from './health.ts'

export type Service = Awaited<ReturnType<typeof openService>>

/** Groups of charges in flight at once: one commits while the next is decided. */
const GROUPS_IN_FLIGHT = 2

/** Interval of mails about low balances and orders. */
const NEWS_EVERY_MS = 60_000
/** Interval at which waiting mails are sent. */
const MAILS_EVERY_MS = 30_000

export interface ServiceOptions {
  /** Wraps the meter, for metrics and for tests that make it fail or wait. */
  metered?: (meter: Meter) => Meter
  /** Takes the number of calls of each charged group. */
  onGroup?: (calls: number) => void
  /** Longest wait for a charge before the call is refused, in milliseconds. Default: the meter's. */
  maxWaitMs?: number
  /** True in the one process that does housekeeping and trims the change log for all. */
  keepsHouse?: boolean
  /** Begins imports that pages ask for. */
  imports?: ConsoleServices['imports']
  /** Makes backups that pages ask for. */
  backups?: ConsoleServices['backups']
}

/** The application's answer while its pages can't be built; the next request tries again. */
const withoutPages = () =>
  new Response("The service can't answer right now. Try again in a few seconds.\n", {
    status: 503,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '2' },
  })

type ServiceDatabase = Pick<OpenDatabase, 'database' | 'pool'> &
  Partial<Pick<OpenDatabase, 'standby' | 'takeLongLock'>>

/** Loads the directory and opens the meter. */
export async function openService(
  config: Config,
  { database, pool, standby, takeLongLock }: ServiceDatabase,
  log: Log,
  {
    metered = (meter) => meter,
    onGroup,
    maxWaitMs,
    keepsHouse = true,
    imports,
    backups,
  }: ServiceOptions = {},
) {
  const directory = await openDirectory(database, {
    log,
    standby,
    hasThread: config.workers < availableParallelism(),
    trims: keepsHouse,
  })
  // One connection more than groups, so that counting rejected keys never waits for charges.
  const connections = pool(GROUPS_IN_FLIGHT + 1)
  const limits = { groupsInFlight: GROUPS_IN_FLIGHT, maxWaitMs }
  const { maxLagSeconds } = config
  const health = createHealth(database, directory, { maxLagSeconds, log })
  const onFailure = health.doubtCharges
  const meter = metered(createMeter(connections, { ...limits, onGroup, onFailure }))
  const keys = createKeyCache(database)
  const requests = config.requestLog ? createRequestLog(database, log) : undefined
  const chores = {
    'delete old rows': () => clean(database),
    'delete files of imports': () => cleanJobs(database),
    'give referral rewards': () => giveRewards(database, config.referrals),
    'make months of the ledger': async () => void (await makeLedgerMonths(database)),
    'sum up the ledger by days': () => sumLedger(database),
  }
  const housekeeping = keepsHouse ? keepHouse(chores, log) : undefined
  const opened: Pick<Application | ConsoleServices, 'stop'>[] = []
  const sweeps: { stop(): void }[] = []

  /** Builds the two hosts, API and application, for the addresses that they are reached at. */
  async function hosts(baseUrl: string, appUrl: string) {
    const { serviceName } = config
    const site = { baseUrl, appUrl, serviceName }
    const services = { config, baseUrl, appUrl, directory, meter, keys, requests, log }
    const { fetch: api, fetchWith: callApi, routes } = createApi(services)
    const consoleServices = openConsole(config, {
      database,
      imports,
      backups,
      appUrl,
      log,
      takeLongLock,
    })
    const { mailNotices } = consoleServices
    const application = await openApplication(config, {
      database,
      meter,
      requests,
      appUrl,
      log,
      mailNotices,
    })
    opened.push(application, consoleServices)
    if (keepsHouse) {
      sweeps.push(keepHouse({ 'mail what is new': application.mailNews }, log, NEWS_EVERY_MS))
      sweeps.push(keepHouse({ 'send mails': application.sendMails }, log, MAILS_EVERY_MS))
    }
    // Built on the first request, because the OpenAPI document takes longer than all the rest of a start.
    const pages = once(async () => {
      try {
        const openapi = await openApiDocument(routes, site, await exampleAnswers(site))
        const { readiness } = health
        return createSite(
          { ...site, openapi, directory, application, callApi, readiness, log },
          consoleRoutes(consoleServices),
        )
      } catch (error) {
        // Logged here, once for all waiting requests.
        log.error('the pages could not be built', { error: describeError(error) })
        throw error
      }
    })
    const web: WebFetch = async (request) => {
      const answer = await pages().catch(() => undefined)
      return answer ? answer(request) : withoutPages()
    }
    return { api, web }
  }

  /** Stops following changes and housekeeping; the database stays open. */
  async function stop() {
    housekeeping?.stop()
    for (const sweep of sweeps) sweep.stop()
    await Promise.all(opened.map((each) => each.stop()))
    await requests?.stop()
    await directory.stop()
  }

  // One process counts for all.
  const waiting = keepsHouse ? () => waitingCounts(database) : undefined
  return { directory, meter, requests, health, waiting, hosts, stop }
}
