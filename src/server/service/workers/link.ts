/** A worker's end of the line to its supervisor. */
import type { Family } from '../metrics/families.ts'
import { ALIVE_EVERY_MS, type FromWorker, lineOf, readMessages, type ToWorker } from './messages.ts'

/** The supervisor's word counts where it comes so soon after a signal. */
const OWN_SIGNAL_MS = 200

export type SupervisorLink = ReturnType<typeof linkToSupervisor>

/**
 * Begins to tell the supervisor that this process is alive.
 * @param families what the process has counted, when the supervisor asks
 */
export function linkToSupervisor(families: () => Promise<Family[]> = async () => []) {
  const { promise: stopAsked, resolve: stop } = Promise.withResolvers<number>()
  const { promise: image, resolve: load } = Promise.withResolvers<string | undefined>()
  readMessages<ToWorker>(process.stdin, (message) => {
    if (message.type === 'load') load(message.image)
    else if (message.type === 'stop') stop(message.drainSeconds)
    else families().then((counted) => send({ type: 'metrics', families: counted }))
  })
  // The supervisor is gone, however it ended.
  process.stdin.on('end', () => stop(0))
  // A terminal sends Ctrl-C to the supervisor as well, and that decides.
  process.on('SIGINT', () => {})
  // The system's stop may come to all processes at once, and must not come before what the supervisor says.
  process.on('SIGTERM', () => setTimeout(() => stop(0), OWN_SIGNAL_MS))

  /** Resolves when the message is on its way, so that the process may end. */
  function send(message: FromWorker): Promise<void> {
    return new Promise((resolve) => process.stdout.write(lineOf(message), () => resolve()))
  }
  // A supervisor that is gone is told nothing; `end` says that it is.
  process.stdout.on('error', () => {})
  setInterval(() => send({ type: 'alive' }), ALIVE_EVERY_MS)

  return {
    /** What to load from, once the supervisor says it: a file, or the tables where it is undefined. */
    image,
    /**
     * Resolves when the supervisor, or a SIGTERM to this process, asks it to stop, or the supervisor is gone: with the
     * seconds for which it is to answer on.
     */
    stopAsked,
    send,
  }
}
