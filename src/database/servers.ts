/**
 * Several servers of which one takes changes: the primary, and standbys that may become it. A connection to each asks
 * again and again what it is, so that connections go to the primary, and after a failover to the one that was promoted.
 *
 * A server that was replaced may come back and take changes as if nothing had happened. PostgreSQL numbers its histories: each
 * promotion begins a timeline with a higher number. So a server of an earlier timeline than one that was seen gets nothing, and
 * whatever is open to it is closed.
 */
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { partsOfUrl, TARGET_SESSION_ATTRS, urlOfEachHost, urlParameter } from '../database-url.ts'
import { connect, type Database, DatabaseUnavailable, errorCode } from './client.ts'
import { type Address, openSocket } from './driver.ts'
import { explainFailure, type Target } from './failures.ts'
import { type Transport, takeTransport } from './tls.ts'

/** Time between two questions to a server: while the primary answers, and while none does. */
const CALM_MS = 1_000
const SEARCHING_MS = 100
/** A server that is down may have lost its name. */
const NO_SUCH_HOST = 'ENOTFOUND'

/**
 * Where `DATABASE_URL` leads. A URL of one host that asks for nothing is that host, as it is.
 * @param onTrouble called with a description when another server becomes the primary, or two say that they are.
 * @throws ConfigError
 */
export function addressOf(url: string, onTrouble?: (what: string) => void): DatabaseAddress {
  const urls = urlOfEachHost(url) ?? [url]
  if (urls.length === 1 && urlParameter(url, TARGET_SESSION_ATTRS) === null) {
    return { ...takeTransport(url), stop: async () => {} }
  }
  const hosts = urls.map((each) => {
    const rest = new URL(each)
    rest.searchParams.delete(TARGET_SESSION_ATTRS)
    return takeTransport(rest.href)
  })
  const [first] = hosts
  if (!first) throw new Error('a URL without a host')
  const servers = new Servers(hosts, onTrouble)
  return {
    ...first,
    openPrimary: () => servers.open(),
    primary: () => servers.primary,
    stop: () => servers.stop(),
  }
}

export type DatabaseAddress = Address & { stop(): Promise<void> }

class Servers {
  readonly #servers: Server[]
  readonly #onTrouble: (what: string) => void
  /** The primary that was found last, and its timeline: the highest that was seen. */
  #primary: { server: Server; timeline: number; system: string } | undefined
  /** Why no connection can be made now; undefined while the primary answers. */
  #failure: DatabaseUnavailable | undefined
  /** Settled once each server was asked. */
  readonly #begun = Promise.withResolvers<void>()
  #stopped = false
  #told = ''

  constructor(
    hosts: readonly { url: string; transport: Transport }[],
    onTrouble: (what: string) => void = () => {},
  ) {
    this.#onTrouble = onTrouble
    this.#servers = hosts.map(serverAt)
    for (const server of this.#servers) void this.#watch(server)
  }

  get primary(): Target | undefined {
    return this.#primary?.server.target
  }

  /** Opens a socket to the primary. @throws DatabaseUnavailable at once where there is none */
  async open(): Promise<Socket> {
    await this.#begun.promise
    const { server } = this.#primary ?? {}
    // One of its own for each: the driver writes on errors which statement met them.
    if (this.#failure) throw new DatabaseUnavailable(this.#failure.reason, this.#failure)
    if (!server) throw new DatabaseUnavailable('the servers are no longer watched')
    const { host, port, path } = server.target
    const socket = await openSocket(
      { path: path || undefined, host, port },
      server.transport,
    ).catch((error: unknown) => {
      this.#wakeAll()
      const failure = explainFailure(errorCode(error) ?? '', server.target)
      const reason = failure?.reason ?? `${server.place} broke off`
      throw new DatabaseUnavailable(reason, { cause: error, mayPass: failure?.mayPass ?? true })
    })
    if (server !== this.#primary?.server) {
      socket.destroy()
      throw new DatabaseUnavailable('another server became the primary')
    }
    server.sockets.add(socket)
    return socket.once('close', () => server.sockets.delete(socket))
  }

  async stop() {
    this.#stopped = true
    this.#begun.resolve()
    this.#wakeAll()
    await Promise.all(this.#servers.map(({ asking }) => asking.close()))
  }

  /** Asks a server again and again. */
  async #watch(server: Server) {
    while (!this.#stopped) {
      server.latest = await ask(server.asking)
      this.#decide()
      const woken = new Promise<void>((resolve) => {
        server.wake = resolve
      })
      const isCalm = this.#failure === undefined && this.#primary
      await Promise.race([woken, pause(isCalm ? CALM_MS : SEARCHING_MS, undefined, { ref: false })])
    }
  }

  #wakeAll() {
    for (const { wake } of this.#servers) wake()
  }

  /** Decides which server is the primary, by the latest answer of each. */
  #decide() {
    const known = this.#primary
    const wasCalm = this.#failure === undefined
    const isComplete = this.#servers.every(({ latest }) => latest !== undefined)
    const all = this.#servers.filter(isPrimary)
    const candidates = all.filter(({ latest }) => !known || latest.system === known.system)
    const timeline = Math.max(0, ...candidates.map(({ latest }) => latest.timeline))
    const newest = candidates.filter(({ latest }) => latest.timeline === timeline)
    // One server may have two names; the one that is used already stays.
    const first = newest.find((server) => server === known?.server) ?? newest[0]
    const isOne = first !== undefined && newest.every((server) => isSame(server, first))
    const seen = Math.max(known?.timeline ?? 0, wasCalm && known ? 0 : this.#timelineOfStandbys())
    const isLater = known !== undefined && timeline > known.timeline
    // The first choice waits until each was asked: one of a later timeline may be among them.
    if (!isLater && !isComplete) return
    const systems = new Set(this.#servers.map(({ latest }) => systemOf(latest)).filter(Boolean))
    if (!known && systems.size > 1) {
      this.#failure = new DatabaseUnavailable(
        `${this.#servers.map(({ place }) => place).join(', ')} are not copies of one database: correct the hosts in DATABASE_URL`,
        { mayPass: false },
      )
    } else if (first && timeline >= seen) {
      if (isOne) this.#take(first)
      this.#failure = isOne || first === known?.server ? undefined : this.#undecided(newest)
    } else {
      this.#failure = this.#noPrimary(seen)
    }
    if (wasCalm && this.#failure) this.#wakeAll()
    const used = all.find((server) => server === this.#primary?.server)
    const others = all.filter((server) => !used || !isSame(server, used))
    this.#tell(others.map(({ place, latest }) => `${place} (timeline ${latest.timeline})`).join())
    this.#begun.resolve()
  }

  #take(server: AnsweringServer) {
    const before = this.#primary
    const { timeline, system } = server.latest
    this.#primary = { server, timeline, system }
    if (!before || before.server === server) return
    this.#onTrouble(`the primary is ${server.place} (timeline ${timeline}) from now on`)
    for (const socket of before.server.sockets) socket.destroy()
  }

  /** Says which servers take changes beside the primary, when it becomes other ones. */
  #tell(others: string) {
    if (others !== this.#told && others !== '') {
      const cure = 'nothing is sent there: stop it, and make it a standby'
      this.#onTrouble(`beside the primary ${others} takes changes as well, and ${cure}`)
    }
    this.#told = others
  }

  #undecided(servers: readonly Server[]) {
    const places = servers.map(({ place }) => place).join(' and ')
    return new DatabaseUnavailable(
      `${places} both take changes, and nothing says which one counts: stop one, and make it a standby`,
    )
  }

  /**
   * The latest that a standby of the same database is known to have: its primary was promoted, though that one may be away and one that it
   * replaced be back. It counts where a primary is chosen, not against one that goes on.
   */
  #timelineOfStandbys(): number {
    const system = this.#primary?.system
    const standbys = this.#servers
      .filter(hasAnswered)
      .filter(({ latest }) => latest.isStandby && latest.system === (system ?? latest.system))
    return Math.max(0, ...standbys.map(({ latest }) => latest.timeline))
  }

  /** @param timeline the highest that was seen */
  #noPrimary(timeline: number): DatabaseUnavailable {
    const system = this.#primary?.system
    const failures = this.#servers
      .map(({ latest }) => latest)
      .filter((latest) => latest instanceof DatabaseUnavailable)
    const lasting = failures.find((it) => !it.mayPass && errorCode(it) !== NO_SUCH_HOST)
    // A wrong password is what has to be corrected, whatever the others are.
    if (lasting && failures.length === this.#servers.length) return lasting
    const states = this.#servers.map(
      (server) => `${server.place} ${stateOf(server, { system, timeline })}`,
    )
    return new DatabaseUnavailable(
      `no server takes changes (${states.join(', ')}): promote a standby, or correct the hosts in DATABASE_URL`,
    )
  }
}

/** How long a server may take to say what it is. */
const DEADLINE_MS = 1_000
/** pg_hba.conf has no line for this kind of connection; the transport then tries the other kind, where it may. */
const TURNED_AWAY = '28000'

/** A server's answer about itself. */
interface Facts {
  isStandby: boolean
  isReadOnly: boolean
  /** The history of changes that a primary writes; for a standby the latest known to be received, or an earlier one. */
  timeline: number
  /** Start time in seconds since the epoch, by which one server with two names is recognised. */
  runsSince: number
  /** Identifier of the database cluster. */
  system: string
}

export interface Server {
  /** `host:port`, for messages. */
  place: string
  target: Target
  transport: Transport
  /** The connection that asks. */
  asking: Database
  /** The last answer, or why there was none; undefined before the first. */
  latest: Facts | DatabaseUnavailable | undefined
  /** The sockets of everybody's connections to it. */
  sockets: Set<Socket>
  /** Asks it now. */
  wake: () => void
}

export type AnsweringServer = Server & { latest: Facts }

export function serverAt({ url, transport }: { url: string; transport: Transport }): Server {
  const { host, port, path, user, database } = partsOfUrl(url)
  return {
    place: path || `${new URL(url).hostname}:${port}`,
    target: { host: [host], port: [port], path, user, database },
    transport,
    asking: connect({ url, transport, connections: 1, deadlineMs: DEADLINE_MS }),
    latest: undefined,
    sockets: new Set(),
    wake: () => {},
  }
}

export const hasAnswered = (server: Server): server is AnsweringServer =>
  server.latest !== undefined && !(server.latest instanceof DatabaseUnavailable)

export const isPrimary = (server: Server): server is AnsweringServer =>
  hasAnswered(server) && !server.latest.isReadOnly

/** True for one server under two names or addresses. */
export const isSame = ({ latest: a }: AnsweringServer, { latest: b }: AnsweringServer) =>
  a.system === b.system && a.runsSince === b.runsSince

export const systemOf = (latest: Server['latest']) =>
  latest instanceof DatabaseUnavailable ? undefined : latest?.system

export async function ask(asking: Database): Promise<Facts | DatabaseUnavailable> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await asking.use(async ({ sql }) => {
        const [facts] = await sql.unsafe<Facts[]>(FACTS)
        if (!facts) throw new DatabaseUnavailable('no row')
        return facts
      })
    } catch (error) {
      if (isFirst && errorCode(error) === TURNED_AWAY) continue
      if (error instanceof DatabaseUnavailable) return error
      return new DatabaseUnavailable('it does not say what it is', { cause: error })
    }
  }
}

/**
 * The checkpoint's timeline is the earlier one for a while after a promotion: that of the log is written now. A standby tells no user
 * what it receives, and everybody what it had when it last wrote down how far it is.
 */
const FACTS = `
  select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly",
    case when pg_is_in_recovery()
      then greatest((select timeline_id from pg_control_checkpoint()), (select min_recovery_end_timeline from pg_control_recovery()))
      else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline,
    extract(epoch from pg_postmaster_start_time())::float8 as "runsSince",
    (select system_identifier::text from pg_control_system()) as system`

/**
 * Describes, for a message, a server that is not taken as the primary.
 * @param system cluster of the last primary @param timeline the highest that was seen
 */
export function stateOf(
  { latest }: Server,
  { system, timeline }: { system: string | undefined; timeline: number },
): string {
  if (!latest) return 'was not asked'
  if (latest instanceof DatabaseUnavailable) {
    return `does not answer: ${errorCode(latest) ?? 'too slow'}`
  }
  if (latest.isStandby) return 'is a standby'
  if (latest.isReadOnly) return 'is read-only'
  return system === undefined || system === latest.system
    ? `was replaced: it is of timeline ${latest.timeline}, and ${timeline} was seen`
    : 'is no copy of the same database'
}
