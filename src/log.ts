/** The log: one JSON object a line on stderr. Callers pass fields: never records, keys, channels or queries. */
import { LOG_LEVELS, type LogLevel } from './config.ts'

type Entry = (message: string, fields?: Record<string, unknown>) => void

export type Log = Record<Exclude<LogLevel, 'silent'>, Entry> & {
  /**
   * Warns once for thousands of equal failures in an outage: the first at once, then a line a second with the number for each
   * reason. The level `debug` has them all.
   */
  repeated(message: string, reason: string, fields?: Record<string, unknown>): void
}

/** The runtime's own function: in a service `console.error` writes to the log. */
const { error: writeLine } = console

const REPEATED_EVERY_MS = 1_000

/**
 * A log that writes entries of `level` and above. `write` takes one line without its line break.
 * @param origin fields of every line that name the process
 */
export function createLog(
  level: LogLevel,
  write = (line: string) => writeLine(line),
  origin: Readonly<Record<string, unknown>> = {},
): Log {
  const threshold = LOG_LEVELS.indexOf(level)
  const entry =
    (name: LogLevel): Entry =>
    (message, fields = {}) => {
      if (LOG_LEVELS.indexOf(name) < threshold) return
      const time = new Date().toISOString()
      write(JSON.stringify({ time, level: name, ...origin, message, ...fields }))
    }
  const [debug, warn] = [entry('debug'), entry('warn')]
  return {
    debug,
    info: entry('info'),
    warn,
    error: entry('error'),
    repeated: repeatedWarnings(warn, debug),
  }
}

function repeatedWarnings(warn: Entry, debug: Entry): Log['repeated'] {
  /** Repetitions by reason, of each message that was written within the last second. */
  const counts = new Map<string, Map<string, number>>()

  function writeCounts(message: string) {
    const reasons = counts.get(message)
    counts.delete(message)
    if (!reasons || reasons.size === 0) return
    const count = [...reasons.values()].reduce((sum, times) => sum + times, 0)
    warn(message, { count, reasons: Object.fromEntries(reasons) })
    beginCount(message)
  }

  /** Starts to count a message's repetitions for a second. */
  function beginCount(message: string) {
    counts.set(message, new Map())
    setTimeout(writeCounts, REPEATED_EVERY_MS, message).unref()
  }

  return (message, reason, fields) => {
    const reasons = counts.get(message)
    if (!reasons) {
      beginCount(message)
      return warn(message, { ...fields, reason })
    }
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    debug(message, { ...fields, reason })
  }
}

export const silentLog: Log = createLog('silent')
