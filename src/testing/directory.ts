/** Start of a test directory: the real service over a database in memory. */
import {
  addressOf,
  type Config,
  connect,
  createLog,
  type Database,
  forgetRefusals,
  type IncomingRequest,
  incoming,
  KINDS,
  type Log,
  openService,
  readConfig,
  type Service,
  startServer,
} from '../embed-testing.ts'
import { accountHandle, newAccount } from './account.ts'
import { awake } from './awake.ts'
import { type Carrier, WITHOUT_SOCKET } from './carrier.ts'
import { advanceClock, emptyAccounts } from './database.ts'
import { FaultInjection } from './fault-injection.ts'
import {
  checkClockTime,
  checkCount,
  checkDuration,
  checkNames,
  checkTime,
  WrongOption,
} from './options.ts'
import { type Relay, startRelay } from './relay.ts'
import { importGiven, type LentDatabase, lendDatabase } from './seed.ts'
import { START_OPTIONS, type StartOptions, type TestDirectory } from './test-directory.ts'
import { newUser } from './users.ts'

/** Addresses where nothing listens. */
export const API_URL = 'http://api.test'
export const APP_URL = 'http://app.test'
/** Where requests without a socket come from. */
const LOOPBACK = '127.0.0.1'

/** The database is in this process: only a busy machine delays its answers, and that is no outage. */
const DEADLINE_MS = 30_000

/** A directory with the parts that the project's own tests inspect. */
interface OpenDirectory {
  directory: TestDirectory
  hosts: Hosts
  service: Service
  /** Without injected faults. */
  database: Database
  /** Opens another connection to the database, for a client of one's own. */
  connection: LentDatabase['open']
}

type Hosts = Awaited<ReturnType<Service['hosts']>>

export interface InternalOptions {
  log?: Log
  /** Puts records into the database before they are loaded, after any rows given. */
  fill?: ((database: Database) => Promise<unknown>) | undefined
  /** Runs the service's periodic work, as folding the ledger; defaults to true. */
  keepsHouse?: boolean
  /** Lets a further directory take over the database after the stop, because nobody but the kit has it. */
  isReusable?: boolean
  /**
   * Whether clients run in another process. Each call then has a connection of its own: a fault that resets connections closes the idle
   * ones, which such a client may see too late.
   */
  hasRemoteClients?: boolean
}

/** As `startDirectory` (`start.ts`), with the parts of the directory. */
export function openTestDirectory(
  options: StartOptions,
  internal: InternalOptions = {},
): Promise<OpenDirectory> {
  return awake(() => open(options, internal))
}

async function open(options: StartOptions, internal: InternalOptions): Promise<OpenDirectory> {
  const { log: givenLog, fill, keepsHouse = true } = internal
  const { isReusable = false, hasRemoteClients = false } = internal
  checkNames('startDirectory', options, START_OPTIONS)
  const { now, listen = true, environment = {}, ...rows } = options
  const standsAt = now === undefined ? undefined : checkClockTime('now', checkTime('now', now))
  const config = readSettings(environment)
  const log = givenLog ?? createLog(config.logLevel)
  const held = new AsyncDisposableStack()
  let freed: Promise<void> | undefined
  const stop = () => {
    freed ??= awake(() => held.disposeAsync())
    return freed
  }

  try {
    const lent = await lendDatabase(rows, standsAt, isReusable)
    held.defer(lent.giveBack)
    const pool = (connections: number) =>
      held.adopt(
        keptAwake(connect({ openStream: lent.open, connections, deadlineMs: DEADLINE_MS })),
        (opened) => opened.close(),
      )
    const database = pool(4)
    const clock = startClock(database, standsAt)
    const faults = new FaultInjection({
      database,
      now: clock.now,
      closesConnections: hasRemoteClients,
    })
    await fill?.(database)
    const faultyDatabase = faults.aroundDatabase(database)
    const databases = {
      database: faultyDatabase,
      pool: (connections: number) => faults.aroundDatabase(pool(connections)),
    }
    const service = await openService(config, databases, log, {
      metered: (meter) => faults.aroundMeter(meter),
      maxWaitMs: DEADLINE_MS,
      keepsHouse,
    })
    held.defer(() => service.stop())
    const relay = listen
      ? held.adopt(await startRelay(config), (opened) => opened.stop())
      : undefined
    const carrierOf = ({ socketPort = 0 }: IncomingRequest) =>
      relay?.carrierOf(socketPort) ?? WITHOUT_SOCKET
    const buildHosts = faultyHosts(service, faults, carrierOf)
    const server = relay && (await startBehind(relay, config, buildHosts))
    held.defer(() => server?.stop(true))
    held.defer(() => faults.stop())
    const { apiUrl, appUrl, hosts } = server ?? (await hostsAlone(config, buildHosts))
    const directory = directoryOf({
      url: apiUrl,
      appUrl,
      trialCredits: config.trialCredits,
      hosts,
      service,
      database,
      faultyDatabase,
      clock,
      faults,
      relay,
      stop,
    })
    return { directory, hosts, service, database, connection: lent.open }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The hosts of a directory that listens nowhere, by the addresses that its answers name. */
async function hostsAlone({ baseUrl, appUrl }: Config, buildHosts: Service['hosts']) {
  const addresses = { apiUrl: baseUrl ?? API_URL, appUrl: appUrl ?? APP_URL }
  return { ...addresses, hosts: await buildHosts(addresses.apiUrl, addresses.appUrl) }
}

/** The parts of a directory that its methods use. */
interface Parts extends Pick<OpenDirectory, 'hosts' | 'service' | 'database'> {
  url: string
  appUrl: string
  trialCredits: number
  /** The service's own, with injected faults. */
  faultyDatabase: Database
  clock: Clock
  faults: FaultInjection
  relay: Relay | undefined
  stop(): Promise<void>
}

function directoryOf(parts: Parts): TestDirectory {
  const { url, appUrl, trialCredits, hosts, service, database, faultyDatabase } = parts
  const { clock, faults, relay, stop } = parts
  const forget = () => {
    service.meter.forget()
    forgetRefusals(faultyDatabase)
  }
  const advance = async (option: string, ms: number) => {
    checkClockTime(option, new Date(clock.now().getTime() + ms))
    faults.skip(ms)
    await clock.advance(ms)
    forget()
  }

  return {
    url,
    appUrl,
    async fetch(input, init) {
      const request = new Request(typeof input === 'string' ? new URL(input, url) : input, init)
      const isWeb = new URL(request.url).origin === new URL(appUrl).origin
      const host = isWeb ? hosts.web : hosts.api
      return abortable(request.signal, () => host(incoming(request, LOOPBACK)))
    },
    account: (given = {}) => newAccount(database, given, forget),
    accountOf: (id) => accountHandle(database, id, forget),
    user: (given = {}) => newUser(database, given, trialCredits, forget),
    async records(given) {
      checkNames('records', given, KINDS)
      await importGiven(database, given)
      await service.directory.refresh()
    },
    now: clock.now,
    advance: async (duration) => advance('advance', checkDuration('advance', duration) * 1_000),
    async setNow(time) {
      const ms = checkTime('setNow', time).getTime() - clock.now().getTime()
      if (ms < 0)
        throw new WrongOption('setNow: expected a time that is not before the clock’s own')
      await advance('setNow', ms)
    },
    outage: (ms) => faults.outage(checkCount('outage', ms)),
    slow(ms) {
      faults.slowMs = checkCount('slow', ms)
    },
    failNext(calls = 1) {
      faults.failures = checkCount('failNext', calls)
    },
    fault(given) {
      const fault = faults.scoped.add(given)
      if (relay && faults.scoped.hasReset) fault.ready = relay.closeIdle()
      return fault
    },
    faults: () => faults.scoped.list(),
    calls: (filter) => faults.journal.list(filter),
    async reset() {
      faults.clear()
      await emptyAccounts(database)
      clock.reset()
      faults.journal.clear()
      forget()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Makes the service's hosts, with faults around the API. */
function faultyHosts(
  service: Service,
  faults: FaultInjection,
  carrierOf: (request: IncomingRequest) => Carrier,
) {
  return async (baseUrl: string, appUrl: string): Promise<Hosts> => {
    const { api, web } = await service.hosts(baseUrl, appUrl)
    const faulty = faults.aroundApi(api, carrierOf)
    return {
      api: (request) => awake(() => faulty(request)),
      web: (request) => awake(() => web(request)),
    }
  }
}

/** A database that keeps the event loop awake during its queries. */
function keptAwake(database: Database): Database {
  return { ...database, use: (work, options) => awake(() => database.use(work, options)) }
}

/** Starts the listeners, with the API's behind the relay, whose address is the API's. */
async function startBehind(relay: Relay, config: Config, hosts: Service['hosts']) {
  const baseUrl = config.baseUrl ?? addressOf(config.host, relay.port)
  const server = await startServer({ ...config, port: 0, baseUrl }, { hosts })
  relay.to(server.apiPort)
  return server
}

/** Rejects when the client aborts; asks nothing where it has done so before. */
async function abortable(signal: AbortSignal, ask: () => Promise<Response>): Promise<Response> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([ask(), promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Windows and expiry are measured by it. */
type Clock = ReturnType<typeof startClock>

/** @param standsAt the time at which the database's clock stands still but for being advanced; undefined for the real time, which flows. */
function startClock(database: Database, standsAt: Date | undefined) {
  let aheadMs = 0
  return {
    now: () => new Date((standsAt?.getTime() ?? Date.now()) + aheadMs),
    async advance(ms: number) {
      aheadMs += ms
      await advanceClock(database, ms)
    },
    /** The database's own clock is reset with its accounts. */
    reset() {
      aheadMs = 0
    },
  }
}

/** Variables of `serve` that say nothing here: nobody would see that they are not heeded. */
const OF_SERVE_ALONE = [
  ...['DATABASE_URL', 'DATABASE_READ_URL', 'DATABASE_WAIT_SECONDS', 'DATA_DIR', 'LEDGER_MONTHS'],
  ...['BACKUP_DIR', 'BACKUP_EVERY', 'BACKUP_KEEP'],
  ...['WORKERS', 'METRICS_PORT', 'ACCESS_LOG', 'DRAIN_SECONDS'],
]

/**
 * Checks settings by the names of their variables.
 * @throws ConfigError naming each wrong value; WrongOption where there is no such setting, or none in memory
 */
function readSettings(environment: Readonly<Record<string, string>>): Config {
  const known = new Set<string | symbol>()
  const settings = { LOG_LEVEL: 'silent', PORT: '0', APP_PORT: '0', ...environment }
  const config = readConfig(
    new Proxy<Record<string, string>>(settings, {
      get(target, name) {
        known.add(name)
        return Reflect.get(target, name)
      },
    }),
  )
  for (const name of Object.keys(environment)) {
    if (!known.has(name)) throw new WrongOption(`environment: there is no setting ${name}`)
    if (OF_SERVE_ALONE.includes(name)) {
      throw new WrongOption(
        `environment: ${name} is a setting of serve, and none of a test directory`,
      )
    }
  }
  return config
}
