/**
 * What the supervisor and its workers say to each other: JSON, a line each. The supervisor writes to a worker's
 * standard input and reads its standard output, because these work alike on every runtime and close with either end.
 */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Family } from '../metrics/families.ts'

export type ToWorker =
  /** Load the directory: from this file, which all workers map; from the tables where there is none. */
  | { type: 'load'; image?: string | undefined }
  /** Answer on for so many seconds, finish the requests in hand, then end. */
  | { type: 'stop'; drainSeconds: number }
  /** Say what was counted. */
  | { type: 'metrics' }

export type FromWorker =
  /** The event loop turns: sent each second. */
  | { type: 'alive' }
  /** Both listeners answer. */
  | { type: 'ready' }
  /** The start failed. `mayPass`: as a database does that is starting; false: trying again can't help by itself. */
  | { type: 'failed'; reason: string; mayPass: boolean }
  /** What was counted so far. */
  | { type: 'metrics'; families: Family[] }

/** How often a worker says that it is alive, in milliseconds. */
export const ALIVE_EVERY_MS = 1_000

export function lineOf(message: ToWorker | FromWorker): string {
  return `${JSON.stringify(message)}\n`
}

/** Calls `take` for each message of a stream, and `other` for a line that is none. */
export function readMessages<M extends ToWorker | FromWorker>(
  stream: Readable,
  take: (message: M) => void,
  other: (line: string) => void = () => {},
): void {
  createInterface({ input: stream }).on('line', (line) => {
    const message = parse<M>(line)
    if (message) take(message)
    else other(line)
  })
}

/** Both ends are of one version, so what is an object with a type is a message. */
function parse<M>(line: string): M | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return value !== null && typeof value === 'object' && 'type' in value ? (value as M) : undefined
  } catch {
    return undefined
  }
}
