/** Faults on demand, each injected where the real one occurs, so that the service answers it as it would then. */
import { setTimeout } from 'node:timers/promises'
import type { ApiFetch } from '../api/app.ts'
import { type Database, DatabaseUnavailable } from '../database/client.ts'
import type { Meter } from '../metering/meter.ts'

export class FaultInjection {
  #outageEndsMs = 0
  /** Milliseconds by which each answer is delayed. */
  slowMs = 0
  /** How many calls fail from now on. */
  failures = 0
  /** Milliseconds by which the directory's clock was advanced: they count towards an outage's end. */
  #skippedMs = 0
  readonly #stopped = new AbortController()

  outage(ms: number) {
    this.#outageEndsMs = this.#nowMs() + ms
  }

  skip(ms: number) {
    this.#skippedMs += ms
  }

  /** Ends every fault. */
  clear() {
    this.#outageEndsMs = 0
    this.slowMs = 0
    this.failures = 0
  }

  /** Ends every fault, and sends answers that are being delayed. */
  stop() {
    this.clear()
    this.#stopped.abort()
  }

  /** The database, unreachable during an outage. */
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

  /** The meter, which throws an unforeseen error for the next calls, before anything is charged. */
  aroundMeter(meter: Meter): Meter {
    return {
      ...meter,
      charge: async (call) => {
        if (this.failures > 0) {
          this.failures--
          throw new Error('a failure was asked for')
        }
        return meter.charge(call)
      },
    }
  }

  /** The API, with its answers delayed. */
  aroundApi(api: ApiFetch): ApiFetch {
    return async (request) => {
      const { signal } = this.#stopped
      // Stopping ends the wait early.
      if (this.slowMs > 0) await setTimeout(this.slowMs, undefined, { signal }).catch(() => {})
      return api(request)
    }
  }

  #nowMs(): number {
    return performance.now() + this.#skippedMs
  }
}
