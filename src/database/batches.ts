/**
 * Answers requests that arrive together by one statement. Strangers can ask for some things as often as they like: is
 * this a key, is this a session? One by one their statements would fill the queue for connections that all pages wait
 * in; in batches they take two connections at most, and one statement answers hundreds.
 */
import { setImmediate } from 'node:timers'
import { DatabaseUnavailable } from './client.ts'

interface BatchOptions<Request, Answer> {
  /** Answers a batch by one statement, in its order. */
  run: (batch: readonly Request[]) => Promise<readonly Answer[]>
  /** The least time between the beginnings of two statements, in milliseconds. */
  everyMs?: number
  maxInFlight?: number
  maxBatch?: number
  /** Requests that may wait; one more is refused at once. */
  maxWaiting?: number
}

interface Entry<Request, Answer> {
  request: Request
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

export class Batches<Request, Answer> {
  readonly #options: Required<BatchOptions<Request, Answer>>
  #waiting: Entry<Request, Answer>[] = []
  #inFlight = 0
  #isDue = false
  #sentMs = Number.NEGATIVE_INFINITY

  constructor(options: BatchOptions<Request, Answer>) {
    this.#options = { everyMs: 0, maxInFlight: 2, maxBatch: 1_000, maxWaiting: 5_000, ...options }
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#options.maxWaiting
  }

  /** @throws DatabaseUnavailable where too many wait; or as `run` threw */
  submit(request: Request): Promise<Answer> {
    if (this.isFull) return Promise.reject(new DatabaseUnavailable('too many look-ups are waiting'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      this.#sendSoon()
    })
  }

  /** Sends after the events at hand, so that all requests that came in with them go together. */
  #sendSoon() {
    const { everyMs, maxInFlight } = this.#options
    if (this.#isDue || this.#waiting.length === 0 || this.#inFlight >= maxInFlight) return
    this.#isDue = true
    const send = () => {
      this.#isDue = false
      void this.#send()
    }
    const waitMs = this.#sentMs + everyMs - performance.now()
    if (waitMs > 0) setTimeout(send, waitMs)
    else setImmediate(send)
  }

  async #send() {
    const batch = this.#waiting.splice(0, this.#options.maxBatch)
    this.#inFlight++
    this.#sentMs = performance.now()
    this.#sendSoon()
    try {
      const answers = await this.#options.run(batch.map(({ request }) => request))
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer)
    } catch (error) {
      // Waiting requests would fail the same way, a deadline later.
      const refused = error instanceof DatabaseUnavailable ? this.#waiting.splice(0) : []
      for (const { reject } of [...batch, ...refused]) reject(error)
    }
    this.#inFlight--
    this.#sendSoon()
  }
}
