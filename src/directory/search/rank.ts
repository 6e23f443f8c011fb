/** Sorts matches: by rank, then followers, then nearness, then id; or by grade, and within one as a list is ordered. */
import type { FollowersRank } from './followers-rank.ts'
import { BATCH_MIN, leastOf } from './least.ts'
import type { Matches } from './matches.ts'
import { gradeOf, nearnessOf, rankOf } from './score.ts'

/** So few are compared with each other, which reads no other record. Of more each gets a key. */
const FEW = 200

/**
 * The best of the matches.
 * @returns so many slots, the best first.
 */
export function ranked(
  matches: Matches,
  followers: FollowersRank,
  count = matches.slots.length,
): Uint32Array {
  return matches.slots.length > FEW
    ? bestByKeys(matches, followers, count)
    : compared(matches, followers).subarray(0, count)
}

function compared({ slots, scores }: Matches, followers: FollowersRank): Uint32Array {
  const places = [...slots.keys()].sort((i, j) => {
    const [a, b] = [slots[i] ?? 0, slots[j] ?? 0]
    const [left, right] = [scores[i] ?? 0, scores[j] ?? 0]
    const byNearness = followers.isEqual(a, b) ? nearnessOf(left) - nearnessOf(right) : 0
    return rankOf(left) - rankOf(right) || byNearness || followers.order.compare(a, b)
  })
  return Uint32Array.from(places, (place) => slots[place] ?? 0)
}

function bestByKeys(
  { slots, scores }: Matches,
  followers: FollowersRank,
  count: number,
): Uint32Array {
  const order = followers.order.slots()
  const { bySlot, rankSpan } = followers.keys
  const least = leastOf(slots.length, count, (i) => {
    const score = scores[i] ?? 0
    const nearness = nearnessOf(score) * order.length
    return rankOf(score) * rankSpan + (bySlot[slots[i] ?? 0] ?? 0) + nearness
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

/** A match and how well it does: the lower the better. */
interface Graded {
  slot: number
  grade: number
}

/** All slots of records in the order in which matches of one grade come, and by slot its place there. */
export interface Placed {
  order: Uint32Array
  places: Uint32Array
}

/** Finds each slot's place in the order of all that a record has. @param slotCount slots there are, free ones among them */
export function placed(order: Uint32Array, slotCount: number): Placed {
  const places = new Uint32Array(slotCount)
  for (let place = 0; place < order.length; place++) places[order[place] ?? 0] = place
  return { order, places }
}

/**
 * @param count how many are wanted.
 * @returns so many, the best first.
 */
export function bestInOrder(
  { slots, scores }: Matches,
  { order, places }: Placed,
  count: number,
): Graded[] {
  const least = leastOf(
    slots.length,
    count,
    (i) => gradeOf(scores[i] ?? 0) * order.length + (places[slots[i] ?? 0] ?? 0),
  )
  return Array.from(least, (key) => ({
    slot: order[key % order.length] ?? 0,
    grade: Math.floor(key / order.length),
  }))
}
