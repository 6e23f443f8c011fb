/** Sorts matches: by rank, then followers, then nearness, then id (D36). */
import type { FollowersRank } from './followers-rank.ts'
import type { Matches } from './matches.ts'
import { NEARNESS, NEARNESS_BITS, NEARNESS_MASK, RANKS } from './score.ts'

/** From this share of all records on, a counting sort over all of them is quicker than comparing the matches. */
const MANY = 1 / 32

/** @returns slots, the best first. */
export function ranked(matches: Matches, followers: FollowersRank): Uint32Array {
  const isMany = matches.slots.length > followers.order.length * MANY
  return isMany ? countingSorted(matches, followers) : sorted(matches, followers)
}

/**
 * Sorts by one number that holds all of it. It fits into the 53 bits of a float: 7 of rank, 17 of
 * followers (`LEVELS_MAX`), 4 of nearness and 25 of place (`SLOTS_MAX`).
 */
export function sorted(
  { slots, scores }: Matches,
  { places, levels, order }: FollowersRank,
): Uint32Array {
  const keys = new Float64Array(slots.length)
  const levelCount = 1 + (levels[order.length - 1] ?? 0)
  const placeCount = order.length
  for (let i = 0; i < slots.length; i++) {
    const place = places[slots[i] ?? 0] ?? 0
    const score = scores[i] ?? 0
    const near = score & NEARNESS_MASK
    const level = (score >>> NEARNESS_BITS) * levelCount + (levels[place] ?? 0)
    keys[i] = (level * NEARNESS + near) * placeCount + place
  }
  keys.sort()
  const inOrder = new Uint32Array(keys.length)
  for (let i = 0; i < keys.length; i++) inOrder[i] = order[(keys[i] ?? 0) % placeCount] ?? 0
  return inOrder
}

/**
 * The same by counting sorts, which are stable: the matches in the order of their followers by rank,
 * then each run of one rank and one number of followers by nearness.
 */
export function countingSorted(
  { slots, scores }: Matches,
  { places, levels, order }: FollowersRank,
): Uint32Array {
  /** Per place; one more than the score, so that zero is no match. */
  const scoreAt = new Uint16Array(order.length)
  /** Per rank: how many, then where its next goes. */
  const next = new Uint32Array(RANKS + 1)
  for (let i = 0; i < slots.length; i++) {
    const score = scores[i] ?? 0
    scoreAt[places[slots[i] ?? 0] ?? 0] = score + 1
    count(next, (score >>> NEARNESS_BITS) + 1)
  }
  for (let rank = 1; rank <= RANKS; rank++) next[rank] = (next[rank] ?? 0) + (next[rank - 1] ?? 0)
  const list = new Uint32Array(slots.length)
  for (let place = 0; place < order.length; place++) {
    const score = (scoreAt[place] ?? 0) - 1
    if (score >= 0) list[count(next, score >>> NEARNESS_BITS)] = place
  }
  for (let start = 0; start < list.length; ) {
    const rank = ((scoreAt[list[start] ?? 0] ?? 0) - 1) >>> NEARNESS_BITS
    const level = levels[list[start] ?? 0]
    let end = start + 1
    const rankEnd = next[rank] ?? 0
    while (end < rankEnd && levels[list[end] ?? 0] === level) end++
    sortByNearness(list, start, end, scoreAt)
    start = end
  }
  for (let i = 0; i < list.length; i++) list[i] = order[list[i] ?? 0] ?? 0
  return list
}

/** @returns the count before. */
function count(counts: Uint32Array, key: number): number {
  const before = counts[key] ?? 0
  counts[key] = before + 1
  return before
}

/** Per nearness: how many, then where its next goes. Kept, because most runs are of two or three. */
const nextByNearness = new Uint32Array(NEARNESS + 1)

/** Sorts the places from `start` to `end` by nearness, keeping the order of those that are equally near. */
function sortByNearness(list: Uint32Array, start: number, end: number, scoreAt: Uint16Array) {
  if (end - start < 2) return
  const nearness = (place: number) => ((scoreAt[place] ?? 0) - 1) & NEARNESS_MASK
  const next = nextByNearness.fill(0)
  const run = list.slice(start, end)
  for (let i = 0; i < run.length; i++) count(next, nearness(run[i] ?? 0) + 1)
  for (let key = 1; key < NEARNESS; key++) next[key] = (next[key] ?? 0) + (next[key - 1] ?? 0)
  for (let i = 0; i < run.length; i++) {
    const place = run[i] ?? 0
    list[start + count(next, nearness(place))] = place
  }
}
