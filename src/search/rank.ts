/** Puts matches in order: the better score first, among equals the more popular (D36). */
import { type Matches, SCORES } from './match.ts'

/** Above this many matches one pass over the popular order is cheaper than sorting them. */
const SORTED_MAX = 2_000

/**
 * @param popularity per slot its place in `popular`.
 * @param popular all slots, more followers first, then by id.
 */
export function ranked(
  { slots, scores }: Matches,
  popularity: Uint32Array,
  popular: Uint32Array,
): Uint32Array {
  return slots.length <= SORTED_MAX
    ? sorted(slots, scores, popularity, popular)
    : distributed(slots, scores, popular)
}

/** Sorts by score and place in one number. */
function sorted(
  slots: number[],
  scores: number[],
  popularity: Uint32Array,
  popular: Uint32Array,
): Uint32Array {
  const keys = new Float64Array(slots.length)
  const places = popular.length
  slots.forEach((slot, i) => {
    keys[i] = (scores[i] ?? 0) * places + (popularity[slot] ?? 0)
  })
  keys.sort()
  return Uint32Array.from(keys, (key) => popular[key % places] ?? 0)
}

/** Goes through all slots from the most popular on and lays each match behind the others of its score. */
function distributed(slots: number[], scores: number[], popular: Uint32Array): Uint32Array {
  const scoreOf = new Uint16Array(popular.reduce((most, slot) => Math.max(most, slot), 0) + 1)
  const ends = new Uint32Array(SCORES + 1)
  slots.forEach((slot, i) => {
    const score = scores[i] ?? 0
    scoreOf[slot] = score + 1
    ends[score + 1] = (ends[score + 1] ?? 0) + 1
  })
  for (let score = 1; score <= SCORES; score++)
    ends[score] = (ends[score] ?? 0) + (ends[score - 1] ?? 0)
  const result = new Uint32Array(slots.length)
  for (const slot of popular) {
    const score = scoreOf[slot]
    if (!score) continue
    const at = ends[score - 1] ?? 0
    ends[score - 1] = at + 1
    result[at] = slot
  }
  return result
}
