/** Sorts matches: by rank, then followers, then nearness, then id (D36). */
import type { FollowersRank } from './followers-rank.ts'
import type { Matches } from './matches.ts'
import { NEARNESS, NEARNESS_BITS, NEARNESS_MASK } from './score.ts'

/** So many matches are sorted at once, at least. */
const SORTED_MIN = 200
/** So many of the best are found at once, at least: a few pages. */
const BEST_MIN = 200

/**
 * The best of the matches, in one pass over all and by sorting few: most are worse than the worst of the best so far.
 * A match is compared by one number that holds all of it. It fits into the 53 bits of a float: 7 of rank,
 * 17 of followers (`LEVELS_MAX`), 4 of nearness and 25 of place (`SLOTS_MAX`).
 * @returns so many slots, the best first.
 */
export function ranked(
  { slots, scores }: Matches,
  { places, levels, order }: FollowersRank,
  count = slots.length,
): Uint32Array {
  const keys = new Float64Array(Math.min(Math.max(2 * count, SORTED_MIN), slots.length))
  const levelCount = 1 + (levels[order.length - 1] ?? 0)
  const placeCount = order.length
  let filled = 0
  let worst = Number.POSITIVE_INFINITY
  let worstRank = worst
  let worstEnd = placeCount
  for (let i = 0; i < slots.length; i++) {
    const score = scores[i] ?? 0
    const rank = score >>> NEARNESS_BITS
    if (rank > worstRank) continue
    const place = places[slots[i] ?? 0] ?? 0
    if (rank === worstRank && place >= worstEnd) continue
    const level = rank * levelCount + (levels[place] ?? 0)
    const key = (level * NEARNESS + (score & NEARNESS_MASK)) * placeCount + place
    if (key > worst) continue
    if (filled === keys.length) {
      keys.sort()
      filled = count
      worst = keys[count - 1] ?? 0
      worstRank = Math.floor(worst / (levelCount * NEARNESS * placeCount))
      worstEnd = endOf(levels, Math.floor(worst / (NEARNESS * placeCount)) % levelCount)
    }
    keys[filled++] = key
  }
  const best = keys.subarray(0, filled).sort().subarray(0, count)
  return Uint32Array.from(best, (key) => order[key % placeCount] ?? 0)
}

/** The first place of the next level. */
function endOf(levels: Uint32Array, level: number): number {
  let [low, high] = [0, levels.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((levels[middle] ?? 0) <= level) low = middle + 1
    else high = middle
  }
  return low
}

/** Matches whose order is found out as far as somebody reads. */
export class Ranking {
  readonly matches: Matches
  readonly #followers: FollowersRank
  #best: Uint32Array = new Uint32Array(0)

  constructor(matches: Matches, followers: FollowersRank) {
    this.matches = matches
    this.#followers = followers
  }

  get length(): number {
    return this.matches.slots.length
  }

  /** The slots of the best, so many, the best first. */
  first(count: number): Uint32Array {
    const wanted = Math.min(count, this.length)
    if (this.#best.length < wanted) {
      const enough = Math.max(2 * wanted, BEST_MIN)
      this.#best = ranked(this.matches, this.#followers, Math.min(enough, this.length))
    }
    return this.#best.subarray(0, wanted)
  }
}
