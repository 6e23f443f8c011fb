/** The driver's clients: one connection each, with the settings that the pool relies on. */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import postgres from 'postgres'
import { partsOfUrl } from '../database-url.ts'
import { type Hosts, type Place, placeOf } from './hosts.ts'
import { POOLED_SETTINGS, SETTINGS } from './session-settings.ts'
import { protect, type Transport, takeTransport } from './tls.ts'
import { WAITS } from './waits.ts'

/** The name by which servers know this program's connections. */
export const PROGRAM_NAME = 'chainkin'

/** Where to connect: a URL, the socket of the embedded database, or a database that this process runs. */
export interface Address {
  url?: string
  /** Name of the variable that holds the URL, for messages; default DATABASE_URL. */
  variable?: string
  /** Shared by the pools of one server; absent: what the URL says. */
  transport?: Transport
  socketPath?: string
  /** Opens a connection to a database of this process: the embedded one, or one in memory. */
  openStream?: () => Duplex
  /** Several servers, of which the primary is used; shared by the pools. */
  hosts?: Hosts | undefined
}

/** Decisions and events of a client's owner. */
export interface ClientEvents {
  /** True once the client is given up: then a socket that opens is closed, because the driver's `end` doesn't. */
  isOver(): boolean
  /** Called when the server begins a session, or a new attempt begins without one. */
  onSession?: (begun: boolean) => void
  /** A commit waits no longer for the standby that it should be on: somebody cancelled the wait. */
  onUnreplicated?: () => void
  /** A NOTIFY came, on any channel. */
  onNotify?: () => void
  /** The connection ended after it had been made. */
  onClose?: () => void
}

/** The argument that postgres.js hands to its option `socket`, missing in its types. */
interface SocketOptions {
  path?: string | undefined
  host: string[]
  port: number[]
  /** Parameters that servers have reported so far. */
  parameters: Record<string, string>
  /** Startup parameters of the next session. */
  connection: Record<string, string>
}

type Settings = postgres.Options<Record<string, never>> & {
  onnotify?: () => void
  socket?: (options: SocketOptions) => Duplex | Promise<Duplex>
}

/** The function of the server in which a commit waits for its standby. */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN'

/** Returns a function that makes a client of one connection. */
export function clientFactory({ socketPath, openStream, hosts, ...address }: Address) {
  const { url, transport } =
    address.url && !address.transport ? takeTransport(address.url) : address
  const settings: Settings = {
    max: 1,
    // The socket comes with the TLS that it should have.
    ssl: false,
    // A database of this process makes a connection wait only while the process is busy. Others have the limit of a socket
    // and its TLS below; the driver's own, which can't end an attempt that has no socket yet, is longer.
    connect_timeout: openStream ? 0 : WAITS.connectMs / 1_000 + 3,
    // The default reaches 20 s, and after an outage the pool must be back within one.
    backoff: (attempt) => Math.min(0.05 * 2 ** attempt, 0.5),
    // The driver's "read-write" takes a standby for a primary.
    ...(hosts && { target_session_attrs: 'primary' }),
    // The driver would query array types on its own when it connects, and leave a failure uncaught.
    fetch_types: false,
    // The embedded database is one session behind one socket: idle connections cost it nothing.
    ...(socketPath ? { path: socketPath } : {}),
    ...(url ? optionsOf(url) : { user: 'postgres', database: 'postgres' }),
  }
  const { place, parameters } = url ? sessionOf(url) : EMBEDDED
  const open = (options: SocketOptions): Duplex | Promise<Duplex> =>
    openStream?.() ?? openSocket(options, transport)
  return ({
    isOver,
    onSession = () => {},
    onUnreplicated,
    onNotify = () => {},
    onClose = () => {},
  }: ClientEvents): postgres.Sql => {
    let isStandby = false
    let taken: Place | undefined
    const socket = async (options: SocketOptions) => {
      isStandby = false
      onSession(false)
      taken = hosts?.take()
      // The driver tells of a parameter only where it differs from that of the session before.
      options.parameters = {}
      const needed = transport?.takesSettings ? SETTINGS : POOLED_SETTINGS
      Object.assign(options, taken ?? place, { connection: { ...parameters, ...(url && needed) } })
      const opened = await open(options)
      if (isOver()) opened.destroy()
      return opened
    }
    const all: Settings = {
      ...settings,
      socket,
      // The server sends its parameters when it begins a session, before it takes a statement.
      onparameter: (name, value) => {
        isStandby ||= taken !== undefined && name === 'in_hot_standby' && value === 'on'
        onSession(!isStandby)
        if (taken && hosts) isStandby ? hosts.passOver(taken) : hosts.keep(taken)
      },
      onnotice: ({ routine }) => {
        if (routine === WAIT_FOR_STANDBY) onUnreplicated?.()
      },
      onnotify: onNotify,
      onclose: onClose,
    }
    return postgres(all)
  }
}

const EMBEDDED = { place: {}, parameters: { application_name: PROGRAM_NAME } }

/** A URL as options of the driver, which would send parameters that it doesn't know to the server. */
function optionsOf(url: string) {
  const { user, password, database, parameters } = partsOfUrl(url)
  return {
    ...(user && { user }),
    ...(password && { password }),
    ...(database && { database }),
    prepare: parameters.get('prepare') !== 'false',
  }
}

/** Where the sessions of a URL are, and what it asks for. */
function sessionOf(url: string) {
  const { host, parameters: given } = partsOfUrl(url)
  const options = given.get('options')
  return {
    // Without a host it is the driver's default.
    place: host && placeOf(url),
    parameters: {
      application_name: given.get('application_name') || PROGRAM_NAME,
      ...(options && { options }),
    },
  }
}

/** Connects to the first of the hosts that answers. @throws the error of the last one */
export async function openSocket(
  { path, host, port }: Pick<SocketOptions, 'path' | 'host' | 'port'>,
  transport?: Transport,
): Promise<Socket> {
  if (path) return inTime(createConnection({ path }))
  let failure: unknown
  for (const [position, name] of host.entries()) {
    try {
      const socket = createConnection({ host: name, port: port[position] ?? 5432 })
      return await inTime(socket, transport && (() => protect(socket, name, transport)))
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Waits until a socket is connected, and then protected where it should be. */
async function inTime(socket: Socket, secured?: () => Promise<Socket>): Promise<Socket> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(Object.assign(new Error('no answer in time'), { code: 'CONNECT_TIMEOUT' }))
  }, WAITS.connectMs)
  const ready = once(socket, 'connect').then(async () => {
    keepingOneListener(socket)
    return secured ? keepingOneListener(await secured()) : socket
  })
  try {
    return await Promise.race([ready, late])
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The driver takes all listeners off a socket that it is done with, and a later `error` would end the process. */
function keepingOneListener(socket: Socket): Socket {
  const removeAll = socket.removeAllListeners.bind(socket)
  const ignore = () => {}
  socket.removeAllListeners = (event?: string | symbol) => {
    removeAll(event)
    return socket.on('error', ignore)
  }
  return socket.on('error', ignore)
}
