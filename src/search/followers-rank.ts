/** The order that settles ties of relevance: more followers first, then by id (D36). */
export interface FollowersRank {
  /** All slots, the most followed first. */
  order: Uint32Array
  /** Per slot its place in `order`. */
  places: Uint32Array
  /** Per place its level: records with as many followers share one. */
  levels: Uint32Array
}

/** Levels told apart. Those with fewer followers share the last; there `places` alone decides. */
export const LEVELS_MAX = 2 ** 17

/** @param followers per slot. */
export function followersRank(order: Uint32Array, followers: Float64Array): FollowersRank {
  const places = new Uint32Array(followers.length)
  const levels = new Uint32Array(order.length)
  let level = 0
  let before = 0
  for (let place = 0; place < order.length; place++) {
    const slot = order[place] ?? 0
    const count = followers[slot] ?? 0
    if (place > 0 && count !== before && level < LEVELS_MAX - 1) level++
    before = count
    places[slot] = place
    levels[place] = level
  }
  return { order, places, levels }
}
