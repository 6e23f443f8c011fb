/**
 * Keeps the event loop awake while the kit works. `expect(promise).rejects` and `.resolves` of Bun run the loop themselves, and let it
 * sleep up to a second after each callback of `setImmediate` unless a timer is due (oven-sh/bun#39268). The database's driver, group
 * commit and listeners use such callbacks, so a timer runs every millisecond.
 */

const BEAT_MS = 1
/** Time for a test's own promise to settle after the kit's work. */
const LONGER_MS = 50

let working = 0
let untilMs = 0
let isBeating = false

function beat() {
  isBeating = working > 0 || performance.now() < untilMs
  if (isBeating) setTimeout(beat, BEAT_MS).unref()
}

/** Keeps the loop awake for `LONGER_MS`. */
export function wake() {
  untilMs = performance.now() + LONGER_MS
  if (!isBeating) beat()
}

/** Keeps the loop awake during some work. */
export async function awake<T>(work: () => Promise<T>): Promise<T> {
  working++
  wake()
  try {
    return await work()
  } finally {
    working--
    wake()
  }
}
