/** The embedded database's two entrances: a Unix socket for other processes, and streams for this one. */

import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers'
import { PROGRAM_NAME } from './driver.ts'
import {
  backendKeyData,
  fatalError,
  MessageReader,
  messagesIn,
  ProtocolViolation,
  parameterStatus,
  startupParameters,
  typeOf,
  VERSION_3_0,
} from './protocol.ts'
import { Session, type SessionKind } from './session.ts'
import type { SessionScheduler } from './session-scheduler.ts'

const MAX_CLIENTS = 100
/** Longest time from connecting to the startup packet. */
const STARTUP_MS = 10_000
/** Most bytes from a client that may wait for PostgreSQL; beyond it no more is read from the client. */
const MAX_PENDING_BYTES = 1024 * 1024
/** Most bytes of answers that a client may leave unread; beyond it the client is disconnected. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024
const RESUME_MS = 5
/** Time for clients to read why they are disconnected. */
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
      // A client that reads on still gets the bytes written before.
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

/** One message of a client; an import's batches are the largest that this program sends. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
const MAX_STARTUP_BYTES = 10_000

const CANCEL_REQUEST = 80877102
/** Asks for TLS, or for GSSAPI's encryption. */
const ENCRYPTION_REQUESTS = [80877103, 80877104]
const NO_ENCRYPTION = Buffer.from('N')
const MAJOR_VERSION = 3

/** Startup parameters that are no settings. */
const NO_SETTINGS = new Set(['user', 'database', 'replication', 'options'])

/** State that all connections share. */
export interface Shared {
  scheduler: SessionScheduler
  /** PostgreSQL's answer to a startup packet. */
  greeting: Uint8Array
  /** The sessions by the key that cancels their statements, in hexadecimal. */
  keys: Map<string, Session>
}

/** The way back to the client. */
export interface ClientStream {
  write(bytes: Uint8Array): unknown
  end(): unknown
}

export class ClientConnection {
  readonly #shared: Shared
  readonly #stream: ClientStream
  readonly #isService: boolean
  readonly #reader = new MessageReader(MAX_MESSAGE_BYTES)
  #session: Session | undefined

  constructor(shared: Shared, stream: ClientStream, isService: boolean) {
    this.#shared = shared
    this.#stream = stream
    this.#isService = isService
  }

  get session() {
    return this.#session
  }

  /** Takes bytes as the client sends them. */
  receive(bytes: Uint8Array) {
    this.#reader.add(bytes)
    try {
      for (let next = this.#reader.next(); next; next = this.#reader.next()) this.#take(next)
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error
      this.refuse('08P01', error.message)
    }
    if (this.#session?.pendingBytes) this.#shared.scheduler.request(this.#session)
  }

  /** Ends the connection, with the reason. */
  refuse(code: string, reason: string) {
    if (this.#session) {
      this.#session.end(code, reason)
      this.#shared.scheduler.leave(this.#session)
    } else {
      this.#stream.write(fatalError(code, reason))
      this.#stream.end()
    }
  }

  /** Handles a client that has left. */
  close() {
    if (!this.#session) return
    this.#session.end()
    this.#shared.scheduler.leave(this.#session)
  }

  #take(message: Buffer) {
    if (this.#reader.isStartup) return this.#begin(message)
    if (typeOf(message) !== 'X') return this.#session?.receive(message)
    this.close()
  }

  #begin(packet: Buffer) {
    const code = packet.length >= 8 ? packet.readInt32BE(4) : 0
    if (ENCRYPTION_REQUESTS.includes(code)) return this.#stream.write(NO_ENCRYPTION)
    if (code === CANCEL_REQUEST) {
      const session = this.#shared.keys.get(packet.toString('hex', 8))
      if (session) this.#shared.scheduler.cancel(session)
      return this.#stream.end()
    }
    if (code >> 16 !== MAJOR_VERSION || packet.length > MAX_STARTUP_BYTES) {
      throw new ProtocolViolation('this is not the start of PostgreSQL’s protocol 3')
    }
    this.#reader.isStartup = false
    if ((code & 0xffff) > 0) this.#stream.write(VERSION_3_0)
    this.#welcome(startupParameters(packet))
  }

  #welcome(parameters: Map<string, string>) {
    const { greeting, keys } = this.#shared
    const isProgram = parameters.get('application_name') === PROGRAM_NAME
    const kind: SessionKind = this.#isService ? 'service' : isProgram ? 'program' : 'guest'
    const settings = settingsOf(parameters)
    const key = randomBytes(8)
    const id = key.toString('hex')
    this.#session = new Session({
      kind,
      ...(kind === 'guest' && { settings: JSON.stringify(settings) }),
      send: (bytes) => this.#stream.write(bytes),
      onEnd: () => {
        keys.delete(id)
        this.#stream.end()
      },
    })
    keys.set(id, this.#session)
    for (const message of messagesIn(greeting)) {
      const own = typeOf(message) === 'K' ? backendKeyData(key) : parameterStatus(message, settings)
      this.#stream.write(own ?? message)
    }
  }
}

/** The settings that a client asks for: as parameters, and as `-c name=value` in `options` (PGOPTIONS). */
function settingsOf(parameters: Map<string, string>): Record<string, string> {
  const options = parameters.get('options') ?? ''
  const given = [...parameters].filter(([name]) => !NO_SETTINGS.has(name) && !name.startsWith('_'))
  const asked = [...options.matchAll(/(?:-c\s*|--)([\w.-]+)=((?:\\.|\S)*)/g)].map(
    ([, name = '', value = '']) => [name.replaceAll('-', '_'), value.replace(/\\(.)/g, '$1')],
  )
  return Object.fromEntries([...given, ...asked])
}
