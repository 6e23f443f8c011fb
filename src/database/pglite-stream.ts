/**
 * Connections to PGlite, as streams of PostgreSQL's protocol for the driver.
 *
 * PGlite has one session. A connection holds it from a message to the answer that ends its exchange outside of a transaction, because
 * no other connection's Bind may come between its Bind and its Execute. (`@electric-sql/pglite-socket` lets them.)
 */
import { Duplex } from 'node:stream'
import { createMutex } from '../mutex.ts'

/** Runs whole messages on PGlite, and passes on the answer as it comes. */
export type RunMessages = (
  messages: Uint8Array,
  onAnswer: (bytes: Uint8Array) => void,
) => Promise<void>

/** PGlite's session, and who may use it now. */
export interface PgliteSession {
  run: RunMessages
  mutex: ReturnType<typeof createMutex>
}

export const sessionOf = (run: RunMessages): PgliteSession => ({ run, mutex: createMutex() })

const HEAD_BYTES = 5
const LENGTH_BYTES = 4
/** PostgreSQL's protocol 3.0. */
const STARTUP_CODE = 196_608
const [PARSE, TERMINATE] = ['P', 'X'].map((type) => type.charCodeAt(0))
/** ReadyForQuery outside of a transaction. */
const READY = Buffer.from('Z\0\0\0\x05I')
const SYNC = Buffer.from('S\0\0\0\x04')
/** Ends an exchange that was left half-way, and the transaction. */
const ABANDON = Buffer.concat([SYNC, Buffer.from('Q\0\0\0\x0drollback\0')])

export class PgliteStream extends Duplex {
  readonly #session: PgliteSession
  readonly #silenceMs: number | undefined
  #rest: Buffer[] = []
  #restBytes = 0
  #isStartup = true
  /** Names of the prepared statements that it made. */
  readonly #statements = new Set<string>()
  #release: (() => void) | undefined
  #exchange: Promise<unknown> = Promise.resolve()
  #silence: ReturnType<typeof setTimeout> | undefined

  /** @param silenceMs how long it may hold the session without a message; default: without a limit */
  constructor(session: PgliteSession, silenceMs?: number) {
    super()
    this.#session = session
    this.#silenceMs = silenceMs
  }

  /** The driver reads this of its socket. */
  get readyState(): 'open' | 'closed' {
    return this.destroyed ? 'closed' : 'open'
  }

  override _read() {}

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error) => void) {
    this.#rest.push(bytes)
    this.#restBytes += bytes.length
    this.#exchange = this.#runWhole()
    this.#exchange.then(() => done(), done)
  }

  override _final(done: (error?: Error) => void) {
    done()
    this.destroy()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    clearTimeout(this.#silence)
    // PGlite may have stopped, and then nothing is left to be tidied.
    this.#exchange.then(() => this.#leave()).catch(() => {})
    done(error)
  }

  async #runWhole() {
    for (let next = this.#wholeMessages(); next.length > 0; next = this.#wholeMessages()) {
      await this.#run(Buffer.concat(next))
    }
  }

  async #run(messages: Buffer) {
    clearTimeout(this.#silence)
    await this.#acquire()
    if (this.destroyed) return
    let end = Buffer.alloc(0)
    await this.#session.run(messages, (bytes) => {
      end = Buffer.concat([end, bytes.subarray(-READY.length)]).subarray(-READY.length)
      this.push(bytes)
    })
    if (end.equals(READY)) return this.#giveBack()
    if (this.#silenceMs === undefined || this.destroyed) return
    this.#silence = setTimeout(() => this.destroy(), this.#silenceMs)
  }

  async #acquire() {
    this.#release ??= await new Promise<() => void>((onAcquired) => {
      this.#session.mutex.runExclusive(() => new Promise<void>(onAcquired))
    })
  }

  #giveBack() {
    this.#release?.()
    this.#release = undefined
  }

  /** Rolls back, and closes its statements: the session is that of all. */
  async #leave() {
    const isHalfWay = this.#release !== undefined
    if (!isHalfWay && this.#statements.size === 0) return
    await this.#acquire()
    const closing = [...this.#statements].map(closeStatement)
    const messages = Buffer.concat([...(isHalfWay ? [ABANDON] : []), ...closing, SYNC])
    await this.#session.run(messages, () => {}).finally(() => this.#giveBack())
  }

  /** Cuts what has come into messages, and leaves the beginning of the next one. PGlite wants the startup packet by itself. */
  #wholeMessages(): Buffer[] {
    const messages: Buffer[] = []
    for (let next = this.#nextMessage(); next; next = this.#nextMessage()) {
      const isFirst = this.#isStartup
      // The driver ends the stream behind it, and waits until it is closed.
      if (!isFirst && next[0] === TERMINATE) return messages
      if (isFirst && !isStartup(next)) {
        this.destroy()
        return []
      }
      if (next[0] === PARSE) this.#noteStatement(next)
      messages.push(next)
      this.#isStartup = false
      if (isFirst) break
    }
    return messages
  }

  #nextMessage(): Buffer | undefined {
    const start = this.#isStartup ? 0 : 1
    if (this.#restBytes < start + LENGTH_BYTES) return undefined
    const bytes = start + this.#joined(start + LENGTH_BYTES).readInt32BE(start)
    if (this.#restBytes < bytes) return undefined
    const all = this.#joined(bytes)
    this.#rest = [all.subarray(bytes)]
    this.#restBytes -= bytes
    return all.subarray(0, bytes)
  }

  /** Joins what has come once its first piece has fewer bytes, because a large message comes in many pieces. */
  #joined(bytes: number): Buffer {
    if ((this.#rest[0]?.length ?? 0) < bytes) this.#rest = [Buffer.concat(this.#rest)]
    return this.#rest[0] ?? Buffer.alloc(0)
  }

  #noteStatement(parse: Buffer) {
    const name = parse.toString('utf8', HEAD_BYTES, parse.indexOf(0, HEAD_BYTES))
    if (name !== '') this.#statements.add(name)
  }
}

/** Recognizes the first packet of the program's own driver: no request for TLS, and none to cancel. */
const isStartup = (packet: Buffer) =>
  packet.length >= 2 * LENGTH_BYTES && packet.readInt32BE(LENGTH_BYTES) === STARTUP_CODE

function closeStatement(name: string): Buffer {
  const body = Buffer.from(`S${name}\0`)
  const head = Buffer.from('C\0\0\0\0')
  head.writeInt32BE(body.length + LENGTH_BYTES, 1)
  return Buffer.concat([head, body])
}
