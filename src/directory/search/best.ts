/** The best of many matches in an order of their own: by grade, within one as a list has them. */
import { leastOf } from './least.ts'
import type { Matches } from './matches.ts'
import { gradeOf } from './score.ts'

/** A match and how well it does: the lower the better. */
export interface Graded {
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
