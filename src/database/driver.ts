/** The driver's clients: one connection each, with the settings that the pool relies on. */
import type { Duplex } from 'node:stream'
import postgres from 'postgres'
import { openSocket, type SocketOptions } from './socket.ts'

/** Where to connect: a URL, the socket of the embedded database, or a database in this process's memory. */
export interface Address {
  url?: string
  socketPath?: string
  /** Opens a connection to the database in memory. */
  openMemory?: () => Duplex
}

/** postgres.js knows the option `socket`, its types don't. */
type Settings = postgres.Options<Record<string, never>> & {
  socket?: (options: SocketOptions) => Duplex | Promise<Duplex>
}

/**
 * Returns a function that makes a client of one connection. The client closes a socket that opens once it
 * `isOver`, because the driver's `end` doesn't, and tells `onSession` whether the server has begun a session.
 */
export function clientFactory({ url, socketPath, openMemory }: Address) {
  const settings: Settings = {
    max: 1,
    // A database in this process's memory makes a connection wait only while the process is busy.
    connect_timeout: openMemory ? 0 : 5,
    // The default reaches 20 s, and after an outage the pool must be back within one.
    backoff: (attempt) => Math.min(0.05 * 2 ** attempt, 0.5),
    onnotice: () => {},
    // The driver would query array types on its own when it connects, and leave a failure uncaught.
    fetch_types: false,
    // The embedded database is one session behind one socket: idle connections cost it nothing.
    ...(socketPath ? { path: socketPath } : {}),
    ...(url
      ? { connection: { application_name: 'chainkin', DateStyle: 'ISO' } }
      : { user: 'postgres', database: 'postgres' }),
  }
  return (isOver: () => boolean, onSession: (begun: boolean) => void = () => {}): postgres.Sql => {
    const socket = async (options: SocketOptions) => {
      onSession(false)
      const opened = await (openMemory ?? openSocket)(options)
      if (isOver()) opened.destroy()
      return opened
    }
    // The server sends its parameters when it begins a session, before it takes a statement.
    const all: Settings = { ...settings, socket, onparameter: () => onSession(true) }
    return url ? postgres(url, all) : postgres(all)
  }
}
