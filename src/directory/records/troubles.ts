/** Failures of work that is tried again and again: counted, and said when they begin, each minute that they last, and when they are over. */
import { DatabaseUnavailable, describeError } from '../../database/client.ts'
import type { Log } from '../../log.ts'

const SAID_EVERY_MS = 60_000

export interface Troubles {
  readonly failures: number
  /** In epoch milliseconds; undefined where none was. */
  readonly lastFailureMs: number | undefined
  failed(error: unknown): void
  succeeded(): void
}

/** @param what begins the log's lines: `the change log can't be followed` */
export function noteTroubles(log: Log, what: string): Troubles {
  let failures = 0
  let lastFailureMs: number | undefined
  /** When the next line is due; undefined while all is well. */
  let sayAtMs: number | undefined
  return {
    get failures() {
      return failures
    },
    get lastFailureMs() {
      return lastFailureMs
    },
    failed(error) {
      failures++
      lastFailureMs = Date.now()
      const nowMs = performance.now()
      if (sayAtMs !== undefined && nowMs < sayAtMs) return
      sayAtMs = nowMs + SAID_EVERY_MS
      // The message of any other error may repeat a row's values.
      const reason = error instanceof DatabaseUnavailable ? error.message : describeError(error)
      log.warn(what, { reason, failures })
    },
    succeeded() {
      if (sayAtMs === undefined) return
      sayAtMs = undefined
      log.info(`over: ${what}`)
    },
  }
}
