/** Sorts matches: by rank, then followers, then nearness, then id (D36). */
import { BATCH_MIN, leastOf } from './least.ts'
import type { Matches } from './matches.ts'
import { NEARNESS, nearnessOf, rankOf } from './score.ts'

/** The order that settles ties of relevance: more followers first, then by id. */
export interface FollowersRank {
  /** All slots, the most followed first. */
  order: Uint32Array
  /**
   * Per slot, what its followers and its place in `order` add to the key that matches are sorted by: one number for
   * all that they are compared by. It fits into the 53 bits of a float: 7 of rank, 17 of level, 4 of nearness and
   * 25 of place (`SLOTS_MAX`).
   */
  keys: Float64Array
  /** What a rank adds. */
  rankSpan: number
}

/** Levels of followers told apart. Those with fewer share the last; there the place alone decides. */
const LEVELS_MAX = 2 ** 17

/**
 * @param followers per slot.
 * @param unused one that nobody asks any more: its keys are written over, as megabytes for each change are much garbage.
 */
export function followersRank(
  order: Uint32Array,
  followers: Float64Array,
  unused: FollowersRank | null = null,
): FollowersRank {
  const isAsLong = unused?.keys.length === followers.length
  const keys = isAsLong ? unused.keys : new Float64Array(followers.length)
  const levelSpan = NEARNESS * order.length
  let level = 0
  let before = followers[order[0] ?? 0] ?? 0
  for (let place = 0; place < order.length; place++) {
    const slot = order[place] ?? 0
    const count = followers[slot] ?? 0
    if (count !== before && level < LEVELS_MAX - 1) level++
    before = count
    keys[slot] = level * levelSpan + place
  }
  return { order, keys, rankSpan: (level + 1) * levelSpan }
}

/**
 * The best of the matches.
 * @returns so many slots, the best first.
 */
export function ranked(
  { slots, scores }: Matches,
  { keys, order, rankSpan }: FollowersRank,
  count = slots.length,
): Uint32Array {
  const least = leastOf(slots.length, count, (i) => {
    const score = scores[i] ?? 0
    const nearness = nearnessOf(score) * order.length
    return rankOf(score) * rankSpan + (keys[slots[i] ?? 0] ?? 0) + nearness
  })
  return Uint32Array.from(least, (key) => order[key % order.length] ?? 0)
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
    if (this.#best.length < Math.min(count, this.length)) {
      this.#best = ranked(this.matches, this.#followers, Math.max(2 * count, BATCH_MIN))
    }
    return this.#best.subarray(0, count)
  }
}
