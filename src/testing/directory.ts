/** Starts a test directory: the real service over a database in memory. */
import { readConfig } from '../config.ts'
import { connect, type Database } from '../database/client.ts'
import type { MemoryDatabase } from '../database/memory.ts'
import type { Rows } from '../import/import.ts'
import { createLog, type Log } from '../log.ts'
import { incoming } from '../runtime.ts'
import { startServer } from '../service/server.ts'
import { openService, type Service } from '../service/service.ts'
import { type AccountOptions, newAccount, type TestAccount } from './account.ts'
import { advanceClock, emptyAccounts, installClock } from './database.ts'
import { FaultInjection } from './fault-injection.ts'
import { checkCount, checkDuration, checkTime } from './options.ts'
import { startWithRecords } from './seed.ts'

/**
 * Rows of companies, people and rounds are in the form of the import (README, "Import"), and the real import
 * stores them. With none of the three the directory holds `fixtures`.
 */
export interface StartOptions extends Rows {
  /**
   * Where the directory's clock stands still, moved by `advance` alone: windows and expiries are then the
   * same in every run. Not given: it is the real time, and it flows.
   */
  now?: Date | string
  /** `false` takes no ports: the service is reached by `fetch` of the directory alone. */
  listen?: boolean
  /** Settings of the service by the names of its environment variables, as `CORS_ORIGINS`; nothing is read from the real environment. */
  environment?: Readonly<Record<string, string>>
}

export interface TestDirectory extends AsyncDisposable {
  /** The API's address, as `http://127.0.0.1:49152`, without a trailing slash. */
  readonly url: string
  /** The application's address, where the documentation and `/openapi.json` are. */
  readonly appUrl: string
  /**
   * Asks the service without a socket: the API, or the application where the URL is one of `appUrl`. A path
   * is one of the API. Clients that take a `fetch` of their own need no port.
   */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>
  /** Makes an account with a key. */
  account(options?: AccountOptions): Promise<TestAccount>
  /**
   * Moves the directory's clock on: rate and reveal windows end, credits and plans expire, an outage passes.
   * @param duration `'61s'`, `'15m'`, `'12h'` or `'7d'`
   */
  advance(duration: string): Promise<void>
  /** From now on, for so many milliseconds of real time, the service answers as it does without its database: 503. */
  outage(ms: number): void
  /** From now on each answer of the API takes so many milliseconds longer; 0 ends it. */
  slow(ms: number): void
  /** The next call that would be answered (or so many) gets a 500, charged nothing. Calls that are refused before, as by 401, don't count. */
  failNext(calls?: number): void
  /** Restores the state after the start: no accounts, windows or faults, the first time; the records stay. */
  reset(): Promise<void>
  /** Stops it and frees everything it holds, as the end of an `await using` does. */
  stop(): Promise<void>
}

/** Addresses where nothing listens. */
export const API_URL = 'http://api.test'
export const APP_URL = 'http://app.test'
/** Where requests without a socket come from. */
const LOOPBACK = '127.0.0.1'

/** The database is in this process: only a busy machine delays its answers. */
const DEADLINE_MS = 30_000

/** A directory with the parts that the project's own tests inspect. */
interface OpenDirectory {
  directory: TestDirectory
  hosts: Hosts
  service: Service
  /** Without injected faults. */
  database: Database
  /** Opens another connection to the database, for a client of one's own. */
  connection: MemoryDatabase['open']
}

type Hosts = Awaited<ReturnType<Service['hosts']>>

export interface InternalOptions {
  log?: Log
  /** Puts records into the database before they are loaded, after any rows given. */
  fill?: ((database: Database) => Promise<unknown>) | undefined
}

/** As `startDirectory` (`start.ts`), with the parts of the directory. */
export async function openTestDirectory(
  { now, listen = true, environment = {}, ...rows }: StartOptions,
  { log: givenLog, fill }: InternalOptions = {},
): Promise<OpenDirectory> {
  const standsAt = now === undefined ? undefined : checkTime('now', now)
  const config = readConfig({ LOG_LEVEL: 'silent', PORT: '0', APP_PORT: '0', ...environment })
  const log = givenLog ?? createLog(config.logLevel)
  /** What is held is freed from the last to the first. */
  const held = new AsyncDisposableStack()
  let freed: Promise<void> | undefined
  const stop = () => {
    freed ??= held.disposeAsync()
    return freed
  }

  try {
    const memory = await startWithRecords(rows)
    held.defer(() => memory.close())
    const pool = (connections: number) =>
      held.adopt(
        connect({ openStream: memory.open, connections, deadlineMs: DEADLINE_MS }),
        (opened) => opened.close(),
      )
    const faults = new FaultInjection()
    const database = pool(4)
    await installClock(database, standsAt)
    await fill?.(database)
    const databases = {
      database: faults.aroundDatabase(database),
      pool: (connections: number) => faults.aroundDatabase(pool(connections)),
    }
    const service = await openService(config, databases, log, {
      metered: (meter) => faults.aroundMeter(meter),
    })
    held.defer(() => service.stop())
    const buildHosts = async (baseUrl: string, appUrl: string): Promise<Hosts> => {
      const { api, web } = await service.hosts(baseUrl, appUrl)
      return { api: faults.aroundApi(api), web }
    }
    const server = listen ? await startServer(config, { hosts: buildHosts }) : undefined
    held.defer(() => server?.stop(true))
    held.defer(() => faults.stop())
    const url = server?.apiUrl ?? config.baseUrl ?? API_URL
    const appUrl = server?.appUrl ?? config.appUrl ?? APP_URL
    const hosts = server?.hosts ?? (await buildHosts(url, appUrl))
    const forget = () => service.meter.forget()

    const directory: TestDirectory = {
      url,
      appUrl,
      async fetch(input, init) {
        const request = new Request(typeof input === 'string' ? new URL(input, url) : input, init)
        const isWeb = new URL(request.url).origin === new URL(appUrl).origin
        const host = isWeb ? hosts.web : hosts.api
        return abortable(request.signal, host(incoming(request, LOOPBACK)))
      },
      account: (given = {}) => newAccount(database, given, forget),
      async advance(duration) {
        const seconds = checkDuration('advance', duration)
        faults.skip(seconds * 1_000)
        await advanceClock(database, seconds)
        forget()
      },
      outage: (ms) => faults.outage(checkCount('outage', ms)),
      slow(ms) {
        faults.slowMs = checkCount('slow', ms)
      },
      failNext(calls = 1) {
        faults.failures = checkCount('failNext', calls)
      },
      async reset() {
        faults.clear()
        await emptyAccounts(database)
        forget()
      },
      stop,
      [Symbol.asyncDispose]: stop,
    }
    return { directory, hosts, service, database, connection: memory.open }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Rejects when the client aborts. */
async function abortable(signal: AbortSignal, response: Promise<Response>): Promise<Response> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([response, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
