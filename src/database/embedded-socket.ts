/** The embedded database's two entrances: a Unix socket for other processes, and streams for this one. */
import { chmod } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers'
import { ClientConnection, type Shared } from './client-connection.ts'

const MAX_CLIENTS = 100
/** From connecting to the startup packet. */
const STARTUP_MS = 10_000
/** What a client has sent and PostgreSQL has not taken: then no more is read from it. */
const MAX_PENDING_BYTES = 1024 * 1024
/** What a client was answered and has not read: then it is sent away. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024
const RESUME_MS = 5
/** For clients to read why they are sent away. */
const STOP_MS = 1_000

/** Listens at a path for clients of PostgreSQL. */
export async function listenAt(path: string, shared: Shared) {
  const clients = new Map<Socket, ClientConnection>()
  const server = createServer((socket) => {
    const connection = serve(socket, shared)
    clients.set(socket, connection)
    socket.once('close', () => clients.delete(socket))
    if (clients.size > MAX_CLIENTS) {
      connection.refuse('53300', `${MAX_CLIENTS} clients are connected already: try again later`)
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  // A client of the socket is the database's superuser.
  await chmod(path, 0o600)

  function cutOff() {
    for (const socket of clients.keys()) socket.destroy()
    server.close()
  }
  return {
    /** Cuts all clients off at once. */
    cutOff,
    /** Tells all clients, and cuts off those that don't leave soon. */
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const connection of clients.values()) {
        connection.refuse('57P01', 'the database is stopping: connect again when it runs')
      }
      const timer = setTimeout(cutOff, STOP_MS)
      await closed
      clearTimeout(timer)
    },
  }
}

function serve(socket: Socket, shared: Shared): ClientConnection {
  const timer = setTimeout(() => socket.destroy(), STARTUP_MS)
  const connection = new ClientConnection(
    shared,
    {
      write(bytes) {
        if (!socket.writable) return
        socket.write(bytes)
        if (socket.writableLength > MAX_UNREAD_BYTES) {
          connection.refuse(
            '53400',
            `${MAX_UNREAD_BYTES} bytes wait to be read: ask for less at a time, as with a cursor`,
          )
        }
      },
      // What was written before still reaches the client, if it reads on.
      end: () => socket.end().setTimeout(STARTUP_MS, () => socket.destroy()),
    },
    false,
  )
  socket.on('data', (bytes) => {
    connection.receive(Buffer.from(bytes))
    if (connection.session) clearTimeout(timer)
    if (isFull()) pause()
  })
  const isFull = () =>
    (connection.session?.pendingBytes ?? 0) > MAX_PENDING_BYTES ||
    socket.writableLength > MAX_PENDING_BYTES
  const pause = () => {
    socket.pause()
    const again = setInterval(() => {
      if (!socket.destroyed && isFull()) return
      clearInterval(again)
      socket.resume()
    }, RESUME_MS)
  }
  socket.on('error', () => {})
  socket.once('close', () => {
    clearTimeout(timer)
    connection.close()
  })
  return connection
}

/** A connection of the process that runs the database: a stream in place of a socket. */
export class ServiceStream extends Duplex {
  readonly #connection: ClientConnection

  constructor(shared: Shared) {
    super()
    const stream = {
      // Later: PostgreSQL would wait for its next messages while the driver reads, and the driver forgets what it
      // wants to send where it is answered before its `write` returns.
      write: (bytes: Uint8Array) => setImmediate(() => this.destroyed || this.push(bytes)),
      end: () => setImmediate(() => this.destroy()),
    }
    this.#connection = new ClientConnection(shared, stream, true)
  }

  /** The driver reads this of its socket. */
  get readyState(): 'open' | 'closed' {
    return this.destroyed ? 'closed' : 'open'
  }

  override _read() {}

  override _write(bytes: Uint8Array, _encoding: string, done: (error?: Error) => void) {
    this.#connection.receive(bytes)
    done()
  }

  override _final(done: (error?: Error) => void) {
    done()
    this.destroy()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    this.#connection.close()
    done(error)
  }
}
