/** Puts matches in order: by rank, then fame, then nearness, then id (D36). */
import type { Fame } from './fame.ts'
import type { Matches } from './match.ts'
import { NEARNESS } from './score.ts'

/**
 * Sorts by one number that holds all of it. It fits into the 53 bits of a float: 7 of rank, 17 of
 * fame (`LEVELS_MAX`), 4 of nearness and 25 of place (`SLOTS_MAX`).
 *
 * @returns slots, the best first.
 */
export function ranked({ slots, scores }: Matches, { places, levels, order }: Fame): Uint32Array {
  const keys = new Float64Array(slots.length)
  const levelCount = 1 + (levels[order.length - 1] ?? 0)
  const placeCount = order.length
  for (let i = 0; i < slots.length; i++) {
    const place = places[slots[i] ?? 0] ?? 0
    const score = scores[i] ?? 0
    const near = score % NEARNESS
    const fame = ((score - near) / NEARNESS) * levelCount + (levels[place] ?? 0)
    keys[i] = (fame * NEARNESS + near) * placeCount + place
  }
  keys.sort()
  const sorted = new Uint32Array(keys.length)
  for (let i = 0; i < keys.length; i++) sorted[i] = order[(keys[i] ?? 0) % placeCount] ?? 0
  return sorted
}
