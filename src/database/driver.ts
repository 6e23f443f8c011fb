/** The driver's clients: one connection each, with the settings that the pool relies on. */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import postgres from 'postgres'
import { protect, type Transport, takeTransport } from './tls.ts'

/** The name by which servers, and the embedded database's socket, know this program's connections. */
export const PROGRAM_NAME = 'chainkin'

/** Where to connect: a URL, the socket of the embedded database, or a database that this process runs. */
export interface Address {
  url?: string
  /** Shared by the pools of one server; absent: what the URL says. */
  transport?: Transport
  socketPath?: string
  /** Opens a connection to a database of this process: the embedded one, or one in memory. */
  openStream?: () => Duplex
}

/** What postgres.js hands to its option `socket`, which its types don't know. */
interface SocketOptions {
  path?: string | undefined
  host: string[]
  port: number[]
  /** What servers have said of themselves so far. */
  parameters: Record<string, string>
}

type Settings = postgres.Options<Record<string, never>> & {
  socket?: (options: SocketOptions) => Duplex | Promise<Duplex>
}

/** For a socket and its TLS. Less than the driver's own limit, which can't end an attempt that has no socket yet. */
const CONNECT_TIMEOUT_MS = 2_000

/**
 * Returns a function that makes a client of one connection. The client closes a socket that opens once it
 * `isOver`, because the driver's `end` doesn't, and tells `onSession` whether the server has begun a session.
 */
export function clientFactory({ socketPath, openStream, ...address }: Address) {
  const { url, transport } =
    address.url && !address.transport ? takeTransport(address.url) : address
  const settings: Settings = {
    max: 1,
    // The socket comes with the TLS that it should have.
    ssl: false,
    // A database of this process makes a connection wait only while the process is busy.
    connect_timeout: openStream ? 0 : 5,
    // The default reaches 20 s, and after an outage the pool must be back within one.
    backoff: (attempt) => Math.min(0.05 * 2 ** attempt, 0.5),
    onnotice: () => {},
    // The driver would query array types on its own when it connects, and leave a failure uncaught.
    fetch_types: false,
    // The embedded database is one session behind one socket: idle connections cost it nothing.
    ...(socketPath ? { path: socketPath } : {}),
    connection: { application_name: PROGRAM_NAME, ...(url && { DateStyle: 'ISO' }) },
    ...(url ? {} : { user: 'postgres', database: 'postgres' }),
  }
  return (isOver: () => boolean, onSession: (begun: boolean) => void = () => {}): postgres.Sql => {
    const socket = async (options: SocketOptions) => {
      onSession(false)
      // The driver tells of a parameter only where it differs from that of the session before.
      options.parameters = {}
      const opened = openStream ? openStream() : await openSocket(options, transport)
      if (isOver()) opened.destroy()
      return opened
    }
    // The server sends its parameters when it begins a session, before it takes a statement.
    const all: Settings = { ...settings, socket, onparameter: () => onSession(true) }
    return url ? postgres(url, all) : postgres(all)
  }
}

/** Connects to the first of the hosts that answers. @throws the error of the last one */
export async function openSocket(
  { path, host, port }: Omit<SocketOptions, 'parameters'>,
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
  }, CONNECT_TIMEOUT_MS)
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
