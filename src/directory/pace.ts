/** Long work beside callers: in pieces, with a rest after each. */
import { setImmediate, setTimeout } from 'node:timers/promises'

export interface Pace {
  /** So long one piece may hold the event loop, in milliseconds; what its end takes comes on top. */
  pieceMs: number
  /** How long the rest is, as a multiple of what the piece took. 0: only what waits has its turn. */
  rest: number
}

/** Nobody is served yet. */
export const ALONE: Pace = { pieceMs: 10, rest: 0 }

/** Callers come first: whoever waits for the database comes back to the event loop in the rest. */
export const BESIDE_CALLERS: Pace = { pieceMs: 1.5, rest: 2 }

/** What callers are shown is growing old. */
export const BEHIND: Pace = { pieceMs: 1.5, rest: 0.5 }

/**
 * Runs the steps, as many in one piece as the pace allows.
 * @param afterPiece runs at the end of each piece, before anyone else has a turn.
 */
export async function inPieces(
  steps: Iterable<void>,
  pace: Pace,
  afterPiece: () => void = () => {},
): Promise<void> {
  let startedAt = performance.now()
  const end = () => {
    afterPiece()
    const restMs = (performance.now() - startedAt) * pace.rest
    return restMs === 0 ? setImmediate() : setTimeout(restMs)
  }
  for (const _step of steps) {
    if (performance.now() - startedAt < pace.pieceMs) continue
    await end()
    startedAt = performance.now()
  }
  await end()
}
