/** The log: one JSON object a line on stderr. Callers pass fields: never records, keys, channels or queries. */
import { LOG_LEVELS, type LogLevel } from './config.ts'

type Entry = (message: string, fields?: Record<string, unknown>) => void

export type Log = Record<Exclude<LogLevel, 'silent'>, Entry>

/**
 * A log that writes entries of `level` and above. `write` takes one line without its line break.
 * @param origin fields of every line: which of several processes writes it.
 */
export function createLog(
  level: LogLevel,
  write = (line: string) => console.error(line),
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
  return { debug: entry('debug'), info: entry('info'), warn: entry('warn'), error: entry('error') }
}

export const silentLog: Log = createLog('silent')
