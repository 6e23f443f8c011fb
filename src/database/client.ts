/**
 * A small pool of connections, each of which serves one piece of work at a time, by a deadline. postgres.js has no
 * deadline for a query and can't give up a connection whose backend hangs, so each connection is a client of its own
 * (`max: 1`), and one that misses its deadline is destroyed and replaced.
 *
 * Money moves in single statements, never in `sql.begin`: when a backend is killed while the callback awaits something
 * else, the next statement on the same `tx` runs on a new connection and commits by itself.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import { DatabaseUnavailable } from '../start-errors.ts'
import { type Address, type ClientEvents, clientFactory } from './driver.ts'
import {
  explainEmbeddedFailure,
  explainFailure,
  explainRefusal,
  explainStandby,
  type Failure,
  isTurnedAway,
  serverErrorIn,
  type Target,
  wordsOf,
} from './failures.ts'
import { isSettingRefused } from './session-settings.ts'
import { takeTransport } from './tls.ts'
import { WAITS } from './waits.ts'

export { DatabaseUnavailable }

/** One connection: the driver's template tag, and Drizzle on top of it. Times arrive as ISO 8601 text in UTC. */
export interface Connection {
  sql: postgres.Sql
  db: PostgresJsDatabase
}

export type Database = ReturnType<typeof connect>

export interface ClientOptions extends Address {
  connections: number
  /** Default deadline. */
  deadlineMs?: number | undefined
  /** Calls that may wait for a connection before `use` refuses at once. */
  maxWaiting?: number
}

/** The type's OID in `pg_type`. */
const TIMESTAMPTZ = 1184

/** Opens a pool; connections are made when first needed. */
export function connect(address: ClientOptions) {
  const { url, transport } = address
  const pool = new Pool(url && !transport ? { ...address, ...takeTransport(url) } : address)
  return {
    /**
     * Runs `work` on a connection that nothing else uses meanwhile.
     * @param options `deadlineMs`: from the call to its end, waiting for a connection included.
     * @throws DatabaseUnavailable when there is no answer by the deadline, no connection, or the
     *   server turned the statement away for a reason that passes (restart, lock, resources).
     */
    use: <T>(
      work: (connection: Connection) => Promise<T>,
      options?: { deadlineMs?: number },
    ): Promise<T> => pool.use(work, options),
    /** Calls `onNotify` for each NOTIFY and `onConnect` each time listening (re)starts. */
    listen: async (channel: string, onNotify: () => void, onConnect: () => void) =>
      pool.listen(channel, onNotify, onConnect),
    close: () => pool.close(),
  }
}

class Pool {
  readonly #options: ClientOptions
  readonly #client: ReturnType<typeof clientFactory>
  readonly #open = new Set<PooledConnection>()
  readonly #idle: PooledConnection[] = []
  /** Calls that wait for a connection, oldest first. */
  readonly #waiting = new Set<(connection: PooledConnection) => void>()
  #isClosed = false

  constructor(options: ClientOptions) {
    this.#options = options
    this.#client = clientFactory(options)
  }

  async use<T>(
    work: (connection: Connection) => Promise<T>,
    { deadlineMs = this.#options.deadlineMs ?? WAITS.answerMs }: { deadlineMs?: number } = {},
  ): Promise<T> {
    const { transport, hosts } = this.#options
    const endMs = performance.now() + deadlineMs
    const refusals: DatabaseUnavailable[] = []
    for (;;) {
      const hadSettings = transport?.takesSettings === true
      const before = refusals.length
      try {
        return await this.#attempt(work, Math.ceil(endMs - performance.now()), refusals)
      } catch (error) {
        // Where no session was begun nothing of the work was done.
        if (transport && hadSettings && isSettingRefused(serverErrorIn(error))) {
          transport.takesSettings = false
          refusals.length = before
        } else if (refusals.length === before) throw error
        else if (refusals.length >= (hosts?.count ?? 1)) throw refusedByAll(refusals)
      }
    }
  }

  /** @param refusals gets the error where no session was begun */
  async #attempt<T>(
    work: (connection: Connection) => Promise<T>,
    deadlineMs: number,
    refusals: DatabaseUnavailable[],
  ): Promise<T> {
    if (this.#isClosed) throw new DatabaseUnavailable('the pool is closed')
    const { promise: freed, resolve: take } = Promise.withResolvers<PooledConnection>()
    const { promise: passed, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      this.#waiting.delete(take)
      reject(new DeadlinePassed(`no answer in ${deadlineMs} ms`))
    }, deadlineMs)
    let connection: PooledConnection | undefined
    let isHealthy = true
    try {
      connection = this.#acquire(take) ?? (await Promise.race([freed, passed]))
      const result = await Promise.race([work(connection), passed])
      if (connection.isUnreplicated) throw new NotReplicated()
      return result
    } catch (error) {
      const isLate = error instanceof DeadlinePassed
      isHealthy = !(
        isLate ||
        isConnectionLost(error) ||
        unavailableIn(error) ||
        errorCode(error) === READ_ONLY
      )
      if (connection && isLate) this.#options.hosts?.passOver(targetOf(connection))
      const unavailable = asUnavailable(error, connection, this.#explain)
      const isRefused = connection?.hasSession === false && !isLate
      if (isRefused && unavailable instanceof DatabaseUnavailable) refusals.push(unavailable)
      throw unavailable
    } finally {
      clearTimeout(timer)
      if (connection) this.#giveBack(connection, isHealthy)
    }
  }

  /** @returns a connection; where none is free, undefined, and `take` gets the next. */
  #acquire(take: (connection: PooledConnection) => void): PooledConnection | undefined {
    const { connections, maxWaiting = 1_000 } = this.#options
    const ready = this.#idle.pop()
    if (ready) return ready
    if (this.#open.size < connections) return this.#newConnection()
    if (this.#waiting.size >= maxWaiting) {
      throw new DatabaseUnavailable('too many calls are waiting')
    }
    this.#waiting.add(take)
  }

  #giveBack(connection: PooledConnection, isHealthy: boolean) {
    if (isHealthy && !this.#isClosed) return this.#release(connection)
    this.#open.delete(connection)
    connection.sql.end({ timeout: 0 }).catch(() => {})
    if (!this.#isClosed && this.#waiting.size > 0) this.#release(this.#newConnection())
  }

  /** Passes a connection to the call that has waited longest, or keeps it idle. */
  #release(connection: PooledConnection) {
    const [take] = this.#waiting
    if (!take) {
      this.#idle.push(connection)
      return
    }
    this.#waiting.delete(take)
    take(connection)
  }

  #newConnection(): PooledConnection {
    const sql = this.#client({
      isOver: () => !this.#open.has(connection),
      onSession: (begun) => {
        connection.hasSession = begun
      },
      onUnreplicated: () => {
        connection.isUnreplicated = true
      },
    })
    const connection: PooledConnection = {
      sql,
      db: drizzle(sql),
      hasSession: false,
      isUnreplicated: false,
    }
    // Drizzle's own parser leaves times as PostgreSQL writes them.
    sql.options.parsers[TIMESTAMPTZ] = isoTime
    this.#open.add(connection)
    return connection
  }

  /** Explains an error's code for the kind of database: a server that `DATABASE_URL` names, or the embedded one. */
  readonly #explain = (
    code: string,
    connection: PooledConnection,
    error: unknown,
  ): Failure | undefined => {
    const { url, variable, hosts } = this.#options
    if (!url) return explainEmbeddedFailure(code)
    const target = targetOf(connection)
    const { hasSession } = connection
    if (hosts && !hasSession && code === GIVEN_UP) return explainStandby(target, variable)
    const known = explainFailure(code, target, variable)
    const refusal = hasSession ? undefined : serverErrorIn(error)
    return known ?? (refusal && explainRefusal(refusal, target, variable))
  }

  listen(channel: string, onNotify: () => void, onConnect: () => void) {
    // NOTIFY does not cross the embedded database's socket: its followers poll.
    if (!this.#options.url) return { stop: async () => {} }
    return startListening(this.#client, channel, onNotify, onConnect)
  }

  async close() {
    this.#isClosed = true
    const clients = [...this.#open]
    this.#open.clear()
    this.#idle.length = 0
    await Promise.all(clients.map(({ sql }) => sql.end({ timeout: 1 })))
  }
}

interface PooledConnection extends Connection {
  /** False while the driver connects: then it has sent no statement. */
  hasSession: boolean
  /** True if a commit of the session was told to wait no longer for the standby. */
  isUnreplicated: boolean
}

const targetOf = ({ sql }: PooledConnection) => sql.options as Target

/** One reason for all hosts. It may pass where one of them may come back. */
function refusedByAll(refusals: readonly DatabaseUnavailable[]): DatabaseUnavailable | undefined {
  if (refusals.length < 2) return refusals[0]
  const reasons = [...new Set(refusals.map(({ reason }) => reason))]
  const mayPass = refusals.some((refusal) => refusal.mayPass)
  return new DatabaseUnavailable(reasons.join('; '), { cause: refusals.at(-1), mayPass })
}

/** @returns `2026-01-31T10:00:00.000Z` for a time in ISO format, as PostgreSQL or its JSON writes it. */
export function isoTime(time: string): string {
  return new Date(time).toISOString()
}

/** The driver's code for a connection that it gave up by itself. */
const GIVEN_UP = 'CONNECTION_DESTROYED'

/** The server became a standby since the connection was made. */
const READ_ONLY = '25006'

/** Work did not end by its deadline. */
class DeadlinePassed extends Error {}

/** A commit is on this server alone, though it should be on a standby: a failover loses it, so its end is not known. */
class NotReplicated extends Error {
  readonly code = '40003'
}

/** SQLSTATE, or the driver's or system's error code; Drizzle keeps it on `cause`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause ? errorCode(error.cause) : undefined
}

/** An unforeseen error: what it is, and where. Not its message, which may repeat a statement's values. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `something that is no error was thrown: ${typeof error}`
  const frames = error.stack?.split('\n').filter((line) => /^\s*at /.test(line)) ?? []
  return [`${error.name} ${errorCode(error) ?? ''}`.trimEnd(), ...frames.slice(0, 10)].join('\n')
}

/** The connection broke (08, 57P0, the driver's and the system's codes), or the server can't tell the end (40003). */
const LOST = /^(CONNECT|E[A-Z]+$|EAI_|ERR_(SSL|TLS)|08|57P0|40003)/

/** True if the connection broke: the driver may leave a further statement on it without an end. */
export const isConnectionLost = (error: unknown): boolean => LOST.test(errorCode(error) ?? '')

function asUnavailable(
  error: unknown,
  connection: PooledConnection | undefined,
  explain: (code: string, connection: PooledConnection, error: unknown) => Failure | undefined,
): unknown {
  const known = unavailableIn(error)
  if (known) return known
  // Without a session nothing was sent.
  const hasSession = connection?.hasSession ?? false
  if (error instanceof DeadlinePassed) {
    return new DatabaseUnavailable(error.message, { isUnknown: hasSession })
  }
  const code = errorCode(error) ?? ''
  const failure = connection && explain(code, connection, error)
  const isLost = LOST.test(code)
  if (!failure && !isLost && !isTurnedAway(code, error)) return error
  const { reason = wordsOf(code), mayPass = true } = failure ?? {}
  return new DatabaseUnavailable(reason, { cause: error, isUnknown: isLost && hasSession, mayPass })
}

/** Finds the explained error in an error's chain of causes. */
function unavailableIn(error: unknown): DatabaseUnavailable | undefined {
  if (error instanceof DatabaseUnavailable) return error
  return error instanceof Error && error.cause ? unavailableIn(error.cause) : undefined
}

const LISTEN_AGAIN_MS = 250

/**
 * Listens for NOTIFY on a connection of its own, which is made anew when it ends, until it is stopped. The driver's own `listen` gives up where the first try to connect again fails.
 * @param onNotify called for each NOTIFY on the channel
 * @param onConnect called each time listening begins: what was notified before was missed
 */
function startListening(
  client: (events: ClientEvents) => postgres.Sql,
  channel: string,
  onNotify: () => void,
  onConnect: () => void,
) {
  let stopped = false
  let sql: postgres.Sql | undefined

  async function listenOnce() {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    let isOver = false
    const current = client({ isOver: () => isOver || stopped, onNotify, onClose: end })
    sql = current
    try {
      await current`listen ${current(channel)}`
      onConnect()
      await ended
    } catch {
      // The next try is what helps; a follower that hears nothing asks each second anyway.
    }
    isOver = true
    await current.end({ timeout: 0 }).catch(() => {})
  }

  async function listen() {
    while (!stopped) {
      await listenOnce()
      if (!stopped) await pause(LISTEN_AGAIN_MS, undefined, { ref: false })
    }
  }

  void listen()
  return {
    async stop() {
      stopped = true
      await sql?.end({ timeout: 0 })
    },
  }
}
