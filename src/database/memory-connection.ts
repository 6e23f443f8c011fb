/** A connection to a PGlite in this process: a stream in place of a socket. */
import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'
import type { createMutex } from '../mutex.ts'

const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const READY_FOR_QUERY_BYTES = 6
const IDLE = 'I'.charCodeAt(0)
const TERMINATE = 'X'.charCodeAt(0)
/** Sync ends an exchange that the driver left half-way, a simple query ends the transaction. */
const ABANDON = [Buffer.from('S\0\0\0\x04'), Buffer.from('Q\0\0\0\x0drollback\0')]

/**
 * One connection. The driver writes whole messages, and reads whole messages from it.
 *
 * It holds PGlite's only session from a message to the answer that ends its exchange outside of a transaction: no
 * other connection's Bind may come between its Bind and its Execute.
 */
export class MemoryConnection extends Duplex {
  readonly #pglite: PGlite
  readonly #session: ReturnType<typeof createMutex>
  #release: (() => void) | undefined

  constructor(pglite: PGlite, session: ReturnType<typeof createMutex>) {
    super()
    this.#pglite = pglite
    this.#session = session
  }

  /** The driver reads this of its socket. */
  get readyState(): 'open' | 'closed' {
    return this.destroyed ? 'closed' : 'open'
  }

  override _read() {}

  override _write(messages: Uint8Array, _encoding: string, done: (error?: Error) => void) {
    this.#exchange(messages).then(() => done(), done)
  }

  async #exchange(messages: Uint8Array) {
    if (messages[0] === TERMINATE) return
    this.#release ??= await new Promise<() => void>((onAcquired) => {
      this.#session.runExclusive(() => new Promise<void>(onAcquired))
    })
    if (this.destroyed) return this.#abandon()
    const answer = this.#pglite.execProtocolRawSync(messages)
    if (endsExchange(answer)) this.#releaseSession()
    this.push(answer)
  }

  #releaseSession() {
    this.#release?.()
    this.#release = undefined
  }

  #abandon() {
    if (!this.#release) return
    for (const each of ABANDON) this.#pglite.execProtocolRawSync(each)
    this.#releaseSession()
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

/** Whether an answer ends in ReadyForQuery, outside of a transaction. */
function endsExchange(answer: Uint8Array): boolean {
  const ready = answer.subarray(-READY_FOR_QUERY_BYTES)
  return ready[0] === READY_FOR_QUERY && ready[4] === 5 && ready.at(-1) === IDLE
}
