/** Failures on demand, each made where the real one would be, so that the service answers it as it would then. */
import { setTimeout } from 'node:timers/promises'
import type { ApiFetch } from '../api/app.ts'
import { type Database, DatabaseUnavailable } from '../database/client.ts'
import type { Meter } from '../metering/meter.ts'

export class Drills {
  #outageEndsMs = 0
  #slowMs = 0
  #failures = 0
  /** Milliseconds that the directory's clock was moved on: an outage passes with them. */
  #skippedMs = 0
  readonly #stopped = new AbortController()

  outage(ms: number) {
    this.#outageEndsMs = this.#nowMs() + ms
  }

  slow(ms: number) {
    this.#slowMs = ms
  }

  failNext(calls: number) {
    this.#failures = calls
  }

  skip(ms: number) {
    this.#skippedMs += ms
  }

  /** No failure any more. */
  clear() {
    this.#outageEndsMs = 0
    this.#slowMs = 0
    this.#failures = 0
  }

  /** Answers that are being held back go out at once. */
  stop() {
    this.clear()
    this.#stopped.abort()
  }

  /** A database that can't be reached while there is an outage. */
  aroundDatabase(database: Database): Database {
    return {
      ...database,
      use: async (work, options) => {
        if (this.#nowMs() < this.#outageEndsMs)
          throw new DatabaseUnavailable('an outage was asked for')
        return database.use(work, options)
      },
    }
  }

  /** A meter that fails, in a way that nobody foresaw, before anything is charged. */
  aroundMeter(meter: Meter): Meter {
    return {
      ...meter,
      charge: async (call) => {
        if (this.#failures > 0) {
          this.#failures--
          throw new Error('a failure was asked for')
        }
        return meter.charge(call)
      },
    }
  }

  /** An API that takes its time. */
  aroundApi(api: ApiFetch): ApiFetch {
    return async (request) => {
      if (this.#slowMs > 0) await this.#pause(this.#slowMs)
      return api(request)
    }
  }

  async #pause(ms: number) {
    const { signal } = this.#stopped
    await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  #nowMs(): number {
    return performance.now() + this.#skippedMs
  }
}
