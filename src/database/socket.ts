/**
 * The driver's sockets, opened here so that none of their errors escapes. postgres.js takes all
 * listeners off a socket when its connection ends, and an `error` that comes later (a reset by a
 * killed backend) would then have no listener and end the process.
 */
import { createConnection, type Socket } from 'node:net'

/** What postgres.js hands to its `socket` option. */
export interface SocketOptions {
  path?: string | undefined
  host: string[]
  port: number[]
}

/** Less than the driver's own limit, which can't end an attempt that has no socket yet. */
const CONNECT_TIMEOUT_MS = 2_000

/** Connects to the first of the hosts that answers. @throws the system's error of the last one. */
export async function openSocket({ path, host, port }: SocketOptions): Promise<Socket> {
  if (path) return connected(createConnection({ path }))
  let failure: unknown
  for (const [position, name] of host.entries()) {
    try {
      const socket = await connected(createConnection({ host: name, port: port[position] ?? 5432 }))
      // The driver asks for a TLS certificate of this name.
      return Object.assign(socket, { host: name })
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error('no answer in time'), { code: 'CONNECT_TIMEOUT' }))
    }, CONNECT_TIMEOUT_MS)
    socket.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve(keepingOneListener(socket))
    })
  })
}

function keepingOneListener(socket: Socket): Socket {
  const removeAll = socket.removeAllListeners.bind(socket)
  const ignore = () => {}
  socket.removeAllListeners = (event?: string | symbol) => {
    removeAll(event)
    return socket.on('error', ignore)
  }
  return socket.on('error', ignore)
}
