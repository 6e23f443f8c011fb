/** How long a call waits: before a repeat, and in all. */
import type { Settings } from './options.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/**
 * The pause before a repeat, in milliseconds: one that doubles with each fault, and no shorter than what the service asks for;
 * and up to as much again at random, a second at most, so that clients which failed together don't come back together.
 */
export function backoffMs(faults: number, retryAfter: number | undefined): number {
  const grownMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, faults - 1), LONGEST_PAUSE_MS)
  const leastMs = Math.max(grownMs / 2, (retryAfter ?? 0) * 1_000)
  return leastMs + Math.random() * Math.min(grownMs, 1_000)
}

/** Remaining time that a call may wait, for its turn and before retries together. */
export class Patience {
  #leftMs: number
  readonly #sleep: Settings['sleep']
  readonly #signal: AbortSignal

  constructor(leftMs: number, sleep: Settings['sleep'], signal: AbortSignal) {
    this.#leftMs = leftMs
    this.#sleep = sleep
    this.#signal = signal
  }

  allows(milliseconds: number): boolean {
    return milliseconds <= this.#leftMs
  }

  /** @throws the signal's reason */
  async wait(milliseconds: number): Promise<void> {
    this.#leftMs -= milliseconds
    const slept = (signal: AbortSignal) => this.#sleep(milliseconds, signal)
    await unlessAborted(this.#signal, slept)
  }

  /**
   * Waits for something, no longer than is left.
   * @param leastMs minimum duration; the work isn't started if that exceeds the remaining time
   * @returns whether the work ended in time
   * @throws the signal's reason, or what the work threw
   */
  async during(leastMs: number, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    this.#signal.throwIfAborted()
    if (!this.allows(leastMs)) return false
    const startedMs = Date.now()
    const ending = new AbortController()
    const giveUp = () => ending.abort(this.#signal.reason)
    this.#signal.addEventListener('abort', giveUp)
    const timer = setTimeout(() => ending.abort(), this.#leftMs)
    try {
      await work(ending.signal)
      return true
    } catch (error) {
      if (ending.signal.aborted && !this.#signal.aborted) return false
      throw error
    } finally {
      clearTimeout(timer)
      this.#signal.removeEventListener('abort', giveUp)
      // A sleep of the caller's own may be shorter than what it stands for.
      this.#leftMs -= Math.max(leastMs, Date.now() - startedMs)
    }
  }
}

/**
 * Waits for work that may not heed its signal, or reject when it is ended early.
 * @throws the signal's reason, or what the work threw
 */
async function unlessAborted(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let giveUp = () => {}
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp)
  })
  try {
    signal.throwIfAborted()
    await Promise.race([work(signal), aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
