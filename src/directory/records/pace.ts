/** How work on the directory shares the event loop with calls: the one place that says when it pauses. */
import { setImmediate, setTimeout } from 'node:timers/promises'

export interface Pace {
  /** Records read by one statement. */
  slice: number
  /** Records of a batch that are taken in without a pause. */
  part: number
  /** Milliseconds for which the event loop may be held: a step that begins within them is done. */
  turnMs: number
  /** Lets calls be answered. */
  pause(): Promise<void>
}

/** While nobody is served: in large parts, without a rest. */
export const ALONE: Pace = { slice: 500, part: 500, turnMs: 20, pause: () => setImmediate() }

/**
 * While calls are served: work holds the event loop for about two milliseconds, and calls get more
 * than that after each turn, because one call needs several rounds of the loop.
 */
export const SERVING: Pace = { slice: 40, part: 10, turnMs: 2, pause: () => setTimeout(3) }

/** Shorter turns, and so long a rest that nearly every call meets one of them at most: half a second for 500 companies. */
const UNHURRIED: Pace = { ...SERVING, slice: 20, part: 5, turnMs: 1, pause: () => setTimeout(5) }

/** Changes from which readers would see some of them too late. */
const FEW_CHANGES = 500

/** How changes are taken in, by how many of them wait; where nobody is served there is no rest. */
export const paceFor = (pace: Pace, changes: number): Pace =>
  pace === SERVING && changes <= FEW_CHANGES ? UNHURRIED : pace

/** Takes the steps to their end, with a pause after each that ends a turn. */
export async function inTurns(
  steps: Iterable<unknown>,
  { turnMs, pause }: Pick<Pace, 'turnMs' | 'pause'>,
): Promise<void> {
  let startedAt = performance.now()
  for (const _step of steps) {
    if (performance.now() - startedAt < turnMs) continue
    await pause()
    startedAt = performance.now()
  }
}
