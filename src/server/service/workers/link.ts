/**
 * Messages between the supervisor and its workers: JSON, a line each. The supervisor writes to a worker's standard input and
 * reads its standard output, because these work alike on every runtime and close with either end.
 */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Family } from '../../metrics/families.ts'

export type ToWorker =
  /** Answer on for so many seconds, finish the requests in hand, then end. */
  | { type: 'stop'; drainSeconds: number }
  /** Send the counts. */
  | { type: 'metrics' }

export type FromWorker =
  /** The event loop turns: sent each second. */
  | { type: 'alive' }
  /** Both listeners answer. */
  | { type: 'ready' }
  /** The start failed. `mayPass`: as a database does that is starting; false: trying again can't help by itself. */
  | { type: 'failed'; reason: string; mayPass: boolean }
  /** The counts so far. */
  | { type: 'metrics'; families: Family[] }

/** Interval of a worker's sign of life, in milliseconds. */
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

/** An object with a type is a message, because both ends are of one version. */
function parse<M>(line: string): M | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return value !== null && typeof value === 'object' && 'type' in value ? (value as M) : undefined
  } catch {
    return undefined
  }
}

/** Time in which the supervisor's message goes before the system's signal. */
const OWN_SIGNAL_MS = 200

export type SupervisorLink = ReturnType<typeof linkToSupervisor>

/**
 * Begins to tell the supervisor that this process is alive.
 * @param families what the process has counted, when the supervisor asks
 */
export function linkToSupervisor(families: () => Promise<Family[]> = async () => []) {
  const { promise: stopAsked, resolve: stop } = Promise.withResolvers<number>()
  readMessages<ToWorker>(process.stdin, (message) => {
    if (message.type === 'stop') stop(message.drainSeconds)
    else families().then((counted) => send({ type: 'metrics', families: counted }))
  })
  // The supervisor is gone.
  process.stdin.on('end', () => stop(0))
  // A terminal sends Ctrl-C to the supervisor as well, which decides.
  process.on('SIGINT', () => {})
  // The system may signal all processes at once, and the supervisor's message must go first.
  process.on('SIGTERM', () => setTimeout(() => stop(0), OWN_SIGNAL_MS))

  /** Resolves when the message is on its way, so that the process may end. */
  function send(message: FromWorker): Promise<void> {
    return new Promise((resolve) => process.stdout.write(lineOf(message), () => resolve()))
  }
  // Writing to a supervisor that is gone fails; `end` of stdin reports that.
  process.stdout.on('error', () => {})
  setInterval(() => send({ type: 'alive' }), ALIVE_EVERY_MS)

  return {
    /**
     * Resolves when the supervisor, or a SIGTERM to this process, asks it to stop, or the supervisor is gone: with the
     * seconds for which it is to answer on.
     */
    stopAsked,
    send,
  }
}
