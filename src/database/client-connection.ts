/** A client's connection to the embedded database: how it begins, and what of it reaches the session. */
import { randomBytes } from 'node:crypto'
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

/** What all connections share. */
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

  /** The client has left. */
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
