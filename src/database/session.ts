/** One client of the embedded database: what it sent, and what makes its session its own. */
import {
  COPY_DATA,
  ENDS_EXCHANGE,
  FLUSH,
  fatalError,
  type Message,
  query,
  statementName,
  typeOf,
} from './protocol.ts'

/** Messages that run at once: up to the end of an exchange, or as many as there are. */
export interface Part {
  bytes: Uint8Array
  /** Whether PostgreSQL answers it with ReadyForQuery. */
  endsExchange: boolean
  /** True if it makes a prepared statement anew, of whose answer the client sees only an error. */
  isHidden: boolean
}

/** Prepared statements that are made anew for one client; further ones last only as long as its turn. */
const MAX_STATEMENTS = 1_000
const MAX_STATEMENT_BYTES = 16 * 1024 * 1024

/** Reads the settings of a session, which `set_config` restores. The role comes last. */
const SETTINGS = query(`
  select pg_catalog.json_object_agg(name, setting)
    from (select name, setting from pg_catalog.pg_settings where source = 'session'
          union all
          select 'session_authorization', session_user where session_user <> 'postgres'
          union all
          select 'role', pg_catalog.current_setting('role')
           where pg_catalog.current_setting('role') <> 'none') s`)

/**
 * `service`: a connection inside the process that runs the database. `program`: one of this program's commands beside it.
 * Both leave nothing behind in their session. `guest`: any other client.
 */
export type SessionKind = 'service' | 'program' | 'guest'

export interface SessionOptions {
  kind: SessionKind
  /** As JSON: those that the client asked for when it connected. */
  settings?: string
  /** Takes what PostgreSQL answers. */
  send: (bytes: Uint8Array) => void
  /** Called once, when the session is over. */
  onEnd: () => void
}

export class Session {
  readonly kind: SessionKind
  readonly send: (bytes: Uint8Array) => void
  /** JSON of the settings that differ from the database's. */
  settings: string | undefined
  readonly #onEnd: () => void
  readonly #messages: Message[] = []
  #pendingBytes = 0
  readonly #statements = new Map<string, Message>()
  #statementBytes = 0
  #onMessage: (() => void) | undefined
  #isOver = false
  /** Why it was ended; undefined where the client left. */
  #reason: Uint8Array | undefined

  static readonly askSettings = SETTINGS

  constructor({ kind, settings, send, onEnd }: SessionOptions) {
    this.kind = kind
    this.settings = settings
    this.send = send
    this.#onEnd = onEnd
  }

  get isOwn() {
    return this.kind !== 'guest'
  }

  get isOver() {
    return this.#isOver
  }

  /** Bytes of messages that wait for their turn. */
  get pendingBytes() {
    return this.#pendingBytes
  }

  /** Names of the prepared statements that it made. */
  get statements(): Iterable<string> {
    return this.#statements.keys()
  }

  receive(message: Message) {
    if (this.#isOver) return
    this.#messages.push(message)
    this.#pendingBytes += message.length
    this.#wake()
  }

  /** Ends the session; `code` and `reason` are told to the client once its statement has ended. */
  end(code?: string, reason?: string) {
    if (this.#isOver) return
    this.#isOver = true
    if (code && reason) this.#reason = fatalError(code, reason)
    this.#wake()
  }

  /** Says goodbye; what a transaction did is rolled back by now. */
  close() {
    const reason = this.#reason
    // Forgotten first: sending to a client that doesn't read closes the session again.
    this.#reason = undefined
    if (reason) this.send(reason)
    this.#onEnd()
  }

  /**
   * Waits for messages. @param present the statements that PostgreSQL knows; others are made anew before they are used.
   * @returns undefined when the session is over.
   */
  async next(present: Set<string>): Promise<Part | undefined> {
    if (!(await this.#hasMessage())) return undefined
    const part: Message[] = []
    for (let first = this.#messages[0]; first; first = this.#messages[0]) {
      const name = statementName(first)
      const isNamed = name !== undefined && (name !== '' || !this.isOwn)
      const known = isNamed && !present.has(name) ? this.#statements.get(name) : undefined
      if (known && /[BD]/.test(typeOf(first))) {
        if (part.length > 0) break
        present.add(name ?? '')
        return { bytes: Buffer.concat([known, FLUSH]), endsExchange: false, isHidden: true }
      }
      if (isNamed) this.#note(typeOf(first), name, first, present)
      part.push(this.#shift(first))
      if (ENDS_EXCHANGE.includes(typeOf(first))) break
    }
    const bytes = part.length === 1 && part[0] ? part[0] : Buffer.concat(part)
    const endsExchange = ENDS_EXCHANGE.includes(typeOf(part.at(-1) ?? FLUSH))
    return { bytes, endsExchange, isHidden: false }
  }

  /** Waits for data of a COPY, or its end. @returns undefined when the session is over. */
  async nextData(): Promise<Uint8Array | undefined> {
    if (!(await this.#hasMessage())) return undefined
    const part: Message[] = []
    for (let first = this.#messages[0]; first; first = this.#messages[0]) {
      part.push(this.#shift(first))
      if (typeOf(first) !== COPY_DATA) break
    }
    return Buffer.concat(part)
  }

  #shift(message: Message): Message {
    this.#messages.shift()
    this.#pendingBytes -= message.length
    return message
  }

  async #hasMessage(): Promise<boolean> {
    while (this.#messages.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#onMessage = resolve
      })
    }
    return !this.#isOver
  }

  #wake() {
    this.#onMessage?.()
    this.#onMessage = undefined
  }

  /** Keeps Parse messages, and forgets those that are closed. */
  #note(type: string, name: string, message: Message, present: Set<string>) {
    if (type !== 'P' && type !== 'C') return
    this.#statementBytes -= this.#statements.get(name)?.length ?? 0
    this.#statements.delete(name)
    present.delete(name)
    if (type === 'C') return
    present.add(name)
    const bytes = this.#statementBytes + message.length
    if (this.#statements.size >= MAX_STATEMENTS || bytes > MAX_STATEMENT_BYTES) return
    this.#statementBytes = bytes
    this.#statements.set(name, message)
  }
}
