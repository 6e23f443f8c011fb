/**
 * Work that goes on after its form was answered, so that the answer's time doesn't tell what the work finds: whether an
 * address has an account. One piece after the other, each after a delay of its own, so that the next answer's
 * time doesn't tell either.
 */
import { DatabaseUnavailable, describeError } from '../../database/client.ts'
import type { Log } from '../../log.ts'
import { TooBusy } from './answers.ts'

export interface Background {
  /** Takes a piece of work and resolves at once; the work follows. @throws TooBusy where too much waits */
  begin(work: () => Promise<void>): Promise<void>
  /** Does what still waits, without delay. Resolves when all is done. */
  stop(): Promise<void>
}

const MAX_WAITING = 1_000
/** The longest delay. Each is drawn at random. */
const DELAY_MS = 2_000
/** How often work is tried while the database can't be reached, a second apart. */
const TRIES = 5
const BETWEEN_TRIES_MS = 1_000

export function createBackground(log: Log, delayMs = DELAY_MS): Background {
  /** Functions that start the pieces of work still delayed. */
  const delayedStarts = new Set<() => void>()
  let size = 0
  let tail: Promise<void> = Promise.resolve()

  async function begin(work: () => Promise<void>) {
    if (size >= MAX_WAITING) throw new TooBusy('too much work waits')
    size++
    const start = () => {
      if (!delayedStarts.delete(start)) return
      clearTimeout(timer)
      tail = tail.then(() => finish(work)).finally(() => size--)
    }
    delayedStarts.add(start)
    const timer = setTimeout(start, Math.random() * delayMs)
  }

  async function finish(work: () => Promise<void>) {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || tries === TRIES) {
          return log.error('what a form asked for was not done', { error: describeError(error) })
        }
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS))
      }
    }
  }

  async function stop() {
    for (const start of [...delayedStarts]) start()
    await tail
  }

  return { begin, stop }
}
