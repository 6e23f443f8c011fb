/** PostgreSQL's frontend/backend protocol, as far as the embedded database's socket needs it. */

/** A message as it is sent: its type, its length, its body. */
export type Message = Uint8Array

const HEAD_BYTES = 5
const LENGTH_BYTES = 4

/** Message types that a client sends once its session has begun. */
export const FRONTEND = 'QPBDECHSFdcfX'
/** After these the server answers ReadyForQuery: the exchange ends. */
export const ENDS_EXCHANGE = 'QSF'
export const COPY_DATA = 'd'

export function typeOf(message: Message): string {
  return String.fromCharCode(message[0] ?? 0)
}

function message(type: string, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const head = Buffer.from(`${type}\0\0\0\0`)
  head.writeInt32BE(body.length + LENGTH_BYTES, type.length)
  return Buffer.concat([head, body])
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`)
}

export function query(sql: string): Buffer {
  return message('Q', text(sql))
}

export function closeStatement(name: string): Buffer {
  return message('C', text(`S${name}`))
}

export const FLUSH = message('H')
export const SYNC = message('S')
export const COPY_FAIL = message('f', text('the client is gone, or its turn is over'))
export const READY = message('Z', Buffer.from('I'))
/** A client's first packet. */
export const STARTUP = message(
  '',
  Buffer.from([0, 3, 0, 0]),
  text('user'),
  text('postgres'),
  text(''),
)

/** An error that ends the connection. */
export function fatalError(code: string, reason: string): Buffer {
  const fields = ['SFATAL', 'VFATAL', `C${code}`, `M${reason}`].map(text)
  return message('E', ...fields, Buffer.from([0]))
}

/** The newest version that is spoken, for a client that asked for a newer 3.x. */
export const VERSION_3_0 = message('v', Buffer.alloc(8))

/** The key with which a client may cancel its statement. */
export function backendKeyData(key: Uint8Array): Buffer {
  return message('K', key)
}

/** @returns a ParameterStatus anew where a client asked for another value; undefined for any other message. */
export function parameterStatus(
  given: Message,
  asked: Readonly<Record<string, string>>,
): Message | undefined {
  if (typeOf(given) !== 'S') return undefined
  const name = textAt(Buffer.from(given), HEAD_BYTES)
  const value = asked[name]
  return value === undefined ? undefined : message('S', text(name), text(value))
}

/** @returns the messages of a server's answer. */
export function* messagesIn(answer: Uint8Array): Generator<Message> {
  const view = Buffer.from(answer.buffer, answer.byteOffset, answer.length)
  for (let at = 0; at + HEAD_BYTES <= view.length; ) {
    const end = at + 1 + view.readInt32BE(at + 1)
    yield answer.subarray(at, end)
    at = end
  }
}

/** @returns the first column of the first row of a server's answer as text; undefined for null or no row. */
export function firstValue(answer: Uint8Array): string | undefined {
  for (const each of messagesIn(answer)) {
    if (typeOf(each) !== 'D') continue
    const row = Buffer.from(each)
    const length = row.readInt32BE(HEAD_BYTES + 2)
    return length < 0 ? undefined : row.toString('utf8', HEAD_BYTES + 6, HEAD_BYTES + 6 + length)
  }
}

/** Whether an answer ends in ReadyForQuery outside of a transaction. */
export function endsIdle(answer: Uint8Array): boolean {
  return Buffer.from(answer.subarray(-READY.length)).equals(READY)
}

/** The name of the prepared statement that Parse makes, or that Bind, Describe or Close is about. */
export function statementName(each: Message): string | undefined {
  const bytes = Buffer.from(each.buffer, each.byteOffset, each.length)
  const type = typeOf(each)
  if (type === 'P') return textAt(bytes, HEAD_BYTES)
  if (type === 'B') return textAt(bytes, bytes.indexOf(0, HEAD_BYTES) + 1)
  const isOfStatement = String.fromCharCode(bytes[HEAD_BYTES] ?? 0) === 'S'
  return /[DC]/.test(type) && isOfStatement ? textAt(bytes, HEAD_BYTES + 1) : undefined
}

/** @returns the names and values of a startup packet. */
export function startupParameters(packet: Buffer): Map<string, string> {
  const words = packet.toString('utf8', 8).split('\0')
  const parameters = new Map<string, string>()
  for (let at = 0; words[at]; at += 2) parameters.set(words[at] ?? '', words[at + 1] ?? '')
  return parameters
}

function textAt(bytes: Buffer, start: number): string {
  return bytes.toString('utf8', start, bytes.indexOf(0, start))
}

/** Error: the bytes of a client are no message, or too long a one. */
export class ProtocolViolation extends Error {}

/** Cuts what a client sends into messages. A message without type comes first: the startup packet. */
export class MessageReader {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #bytes = 0
  /** Without a type byte. */
  isStartup = true

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(bytes: Uint8Array) {
    this.#parts.push(Buffer.from(bytes))
    this.#bytes += bytes.length
  }

  /** @returns the next whole message; undefined until it has come. @throws ProtocolViolation */
  next(): Buffer | undefined {
    const typeBytes = this.isStartup ? 0 : 1
    if (this.#bytes < typeBytes + LENGTH_BYTES) return undefined
    const head = this.#joined(typeBytes + LENGTH_BYTES)
    if (!this.isStartup && !FRONTEND.includes(typeOf(head))) {
      throw new ProtocolViolation('a message of an unknown type')
    }
    const length = head.readInt32BE(typeBytes)
    if (length < LENGTH_BYTES || length > this.#maxBytes) {
      throw new ProtocolViolation(
        `a message of ${length} bytes: at most ${this.#maxBytes} are taken`,
      )
    }
    const total = typeBytes + length
    if (this.#bytes < total) return undefined
    const all = this.#joined(total)
    const rest = all.subarray(total)
    this.#parts[0] = rest
    this.#bytes -= total
    return all.subarray(0, total)
  }

  /** Joins parts until the first has so many bytes. */
  #joined(bytes: number): Buffer {
    if ((this.#parts[0]?.length ?? 0) < bytes) this.#parts = [Buffer.concat(this.#parts)]
    return this.#parts[0] ?? Buffer.alloc(0)
  }
}
