/**
 * Keeps the event loop from resting while the kit works. `expect(promise).rejects` and `.resolves` of Bun run the loop inside
 * themselves until the promise settles, and let it rest although what a callback of `setImmediate` has set going
 * could go on: until some timer is due, for up to a second at each such step (oven-sh/bun#39268). The database's driver,
 * group commit and listeners take such steps. So a timer is due soon, while the kit works and a little longer.
 */

const BEAT_MS = 1
/** What follows the kit's work, up to the promise that a test waits for. */
const LONGER_MS = 50

let working = 0
let untilMs = 0
let isBeating = false

function beat() {
  isBeating = working > 0 || performance.now() < untilMs
  if (isBeating) setTimeout(beat, BEAT_MS).unref()
}

/** Keeps the loop awake for a little while: something has come in. */
export function wake() {
  untilMs = performance.now() + LONGER_MS
  if (!isBeating) beat()
}

/** Does work that nobody should have to wait for longer than it takes. */
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
