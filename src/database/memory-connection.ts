/** A connection to a PGlite in this process: a stream in place of a socket. */
import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

/**
 * PGlite is one session, so its connections take turns. A turn lasts from a message to the answer that
 * ends its exchange outside of a transaction: between one connection's Bind and its Execute another's
 * Bind must not come.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve()

  /** @returns what ends the turn, once it has come. */
  async take(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return resolve
  }
}

const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const READY_FOR_QUERY_BYTES = 6
const IDLE = 'I'.charCodeAt(0)
const TERMINATE = 'X'.charCodeAt(0)
/** Sync ends what the driver left half-way, a simple query the transaction. */
const ABANDON = [message('S'), message('Q', 'rollback')]

/** One connection. The driver writes whole messages, and so does this. */
export class MemoryConnection extends Duplex {
  readonly #pglite: PGlite
  readonly #turns: Turns
  #endTurn: (() => void) | undefined

  constructor(pglite: PGlite, turns: Turns) {
    super()
    this.#pglite = pglite
    this.#turns = turns
  }

  /** The driver asks this of a socket. */
  get readyState(): 'open' | 'closed' {
    return this.destroyed ? 'closed' : 'open'
  }

  override _read() {}

  override _write(messages: Uint8Array, _encoding: string, done: (error?: Error) => void) {
    this.#exchange(messages).then(() => done(), done)
  }

  async #exchange(messages: Uint8Array) {
    if (messages[0] === TERMINATE) return
    this.#endTurn ??= await this.#turns.take()
    if (this.destroyed) return this.#abandon()
    const answer = this.#pglite.execProtocolRawSync(messages)
    if (endsExchange(answer)) this.#finishTurn()
    this.push(answer)
  }

  #finishTurn() {
    this.#endTurn?.()
    this.#endTurn = undefined
  }

  #abandon() {
    if (!this.#endTurn) return
    for (const each of ABANDON) this.#pglite.execProtocolRawSync(each)
    this.#finishTurn()
  }

  override _final(done: (error?: Error) => void) {
    done()
    this.destroy()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    this.#abandon()
    done(error)
  }
}

/** Whether it ends in ReadyForQuery, outside of a transaction. */
function endsExchange(answer: Uint8Array): boolean {
  const ready = answer.subarray(-READY_FOR_QUERY_BYTES)
  return ready[0] === READY_FOR_QUERY && ready[4] === 5 && ready.at(-1) === IDLE
}

/** A message of the protocol with one text in it, or none. */
function message(type: string, text?: string): Uint8Array {
  const body = text === undefined ? '' : `${text}\0`
  const bytes = Buffer.alloc(5 + body.length)
  bytes.write(type)
  bytes.writeInt32BE(4 + body.length, 1)
  bytes.write(body, 5)
  return bytes
}
